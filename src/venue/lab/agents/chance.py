"""Whole numbers by chance, as `random.Random` draws them, at a third of the cost."""

from __future__ import annotations

from random import Random


class Chance:
    """The numbers that a generator goes on to, which stay those of its `randrange`."""

    __slots__ = ("_bits",)

    def __init__(self, random: Random) -> None:
        self._bits = random.getrandbits

    def below(self, end: int) -> int:
        """From 0 to `end` - 1, all alike."""
        width = end.bit_length()
        found = self._bits(width)
        while found >= end:
            found = self._bits(width)
        return found

    def between(self, first: int, last: int) -> int:
        """From `first` to `last`, all alike."""
        return first + self.below(last - first + 1)
