"""The table of operations: every row, once."""

from typing import Any

from venue.api import countdown as cancel_after
from venue.api.contract import account as contract_account
from venue.api.contract import conditional as algo
from venue.api.contract import demo as sim
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract
from venue.api.operation import Operation
from venue.api.operator import contracts as contract_operator
from venue.api.operator import venue as operator
from venue.api.spot import account, market
from venue.api.spot import orders as spot

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
