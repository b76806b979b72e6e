"""Time passes for the engine."""

from __future__ import annotations

import asyncio
from typing import Final

from venue.core.engine import Engine
from venue.core.messages.commands import Command, EndConnection, Proceed, Tick
from venue.node.sequencer import Overloaded, Sequencer, Stopped

RETRY_S: Final = 0.05  # between attempts while too many commands wait


async def tick(sequencer: Sequencer) -> None:
    """Have time pass; the sequencer goes on with what one command may not finish.

    No overload keeps time from passing: liquidations and countdowns are owed to everybody. A
    sequencer that has stopped does.
    """
    try:
        await _submit(sequencer, Tick(), patient=True)
    except Stopped:
        return


async def catch_up(engine: Engine, sequencer: Sequencer) -> None:
    """End what ended while the venue was down, before anybody trades: countdowns that ran out, and
    the orders of connections that were there when it ended without a stop."""
    await tick(sequencer)
    try:
        while engine.countdowns.due(engine.time):
            await _submit(sequencer, Proceed(), patient=False)
        for number in list(engine.connections.guarded):
            await _submit(sequencer, EndConnection(number), patient=True)
    except Stopped:
        return


async def _submit(sequencer: Sequencer, command: Command, *, patient: bool) -> None:
    while True:
        try:
            await sequencer.submit([command], patient=patient)
        except Overloaded:
            await asyncio.sleep(RETRY_S)
        else:
            return


def time_matters(engine: Engine) -> bool:
    """Whether a countdown runs, or a contract has an index or positions, or its spot a price."""
    markets = engine.spot_markets
    return bool(engine.countdowns.queue) or any(
        perp.current
        or perp.positions
        or (perp.symbol in markets and markets[perp.symbol].book.twice_mid())
        for perp in engine.perps.values()
    )
