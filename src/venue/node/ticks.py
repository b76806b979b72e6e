"""Time passes for the engine: one tick, and those that work off what one may not finish."""

from __future__ import annotations

import asyncio
from typing import Final

from venue.core.commands import Tick
from venue.core.engine import Engine
from venue.node.sequencer import Overloaded, Sequencer, Stopped

PENDING_TICKS: Final = 100  # ticks at once to work off what is due, before time passes again
RETRY_S: Final = 0.05  # between attempts while too many commands wait


async def tick(engine: Engine, sequencer: Sequencer) -> None:
    """Have time pass; what one command may not finish goes on at once.

    Others' commands come in between. What is left after `PENDING_TICKS` waits for the next call.
    No overload keeps time from passing: liquidations and countdowns are owed to everybody. A
    sequencer that has stopped does.
    """
    try:
        await _submit(sequencer, patient=True)
        for _ in range(PENDING_TICKS):
            if not engine.pending():
                break
            await _submit(sequencer, patient=False)
    except Stopped:
        return


async def _submit(sequencer: Sequencer, *, patient: bool) -> None:
    while True:
        try:
            await sequencer.submit([Tick()], patient=patient)
        except Overloaded:
            await asyncio.sleep(RETRY_S)
        else:
            return


def time_matters(engine: Engine) -> bool:
    """Whether a countdown runs, or a contract has an index or positions, or its spot a price."""
    markets = engine.spot.markets
    return bool(engine.deadlines.queue) or any(
        perp.current
        or perp.positions
        or (perp.symbol in markets and markets[perp.symbol].book.twice_mid())
        for perp in engine.contracts.markets.values()
    )
