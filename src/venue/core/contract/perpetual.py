"""One listed contract at work: its book, prices, positions, funding and what waits for its mark."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from venue.core.book.market import Market
from venue.core.contract.account import Terms
from venue.core.contract.ended import Ended
from venue.core.contract.margin import Tiers
from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.position import Position
from venue.core.instruments import Contract, funding_cap_most

if TYPE_CHECKING:
    from venue.core.contract.conditional import Algo

LEVERAGE_DEFAULT: Final = 20

Waiting = tuple[int, int, "Algo"]  # (key, algo id, algo)


class Source:
    """The last price of one index source: `time` is when that was current, a `price` of 0 is none.

    `samples` are a book's (time, price) of the last seconds, oldest first; posted prices have none.
    """

    __slots__ = ("price", "samples", "time")

    def __init__(self, price: int, time: int) -> None:
        self.price = price
        self.time = time
        self.samples: deque[tuple[int, int]] = deque()


class Settlement:
    """A funding settlement under way. Positions are settled in the order of their ids: those from
    `next` to `last`, the newest when it began, are still to be."""

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


class Perpetual:
    """A contract market. `unit` is one tick x lot in atoms of the settle asset `asset`.

    `index_price` and `mark` are ticks, 0 before there is one. `current` says that the index has a
    current source; it last had one at `seen_time`, and last moved at `index_time` (µs).
    `doubt` says that the price is not one to open positions at: orders may only reduce (rule 5.14).
    Until `wait_until` it is not, as the index was without a source for long.
    `premium_sum` is of the funding interval's samples in ppb, `premiums` are the newest of them.
    `due` is the next funding time that has not come. `positions` are by id, `ids` are their ids.
    """

    __slots__ = (
        "asset",
        "contract",
        "current",
        "doubt",
        "due",
        "due_algos",
        "ended_algos",
        "funding_cap_ppb",
        "ids",
        "index_price",
        "index_time",
        "last_due",
        "last_rate_ppb",
        "mark",
        "market",
        "open_interest",
        "open_interest_max",
        "ordinal",
        "position_max",
        "positions",
        "premium_count",
        "premium_ppb",
        "premium_sum",
        "premium_time",
        "premiums",
        "seen_time",
        "settlement",
        "sources",
        "symbol",
        "tiers",
        "trailing",
        "unit",
        "wait_until",
        "waiting",
    )

    def __init__(self, contract: Contract, market: Market[Terms], ordinal: int, time: int) -> None:
        self.market = market
        self.symbol = market.symbol
        self.ordinal = ordinal
        self.asset = market.quote
        self.unit = market.unit_atoms
        self.index_price = 0
        self.mark = 0
        self.current = False
        self.doubt = True
        self.index_time = 0
        self.seen_time = 0
        self.wait_until = 0
        self.sources: dict[str, Source] = {}
        self.premiums: deque[int] = deque()
        self.premium_ppb = 0
        self.premium_sum = 0
        self.premium_count = 0
        self.premium_time = 0
        self.last_rate_ppb = 0
        self.last_due = time
        self.due = 0
        self.settlement: Settlement | None = None
        self.positions: dict[int, Position] = {}
        self.ids: OrderedRows[tuple[int]] = OrderedRows()
        self.open_interest = 0
        # What waits, by key: last rising, last falling, mark rising, mark falling.
        self.waiting: list[OrderedRows[Waiting]] = [
            OrderedRows(),
            OrderedRows(),
            OrderedRows(),
            OrderedRows(),
        ]
        self.trailing: dict[int, Algo] = {}
        # Those whose price has come and whose turn has not, each with its version then.
        self.due_algos: deque[tuple[int, Algo]] = deque()
        self.ended_algos: Ended[Algo] = Ended()  # those with client ids, for a day
        self.configure(contract)

    def default_leverage(self) -> int:
        """The leverage of owners who have not chosen one."""
        return min(LEVERAGE_DEFAULT, self.tiers.leverages[0])

    def add(self, position: Position) -> None:
        """Know a position of this contract."""
        self.positions[position.position_id] = position
        self.ids.add((position.position_id,))

    def drop(self, position: Position) -> None:
        """Forget a position that has ended."""
        del self.positions[position.position_id]
        self.ids.remove((position.position_id,))

    def configure(self, contract: Contract) -> None:
        """Take over the contract's limits, tiers and fees."""
        self.contract = contract
        self.position_max = contract.position_max
        self.open_interest_max = contract.open_interest_max
        # Contracts of earlier versions may say more.
        self.funding_cap_ppb = min(contract.funding_cap_ppb, funding_cap_most(contract))
        self.tiers = Tiers(contract.tiers)
        self.market.configure(contract.instrument)
