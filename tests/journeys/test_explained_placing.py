"""The explanation of an order follows from the state, not from who looked at it before."""

from __future__ import annotations

from support.order_desk import BUY, GTC, LIMIT, LONG, PRICE, SYMBOL, Desk
from venue.core.messages.commands import PlaceContractOrder
from venue.core.state import snapshot
from venue.explanation.placing import placing


def test_it_is_the_same_after_a_snapshot_for_an_owner_that_never_traded() -> None:
    desk = Desk("ann")
    ann = desk.uids["ann"]
    desk.tick()
    order = PlaceContractOrder(
        ann, SYMBOL, BUY, LONG, LIMIT, GTC, 5, PRICE, time=desk.time
    )  # fmt: skip
    again = snapshot.load(snapshot.dump(desk.engine))
    lines = placing(again, order)
    assert lines == placing(desk.engine, order)
    assert any("leverage 20" in line for line in lines)
    again.holding(ann)
    assert placing(again, order) == lines
