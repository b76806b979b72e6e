"""The tables of copy trading, as in `spot`; and all tables together."""

from typing import Final

from sqlalchemy import MetaData

from venue.history.schema import affiliates, contract
from venue.history.schema.spot import METADATA, told
from venue.history.tables import copying

COPIES: Final = told(copying.EndedCopy)
TRACKS: Final = told(copying.EndedTrack)

# The whole schema of history: these tables, and those of the modules that they stand beside.
assert contract.CONTRACT_ORDERS.metadata is METADATA
assert affiliates.COMMISSIONS.metadata is METADATA
SCHEMA: Final[MetaData] = METADATA
