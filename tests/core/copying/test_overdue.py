"""Closes of copies that are tried again, and their turns (rule 9.4)."""

from __future__ import annotations

import pytest

from support.contract_world import MONEY, SYMBOL, of
from support.copying_world import (
    close_copy,
    copies,
    copy,
    copying_world,
    follow,
    following,
    lead,
    proceed,
)
from venue.core.messages import commands
from venue.core.messages.copy_events import CopyClosed, CopyRefused
from venue.core.state import audit, snapshot
from venue.vocabulary import BUY, GTC, LIMIT, LONG

pytestmark = pytest.mark.core


def test_copies_that_are_stuck_delay_no_other_leads_follower() -> None:
    """4,000 stuck copies, 20 tried at a tick, delayed an honest follower's close by 200 s."""
    world = copying_world(*[f"fay{number}" for number in range(250)], checked=False)
    world.owner("hon", 10 * MONEY)
    world.owner("liz")
    lead(world, "liz")
    follow(world, "hon", "liz")
    for name in ("lea", "liz"):
        world.short("deeper", 9_000, 1_001)
        world.long(name, 10, 0)
        proceed(world)
    world.long("deep", 9_000, 1_000)
    world.short("liz", 10, 0)
    proceed(world)
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.long("deep", 20, 980)  # nothing nearer: the followers' copies of longs are stuck
    world.close_long("lea", 10, 0)
    proceed(world)
    for _ in range(40):
        world.wait(1)
        world.post(1_000)
        world.tick()
    behind = world.engine.copying.books.behind
    assert len(behind.copies()) >= 250
    twin = snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(twin) == snapshot.state_hash(world.engine)
    world.engine = twin
    world.short("deep", 20, 1_020)
    world.close_short("liz", 10, 0)  # its follower finds nothing either
    proceed(world)
    closing = [one for one in copies(world, "hon", "liz") if one.track.side < 0]
    assert [one.due > 0 for one in closing] == [True]
    world.short("deeper", 9_000, 1_001)
    world.wait(1)
    world.post(1_000)
    closed = of(world.tick(), CopyClosed)
    assert world.uids["hon"] in [event.uid for event in closed]
    assert audit.problems(world.engine) == []


def test_a_follower_with_every_order_it_may_have_is_closed_with_its_lead() -> None:
    """A close for the owner never rests: the 200 open orders of rule 3.1 are no reason against
    it, be it the lead's close or the follower's own of the copy."""
    world = copying_world("fay")
    for _ in range(2):
        world.long("lea", 10, 1_001)
        proceed(world)
    for _ in range(200):
        world.ok(
            commands.PlaceContractOrder(
                world.uids["fay"], SYMBOL, BUY, LONG, LIMIT, GTC, 1, 950
            )
        )  # fmt: skip
    lots = copy(world, "fay").lots
    world.close_long("lea", 10, 1_000)
    events = proceed(world)
    assert of(events, CopyRefused) == []
    assert copy(world, "fay").lots == lots // 2
    assert of(close_copy(world, "fay", copy(world, "fay").number), CopyClosed)
    assert copies(world, "fay") == []
    assert len(following(world, "fay").holding.orders) == 200
    assert audit.problems(world.engine) == []
