"""The table of operations: every row, once."""

from typing import Any

from venue.api import account, market, operator, spot
from venue.api.operation import Operation

ROWS: tuple[Operation[Any, Any], ...] = (
    *market.ROWS,
    *account.ROWS,
    *spot.ROWS,
    *operator.ROWS,
)
