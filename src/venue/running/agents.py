"""Attaches liquidity agents, or only the holder of indexes, to a venue's clock."""

from __future__ import annotations

import contextlib
from functools import partial

from venue.api.errors import ApiError
from venue.core.messages.commands import Command
from venue.lab.agents.all_agents import AllAgents
from venue.lab.agents.holding import AgentHolding
from venue.lab.agents.spot import STEP_US
from venue.node.fair_queue import AGENTS
from venue.node.node import Node


async def attach_agents(
    node: Node, seed: int, *, agents: bool, act: bool = True, aside: bytes = b""
) -> bool:
    """Attach the liquidity agents, or only the holder of indexes, to the venue's clock.

    With `act=False` they place their first quotes and then stay idle. Agents whose state is in
    `aside` continue from it; return whether they began instead.
    """
    stepper: AllAgents | AgentHolding = AgentHolding(node.engine)
    if agents:
        stepper = all_agents = AllAgents(node.engine, seed)
        node.reverts.restore("agents", all_agents)
    began = "agents" not in node.reverts.take(aside) and agents
    if began:
        await all_agents.begin(node.sequencer)
    if act:
        node.agents = agents
        node.timekeeper.attach(stepper, STEP_US, partial(_try_submit, node))
    return began


async def _try_submit(node: Node, commands: list[Command]) -> None:
    with contextlib.suppress(ApiError):  # left out while the venue is busy
        await node.submit(commands, owner=AGENTS, patient=True)
