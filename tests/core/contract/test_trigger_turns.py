"""The owners' turns when many conditional orders are due, and the limits of their number (rule
8.6)."""

from collections import Counter

import msgspec
import pytest

from support.order_desk import BUY, LONG, MARK, SELL, SHORT, STOP_MARKET, SYMBOL, Desk, of, refusal
from venue.core.contract.conditional.triggers import FIRED_MAX, OWNER_SHARE
from venue.core.messages.commands import ChangeAlgo, PlaceAlgo, Tick
from venue.core.messages.contract_events import AlgoTriggered
from venue.core.messages.events import Rejected
from venue.core.state import snapshot
from venue.vocabulary import Reject

pytestmark = pytest.mark.core


def crowded(desk: Desk, owners: int, each: int) -> int:
    """Owners with conditional orders right under the mark, and ann's stop, a tick farther off."""
    for owner in range(owners):
        for _ in range(each):
            desk.algo(f"rich{owner}", SELL, SHORT, STOP_MARKET, 2, 999, source=MARK)
    return desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 998, source=MARK)


def test_nobody_elses_conditional_orders_hold_a_stop_back() -> None:
    """Rule 8.6: 20 owners with 20 each stand before ann's stop. A slice of 50 takes 5 of each, so
    hers enters in the third at the latest; the orders that stood back enter later, wherever the
    price is by then."""
    desk = Desk("ann", "ben", *[f"rich{owner}" for owner in range(20)])
    desk.pair("ann", "ben", 4)
    stop = crowded(desk, 20, 20)
    for _ in range(4):
        desk.bids("ben", 400, 990)
    slices = [of(desk.post(998), AlgoTriggered)]
    while stop not in [event.algo_id for event in slices[-1]]:
        slices.append(of(desk.tick(), AlgoTriggered))
    assert [len(fired) for fired in slices[:-1]] == [FIRED_MAX] * (len(slices) - 1)
    assert len(slices) <= 3
    assert all(
        count <= OWNER_SHARE
        for fired in slices
        for count in Counter(event.uid for event in fired).values()
    )
    rest = of(desk.post(1_005), AlgoTriggered)
    twin = snapshot.load(snapshot.dump(desk.engine))
    for _ in range(20):
        fired = desk.tick()
        assert twin.apply(Tick(time=desk.time)) == fired
        rest += of(fired, AlgoTriggered)
    assert len(rest) + sum(map(len, slices)) == 20 * 20 + 1
    assert not desk.engine.schedule.triggers.pending(desk.perp())


STOP_ORDER = PlaceAlgo(0, SYMBOL, BUY, LONG, STOP_MARKET, 4, 1_010, 0, MARK)


def test_an_opening_one_needs_what_its_owner_has() -> None:
    """Rule 8.6: 4 lots at 1,010 need 20,443; each alone at most what is available, and all together
    at most ten times that."""
    desk = Desk("ben")
    desk.owner("ann", money=20_442)
    short = msgspec.structs.replace(STOP_ORDER, uid=desk.uids["ann"])
    assert desk.apply(short) == [Rejected(Reject.FUNDS, 20_443)]
    desk.deposit("ann", 1)
    for _ in range(10):
        desk.ok(short)
    assert refusal(desk.apply(short)) == Reject.FUNDS
    # A change counts like a placement: at 2,000 the four lots need twice as much.
    algo_id = min(desk.holding("ann").algos)
    raised = ChangeAlgo(desk.uids["ann"], algo_id, 2_000, 0, MARK)
    assert refusal(desk.apply(raised)) == Reject.FUNDS
