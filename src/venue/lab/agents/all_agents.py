"""The liquidity agents of both products, as one."""

from __future__ import annotations

from typing import Final

import msgspec

from venue.core.engine import Engine
from venue.core.messages.commands import Command, Tick
from venue.lab import demo
from venue.lab.agents.contract import ContractAgents
from venue.lab.agents.holding import AgentHolding
from venue.lab.agents.spot import Agents
from venue.node.sequencer import Sequencer

_decode: Final = msgspec.msgpack.Decoder(tuple[bytes, bytes]).decode


class AllAgents:
    """The liquidity agents of both products; spot acts first, contracts follow its prices."""

    def __init__(self, engine: Engine, seed: int) -> None:
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        followed = {
            symbol: live for symbol, live in demo.FOLLOWED.items() if symbol in engine.perps
        }
        self.spot = Agents(engine, seed, starts)
        self.contract = ContractAgents(engine, seed, followed, demo.POSTED)
        self._holding = AgentHolding(engine)
        self._engine = engine

    async def begin(self, sequencer: Sequencer) -> None:
        """Create the agents' owners, give them money, and place their first quotes."""
        for next_commands in (self._founding, self._funding):
            commands = next_commands()
            if commands:
                await sequencer.submit(commands)
        self.spot.resume()
        # The spot books give the contracts an index when time passes.
        await sequencer.submit([*self.spot.step(), Tick()])
        for _ in range(2):  # first post the indexes of contracts that follow another one
            commands = self.contract.step(self._engine.time)
            if commands:
                await sequencer.submit(commands)

    def acts(self) -> bool:
        """Return whether there is anything to do: always."""
        return True

    def step(self, now: int) -> list[Command]:
        """Return the next commands of all agents, after the posts of held indexes."""
        return self._holding.posts(now) + self.spot.step() + self.contract.step(now)

    def posts(self, now: int) -> list[Command]:
        """Return the index posts that keep indexes from getting stale."""
        return self._holding.posts(now) + self.contract.posts(now)

    def dump(self) -> bytes:
        """Return the agents' state as msgpack: it decides their next actions."""
        return msgspec.msgpack.encode((self.spot.dump(), self.contract.dump()))

    def restore(self, data: bytes) -> None:
        """Restore the state that was dumped."""
        spot, contract = _decode(data)
        self.spot.restore(spot)
        self.contract.restore(contract)

    def _founding(self) -> list[Command]:
        return self.spot.founding() + self.contract.founding()

    def _funding(self) -> list[Command]:
        return self.spot.funding() + self.contract.funding()
