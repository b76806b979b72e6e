"""The table of operations: every row, once."""

from typing import Final

from venue.api import countdown, own
from venue.api.contract import account as contract_account
from venue.api.contract import conditional, demo
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract_orders
from venue.api.copying import follower, trader
from venue.api.operation import Row
from venue.api.operator import (
    benefits,
    bundle,
    clock,
    contracts,
    explain,
    faults,
    fee_tiers,
    preview,
    references,
    snapshots,
    wire,
    worlds,
)
from venue.api.operator import content as operator_content
from venue.api.operator import copying as operator_copying
from venue.api.operator import venue as operator
from venue.api.spot import account, affiliates, commissions, content, market, withdrawals
from venue.api.spot import orders as spot_orders

ROWS: tuple[Row, ...] = (
    *market.ROWS,
    *account.ROWS,
    *spot_orders.ROWS,
    *affiliates.ROWS,
    *commissions.ROWS,
    *withdrawals.ROWS,
    *content.ROWS,
    *contract_market.ROWS,
    *contract_account.ROWS,
    *contract_orders.ROWS,
    *conditional.ROWS,
    *demo.ROWS,
    *countdown.ROWS,
    *follower.ROWS,
    *trader.ROWS,
    *own.ROWS,
    *operator.ROWS,
    *contracts.ROWS,
    *benefits.ROWS,
    *operator_content.ROWS,
    *fee_tiers.ROWS,
    *operator_copying.ROWS,
    *preview.ROWS,
    *faults.ROWS,
    *clock.ROWS,
    *references.ROWS,
    *snapshots.ROWS,
    *worlds.ROWS,
    *wire.ROWS,
    *explain.ROWS,
    *bundle.ROWS,
)
BY_NAME: Final[dict[str, Row]] = {row.name: row for row in ROWS}
