"""Holds an index: posts its price when it differs, and again before it gets stale."""

from __future__ import annotations

from venue.core.engine import Engine
from venue.core.messages.commands import Command, PostIndex
from venue.lab.agents.contract import POST_US
from venue.node.references import HELD, References


class AgentHolding:
    """Posts the index of each contract whose index is held."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._references = References(engine)

    def acts(self) -> bool:
        """Return whether there is anything to do."""
        return any(self._references.held_reference(symbol) for symbol in self._engine.perps)

    def step(self, now: int) -> list[Command]:
        """Return no commands: only indexes are posted."""
        return self.posts(now)

    def posts(self, now: int) -> list[Command]:
        """Return the posts that are due at venue time `now` (µs)."""
        posts: list[Command] = []
        for symbol, perp in self._engine.perps.items():
            reference = self._references.held_reference(symbol)
            if reference is None or perp.settles():
                continue
            price = reference.price(now)
            told = perp.sources.get(HELD)
            if told is None or told.price != price or now - told.time >= POST_US:
                posts.append(PostIndex(symbol, HELD, price))
        return posts
