"""Every row of the table of operations with its handler: the function that has the row's name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isroutine
from types import ModuleType
from typing import Any, Final

from venue.api import errors
from venue.api.documents.table import ROWS
from venue.api.operation import Row
from venue.gateway.dispatch.routes import Closed, Route, Routes
from venue.gateway.door import Door
from venue.gateway.operations import countdown, own
from venue.gateway.operations.batches import closed_until
from venue.gateway.operations.contract import account as contract_account
from venue.gateway.operations.contract import (
    conditional,
    conditional_questions,
    lead_keys,
    margin,
)
from venue.gateway.operations.contract import market as contract_market
from venue.gateway.operations.contract import order_questions as contract_order_questions
from venue.gateway.operations.contract import orders as contract_orders
from venue.gateway.operations.copying import follower, trader
from venue.gateway.operations.operator import (
    benefits,
    bundle,
    clock,
    contracts,
    explain,
    faults,
    fee_tiers,
    keys,
    preview,
    references,
    settings,
    snapshots,
    venue,
    wire,
    worlds,
)
from venue.gateway.operations.operator import content as operator_content
from venue.gateway.operations.operator import copying as operator_copying
from venue.gateway.operations.spot import (
    account,
    affiliates,
    commissions,
    content,
    market,
    order_questions,
    orders,
    withdrawals,
)

Handler = Callable[..., Any]
MODULES: Final = (
    account, affiliates, commissions, content, market, order_questions, orders, withdrawals,
    contract_account, conditional, conditional_questions, margin, contract_market,
    contract_order_questions, contract_orders, countdown, follower, trader, benefits, bundle, clock,
    operator_content, contracts, operator_copying, explain, faults, fee_tiers, keys, preview,
    references, settings, snapshots, venue, wire, worlds, own,
)  # fmt: skip


def not_practice(door: Door) -> str:
    """Return the reason that keeps an operation closed on a venue with real money: there are no
    deliberate failures, and time cannot be moved. Empty: it is open."""
    return "" if door.node.practice else errors.PRACTICE


CLOSED: Final[dict[str, Closed]] = {
    "place_batch": closed_until("batchPlace"),
    "place_contract_batch": closed_until("contractBatchPlace"),
    "places": not_practice,
    "own_wire": wire.wire_off,
}
CLOSED_MODULES: Final[dict[ModuleType, Closed]] = {
    **dict.fromkeys((faults, clock, references, snapshots, worlds), not_practice),
    wire: wire.wire_off,
    explain: explain.explain_off,
    bundle: bundle.bundle_off,
}
LEAD: Final[dict[str, Handler]] = {  # refuse what a lead trader's key may not ask
    "place_contract_order": lead_keys.may_place,
    "close_positions": lead_keys.may_close,
    "place_exit": lead_keys.may_exit,
    "change_exit": lead_keys.may_change,
}


def bindings() -> list[Route]:
    """Return one binding per row, in the order of the rows."""
    return [_bind(row) for row in ROWS]


def _bind(row: Row) -> Route:
    (module,) = [one for one in MODULES if _answers(one, row.name)]
    closed = CLOSED.get(row.name) or CLOSED_MODULES.get(module)
    return Route(row, getattr(module, row.name), closed, LEAD.get(row.name))


def _answers(module: ModuleType, name: str) -> bool:
    """Return whether a module has a function of this name: its own, not an imported one."""
    found = getattr(module, name, None)
    # A compiled coroutine function does not know its module.
    return isroutine(found) and found.__module__ in (module.__name__, None)


@cache
def routes() -> Routes:
    """Return the table, ready to serve; one for all venues in this process."""
    return Routes(bindings())


def open_rows(door: Door) -> list[Row]:
    """Return the rows that this kind of venue has."""
    return [
        route.row
        for route in bindings()
        if route.closed is None or route.closed(door) != errors.PRACTICE
    ]
