"""Passes time to the engine."""

from __future__ import annotations

import asyncio
from typing import Final

from venue.core.engine import Engine
from venue.core.messages.commands import Command, EndConnection, Proceed, Tick
from venue.node.sequencer import Overloaded, Sequencer, Stopped

RETRY_S: Final = 0.05  # between attempts while too many commands wait


async def tick(sequencer: Sequencer) -> None:
    """Pass time to the engine; the sequencer continues the work that one command may not finish.

    An overload does not stop time: liquidations and countdowns must happen for every owner. A
    stopped sequencer does.
    """
    try:
        await _submit(sequencer, Tick(), patient=True)
    except Stopped:
        return


async def catch_up(engine: Engine, sequencer: Sequencer) -> None:
    """Before anybody trades, end what ended while the venue was down: countdowns that ran out, and
    the orders of connections that were open when the venue ended without a stop."""
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
    """Return whether a countdown is set, a contract has an index or positions, or its spot market a
    price."""
    markets = engine.spot_markets
    return bool(engine.countdowns.queue) or any(
        perp.current
        or perp.positions
        or (perp.symbol in markets and markets[perp.symbol].book.twice_mid())
        for perp in engine.perps.values()
    )
