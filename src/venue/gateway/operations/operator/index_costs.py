"""The cost of moving the indexes, as operators are told it (rule 6.7)."""

from __future__ import annotations

from venue import texts
from venue.api.operator.venue import IndexCostView
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.index_cost import cost_of_moving, gain_by_moving
from venue.node.node import Node


def index_cost(node: Node, perp: Perpetual) -> IndexCostView:
    """Return the cost of moving a contract's index by 1 % now, beside what that moves."""
    asset = node.asset(perp.market.instrument.quote)
    found = cost_of_moving(perp, node.clock.now())
    gain = gain_by_moving(perp)
    return IndexCostView(
        symbol=perp.symbol,
        cost=texts.amount_text(asset, found.cost) if found is not None else "",
        notional=texts.amount_text(asset, found.notional) if found is not None else "",
        gain=texts.amount_text(asset, gain),
        cheap=found is not None and found.cost < gain,
    )


def warning(told: IndexCostView) -> str:
    """Return the warning about a cheap index; empty for another."""
    if not told.cheap:
        return ""
    return (
        f"{told.symbol}: to move the index by 1 % costs {told.cost} now,"
        f" less than 1 % of the open interest, {told.gain}"
    )
