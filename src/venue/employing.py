"""Who acts with the venue's time: the liquidity agents, or only what holds indexes."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Final

from venue.api.errors import ApiError
from venue.core.messages.commands import Command
from venue.gateway.context import Venue
from venue.lab.agents.everyone import Everyone
from venue.lab.agents.holding import AgentHolding
from venue.lab.agents.spot import STEP_US

AGENTS: Final = "agents"  # their part of what stands beside the state


async def employ(
    rooms: Venue, seed: int, *, agents: bool, act: bool = True, aside: bytes = b""
) -> bool:
    """Who acts with time from now on: the liquidity agents, or only what holds indexes. Agents who
    do not `act` leave it at their first quotes. What stood `aside` of the state goes on; whether
    agents began instead."""
    stepper: Everyone | AgentHolding = AgentHolding(rooms.engine)
    if agents:
        stepper = everyone = Everyone(rooms.engine, seed)
        rooms.aside.add(AGENTS, everyone)
    began = AGENTS not in rooms.aside.become(aside) and agents
    if began:
        await everyone.begin(rooms.sequencer)
    if act:
        rooms.agents = agents
        rooms.timekeeper.employ(stepper, STEP_US, partial(_try_submit, rooms))
    return began


async def _try_submit(rooms: Venue, commands: list[Command]) -> None:
    with contextlib.suppress(ApiError):  # left out while the venue is busy
        await rooms.submit(commands, patient=True)
