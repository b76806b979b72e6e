"""Prices that an operator of a practice venue sets for markets: held, or moving along a line.

They are settings of the venue, by contract, so they are journaled and outlive a restart. Agents
that act with time follow them.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from venue.core.engine import Engine

HELD: Final = "held"  # the only index source of a contract whose index is held
LASTING_US: Final = 1_000_000  # a line's end is followed so much longer: a step at least sees it


class Reference(Struct, frozen=True, array_like=True):
    """A line from `start` at `begin` to `target` at `end`: ticks of the contract, venue time in µs.

    With `sources` the index itself is held on the line until an operator releases it, and `sources`
    are the sources that it had before. Without them, agents follow the line until its end.
    """

    start: int
    target: int
    begin: int
    end: int
    sources: tuple[str, ...] = ()

    def price(self, time: int) -> int:
        """Return the line's price at a venue time, in ticks."""
        if time >= self.end:
            return self.target
        passed = max(0, time - self.begin)
        return self.start + (self.target - self.start) * passed // (self.end - self.begin)

    def text(self) -> str:
        """Return the reference as the text of the venue's setting."""
        return msgspec.json.encode(self).decode()


def setting(symbol: str) -> str:
    """Return the name of the setting that holds a contract's reference; an empty setting means
    none."""
    return f"reference {symbol}"


class References:
    """The references of an engine's contracts."""

    __slots__ = ("_engine", "_names", "_read")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: dict[str, str] = {}  # of the settings, by contract
        self._read: dict[
            str, tuple[str, Reference]
        ] = {}  # by contract: a setting, and its reference

    def of(self, symbol: str) -> Reference | None:
        """Return the last reference of a contract, be it over or not; None: it never had one."""
        name = self._names.get(symbol)
        if name is None:
            name = self._names[symbol] = setting(symbol)
        text = self._engine.settings.get(name)
        if not text:
            return None
        read = self._read.get(symbol)
        if read is None or read[0] != text:
            read = self._read[symbol] = text, msgspec.json.decode(text, type=Reference)
        return read[1]

    def price(self, symbol: str) -> int:
        """Return the price that agents follow now, in ticks; 0 when there is none."""
        found = self.of(symbol)
        if found is None:
            return 0
        time = self._engine.time
        if not (found.sources or time <= found.end + LASTING_US):
            return 0
        return found.price(time)

    def held_reference(self, symbol: str) -> Reference | None:
        """Return the reference on which a contract's index is held; None when it is not held."""
        if self._engine.perps[symbol].contract.index_sources != (HELD,):
            return None
        found = self.of(symbol)
        return found if found is not None and found.sources else None
