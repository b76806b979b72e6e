"""A seeded session of the practice venue without a process: agents, demo owners, a fixed clock."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

from venue.core.engine import Engine
from venue.core.messages.commands import CancelOrders, Command, PlaceOrder, Tick, Transfer
from venue.core.messages.events import Event, OwnerCreated
from venue.core.state.snapshot import state_hash
from venue.lab import demo
from venue.lab.agents.spot import STEP_US, Agents

EPOCH_US = 1_790_000_000_000_000


class Story:
    """Applies commands to an engine as they come, and keeps them."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine()
        self.commands: list[Command] = []
        self.time = EPOCH_US
        self._random = Random(seed)
        events = self.act(demo.genesis())
        self.uids = {event.name: event.uid for event in events if isinstance(event, OwnerCreated)}
        self.act(demo.funding(self.uids))
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        self.agents = Agents(self.engine, seed, starts)
        self.act(self.agents.founding())
        self.act(self.agents.funding())

    def act(self, commands: list[Command]) -> list[Event]:
        """Apply commands at the story's time."""
        events: list[Event] = []
        for command in commands:
            command.time = self.time
            events += self.engine.apply(command)
        self.commands += commands
        return events

    def steps(self, count: int) -> Iterator[list[Command]]:
        """The commands of each step: the agents', and now and then some of the owners'."""
        for _ in range(count):
            self.time += STEP_US
            before = len(self.commands)
            self.act(self.agents.step())
            self.act(self._owners())
            yield self.commands[before:]

    def _owners(self) -> list[Command]:
        random = self._random
        uid = self.uids[random.choice(["alice", "bob"])]
        market = self.engine.spot.markets[random.choice(["BTCUSDT", "ETHUSDT", "SOLUSDT"])]
        price = (market.last_price or 100_000) * random.randint(95, 105) // 100
        client_id = f"story-{random.randint(1, 400)}"
        quantity = random.randint(10, 500)
        kind = random.randrange(8)
        if kind == 0:
            return [CancelOrders(uid, market.symbol)]
        if kind == 1:
            return [Tick()]
        if kind == 2:
            return [Transfer(uid, 0, 2, "USDT", random.randint(1, 10**9))]
        side, tif = random.randrange(2), random.randrange(4)
        return [PlaceOrder(uid, market.symbol, side, 0, tif, quantity, price, client_id)]


def told(seed: int, steps: int) -> str:
    """The state hash at the end of a story."""
    story = Story(seed)
    for _ in story.steps(steps):
        pass
    return state_hash(story.engine)


if __name__ == "__main__":
    sys.stdout.write(f"{told(int(sys.argv[1]), int(sys.argv[2]))}\n")
