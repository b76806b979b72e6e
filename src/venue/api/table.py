"""The table of operations: every row, once."""

from typing import Any

from venue.api import (
    account,
    algo,
    cancel_after,
    contract,
    contract_account,
    contract_market,
    contract_operator,
    market,
    operator,
    sim,
    spot,
)
from venue.api.operation import Operation

ROWS: tuple[Operation[Any, Any], ...] = (
    *market.ROWS,
    *account.ROWS,
    *spot.ROWS,
    *contract_market.ROWS,
    *contract_account.ROWS,
    *contract.ROWS,
    *algo.ROWS,
    *sim.ROWS,
    *cancel_after.ROWS,
    *operator.ROWS,
    *contract_operator.ROWS,
)
