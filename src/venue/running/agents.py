"""Lets liquidity agents, or only the holder of indexes, act as the venue's time passes."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Final

from venue.api.errors import ApiError
from venue.core.messages.commands import Command
from venue.gateway.context import Node
from venue.lab.agents.everyone import Everyone
from venue.lab.agents.holding import AgentHolding
from venue.lab.agents.spot import STEP_US
from venue.node.fair_queue import AGENTS

PART: Final = "agents"  # the name of their part of `aside`


async def employ(
    node: Node, seed: int, *, agents: bool, act: bool = True, aside: bytes = b""
) -> bool:
    """Have the liquidity agents, or only the holder of indexes, act with time from now on. Agents
    that do not `act` stop at their first quotes. Agents whose state is in `aside` go on; the result
    says whether they began instead."""
    stepper: Everyone | AgentHolding = AgentHolding(node.engine)
    if agents:
        stepper = everyone = Everyone(node.engine, seed)
        node.aside.add(PART, everyone)
    began = PART not in node.aside.become(aside) and agents
    if began:
        await everyone.begin(node.sequencer)
    if act:
        node.agents = agents
        node.timekeeper.employ(stepper, STEP_US, partial(_try_submit, node))
    return began


async def _try_submit(node: Node, commands: list[Command]) -> None:
    with contextlib.suppress(ApiError):  # left out while the venue is busy
        await node.submit(commands, owner=AGENTS, patient=True)
