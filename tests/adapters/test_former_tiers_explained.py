"""The explanation of a liquidation that the end of former tiers brought."""

from __future__ import annotations

from msgspec.structs import replace

from support.contract_world import CONTRACT, PRICE, isolated_world, of, wide
from venue.core.contract.risk.changed_terms import FORMER_US
from venue.core.messages import commands
from venue.core.messages.contract_events import LiquidationStarted
from venue.core.state import snapshot
from venue.explanation.money import liquidation


def test_the_end_of_former_tiers_is_told_at_an_unmoved_mark() -> None:
    world = isolated_world()
    safer = replace(CONTRACT, leverage_max=10, tiers=wide(10, 60_000))
    world.ok(commands.ChangeContract(safer))
    world.time += FORMER_US
    world.post(PRICE)
    before = snapshot.load(snapshot.dump(world.engine))
    events = world.tick()
    (started,) = of(events, LiquidationStarted)
    text = "\n".join(liquidation(before, started, events, []))
    assert "Its maintenance margin was 100 QQQ. It kept former tiers of AAAQQQ, until" in text
    assert "until 2023-11-21T15:00:00.000Z." in text
    assert "equity was 499 QQQ and the maintenance margin 600 QQQ" in text
