"""A symbol's book by levels: price to lots, with an update id."""

from __future__ import annotations

from bisect import bisect_left, insort

from venue.node.market_data.records import Depth, Top
from venue.vocabulary import BUY


class DepthHalf:
    """One side. Keys ascend towards the best price, so the best is always `keys[-1]`."""

    __slots__ = ("keys", "lots", "sign")

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.keys: list[int] = []
        self.lots: dict[int, int] = {}

    def add(self, price: int, lots: int) -> None:
        """Change the level at `price` by `lots` (negative: less); an empty level goes away."""
        key = price * self.sign
        total = self.lots.get(key, 0) + lots
        assert total >= 0, (price, lots, total)
        if total == 0:
            del self.lots[key]
            del self.keys[bisect_left(self.keys, key)]
            return
        if key not in self.lots:
            insort(self.keys, key)
        self.lots[key] = total

    def best(self, limit: int) -> list[tuple[int, int]]:
        """Return the best `limit` levels, best first."""
        return [(key * self.sign, self.lots[key]) for key in self.keys[: -limit - 1 : -1]]


class Levels:
    """Both sides of one symbol by levels."""

    __slots__ = ("_asks", "_bids", "_sequence", "update_id")

    def __init__(self) -> None:
        self.update_id = 0
        self._sequence = 0
        self._bids = DepthHalf(1)
        self._asks = DepthHalf(-1)

    def add(self, sequence: int, side: int, price: int, lots: int) -> None:
        """Change a level by `lots`, in the command `sequence`; negative lots are removed from the
        book."""
        if sequence != self._sequence:
            self._sequence = sequence
            self.update_id += 1
        half = self._bids if side == BUY else self._asks
        half.add(price, lots)

    def depth(self, limit: int) -> Depth:
        """Return the best `limit` levels of each side."""
        return Depth(self.update_id, self._bids.best(limit), self._asks.best(limit))

    def top(self) -> Top:
        """Return the best level of each side."""
        bids = self._bids.best(1)
        asks = self._asks.best(1)
        return Top(self.update_id, *(bids[0] if bids else (0, 0)), *(asks[0] if asks else (0, 0)))

    def dump(self) -> Depth:
        """Return everything, for `restore`."""
        return self.depth(max(len(self._bids.keys), len(self._asks.keys), 1))

    def restore(self, depth: Depth) -> None:
        """Replace everything by a dump."""
        self.update_id = depth.update_id
        self._sequence = 0
        self._bids = _half(1, depth.bids)
        self._asks = _half(-1, depth.asks)


def _half(sign: int, levels: list[tuple[int, int]]) -> DepthHalf:
    half = DepthHalf(sign)
    half.keys = [price * sign for price, _ in reversed(levels)]
    half.lots = {price * sign: lots for price, lots in levels}
    return half
