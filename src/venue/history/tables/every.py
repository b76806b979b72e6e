"""Every table of history."""

from __future__ import annotations

from typing import Final

from venue.history.tables import affiliates, contract, copying, frames, spot
from venue.history.tables.table import Table

# In the order of their names. A liquidation's other rows are archived before it.
TABLES: Final[tuple[Table, ...]] = (
    contract.Conditional,
    spot.BillRow,
    affiliates.CommissionRow,
    contract.ContractFill,
    contract.ContractOrder,
    copying.EndedCopy,
    contract.DeleveragedRow,
    spot.SpotFill,
    frames.FrameRow,
    contract.FundingRateRow,
    contract.IncomeRow,
    affiliates.WithdrawalRow,
    contract.StepRow,
    contract.LiquidationRow,
    spot.Opening,
    spot.OrderRow,
    contract.EndedPosition,
    contract.PriceMinute,
    spot.Progress,
    copying.EndedTrack,
    spot.TransferRow,
)
GROWING: Final = tuple([table for table in TABLES if table.grows])
# The tables that go back with a kept state: all but the notes of where history begins and how far
# it is.
KEPT: Final = tuple([table for table in TABLES if table not in (spot.Opening, spot.Progress)])
ARCHIVABLE: Final = tuple([table for table in TABLES if table.archivable])
