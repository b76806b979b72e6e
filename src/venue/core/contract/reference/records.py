"""The records of reference prices: an index source's last price, a running funding settlement."""

from __future__ import annotations

from collections import deque


class Source:
    """The last price of one index source: `time` is when it was current; `price` 0: no price.

    `samples` are the (time, price) pairs of a book in the last seconds, oldest first; posted prices
    have none.
    """

    __slots__ = ("price", "samples", "time")

    def __init__(self, price: int, time: int) -> None:
        self.price = price
        self.time = time
        self.samples: deque[tuple[int, int]] = deque()


class Settlement:
    """A running funding settlement. Positions are settled in the order of their ids: those from
    `next` to `last`, the newest when it started, are still to be settled."""

    __slots__ = ("count", "due", "last", "mark", "next", "paid", "rate_ppb", "received")

    def __init__(self, due: int, rate_ppb: int, mark: int, last: int) -> None:
        self.due = due
        self.rate_ppb = rate_ppb
        self.mark = mark
        self.next = 0
        self.last = last
        self.count = 0
        self.paid = 0
        self.received = 0
