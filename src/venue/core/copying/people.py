"""The records of copy trading: leads, followers and their copies."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from venue.core.contract.records import Holding, Perpetual, Position
from venue.core.ledger.accounts import Account
from venue.core.messages.copy_commands import CopyConfig
from venue.vocabulary import OPEN_ORDERS_PER_ACCOUNT_MAX

FOLLOWERS_MAX: Final = 1_000  # of a lead at a time
FOLLOWS_MAX: Final = 20  # leads of a follower at a time
CONFIGS_MAX: Final = 100
GONE: Final = -1  # a copy's `again` when it is not tried again
IN_LINE: Final = 0
COUNTED_MAX: Final = 2 * OPEN_ORDERS_PER_ACCOUNT_MAX  # of a lead's orders; no more are open


class Track:
    """A lead's position that is copied, identified by the position's id.

    `quantity` is the position's size in lots according to the events so far. `order_id` is the
    newest order that opened a part of it, `first_order_id` the first that was seen. `followers`
    counts the followers that copied it. `rows` are the copies in the order of following: (its
    number, the copy's). `position` is None when it has ended.
    """

    __slots__ = ("copies", "first_order_id", "followers", "number", "order_id", "perp", "position",
                 "quantity", "rows", "side")  # fmt: skip

    def __init__(self, number: int, perp: Perpetual, side: int, position: Position | None) -> None:
        self.number = number
        self.perp = perp
        self.side = side
        self.position = position
        self.quantity = 0
        self.order_id = 0
        self.first_order_id = 0
        self.followers = 0
        self.copies: dict[int, Copy] = {}
        self.rows: list[tuple[int, int]] = []


class Lead:
    """A lead trader and its terms; `followers` are the numbers of its active followings, ascending.

    When it is not `active`, nobody can start to follow it, and openings are no longer copied.
    `counted` are the orders whose openings were copied: `amount` counts each of them once.
    """

    __slots__ = ("active", "asset", "counted", "followers", "holding", "share_ppm", "symbols",
                 "third_ppm", "third_uid", "tracks")  # fmt: skip

    def __init__(self, holding: Holding, asset: int) -> None:
        self.holding = holding
        self.asset = asset
        self.active = True
        self.share_ppm = 0
        self.third_uid = 0
        self.third_ppm = 0
        self.symbols: list[str] = []
        self.tracks: dict[int, Track] = {}
        self.followers: list[int] = []
        self.counted: dict[int, bool] = {}

    @property
    def account(self) -> Account:
        """The account of its owner."""
        return self.holding.account

    def covers(self, perp: Perpetual) -> bool:
        """Return whether positions in a contract are copied."""
        return perp.asset == self.asset and (not self.symbols or perp.symbol in self.symbols)

    def count(self, order_id: int) -> bool:
        """Count an order that opens; return whether it is new. Ended orders, which fill no more,
        are remembered up to a limit."""
        if order_id in self.counted:
            return False
        if len(self.counted) >= COUNTED_MAX:
            orders = self.holding.orders
            self.counted = {number: True for number in self.counted if number in orders}
        self.counted[order_id] = True
        return True

    def next_follower(self, number: int) -> int:
        """Return the first follower from this number on, 0: none."""
        place = bisect_left(self.followers, number)
        return self.followers[place] if place < len(self.followers) else 0


class CopiedPosition:
    """A follower's position with its copies, oldest first; `lots` are theirs.

    `quantity` is its size according to the events so far.
    """

    __slots__ = ("copies", "lots", "position", "quantity")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.quantity = position.quantity
        self.lots = 0
        self.copies: list[Copy] = []


class Copy:
    """The part of a follower's position that copies one of a lead's.

    `lots` are open, at an open value of `value` and a fee of `fee` atoms; `due` of them must be
    closed because the lead has closed. The sums are of the copy's whole life. Closing it has failed
    `tries` times and is tried `again` at that time (µs), in turn (IN_LINE), or not at all (GONE).
    """

    __slots__ = ("again", "close_fee", "close_value", "created", "due", "fee", "following",
                 "leverage", "lots", "number", "open_fee", "open_size", "open_value",
                 "order_id", "paid", "realized", "track", "tracked", "tries", "updated",
                 "value")  # fmt: skip

    def __init__(
        self, number: int, following: Following, track: Track, tracked: CopiedPosition, time: int
    ) -> None:
        self.number = number
        self.following = following
        self.track = track
        self.tracked = tracked
        self.created = time
        self.updated = time
        self.order_id = 0
        self.leverage = tracked.position.leverage
        self.lots = 0
        self.value = 0
        self.fee = 0
        self.due = 0
        self.open_size = 0
        self.open_value = 0
        self.open_fee = 0
        self.close_value = 0
        self.close_fee = 0
        self.realized = 0
        self.paid = 0
        self.tries = 0
        self.again = GONE

    def know(self) -> None:
        """Add the copy to its position, to the lead's position and to its following."""
        self.tracked.copies.append(self)
        self.tracked.lots += self.lots
        self.track.copies[self.number] = self
        insort(self.track.rows, (self.following.number, self.number))
        self.following.copies[self.number] = self

    def forget(self) -> None:
        """Remove the copy from its position, from the lead's position and from its following."""
        self.tracked.copies.remove(self)
        del self.track.copies[self.number]
        rows = self.track.rows
        del rows[bisect_left(rows, (self.following.number, self.number))]
        del self.following.copies[self.number]


class OpenCopies:
    """The sums of a pair's open copies in one contract, so that no question iterates over them.

    `value` is their open value; `lots` and `cost` are their lots and open value with the signs of
    their sides; `fee` is the fees of their openings. All but lots are atoms.
    """

    __slots__ = ("cost", "fee", "lots", "perp", "value")

    def __init__(self, perp: Perpetual) -> None:
        self.perp = perp
        self.value = 0
        self.lots = 0
        self.cost = 0
        self.fee = 0

    def result(self) -> int:
        """Return the result of closing all at mark, without the fees of closing."""
        mark = self.perp.mark
        return (mark * self.perp.unit * self.lots - self.cost if mark else 0) - self.fee


class Following:
    """One pair of follower and lead; it stays after the follower stops, for its open copies.

    In atoms: `net` is the result of the closes so far, after fees; `high` the high-water mark up to
    which the lead was paid; `prepaid` the follower's money in the commission account; `today` the
    result since the last settlement. `held` are the open copies by contract ordinal.
    """

    __slots__ = ("active", "configs", "copies", "created", "held", "high", "holding", "lead", "net",
                 "number", "prepaid", "share_ppm", "today", "unified")  # fmt: skip

    def __init__(self, number: int, holding: Holding, lead: Lead, time: int) -> None:
        self.number = number
        self.holding = holding
        self.lead = lead
        self.active = False
        self.unified = True
        self.configs: list[CopyConfig] = []
        self.share_ppm = lead.share_ppm
        self.copies: dict[int, Copy] = {}
        self.held: dict[int, OpenCopies] = {}
        self.net = 0
        self.high = 0
        self.prepaid = 0
        self.today = 0
        self.created = time

    @property
    def account(self) -> Account:
        """The account of its owner."""
        return self.holding.account

    def config(self, symbol: str) -> CopyConfig | None:
        """Return how this symbol is copied; None: it is not."""
        for config in self.configs:
            if config.symbol == symbol:
                return config
            if not config.symbol and (not config.symbols or symbol in config.symbols):
                return config
        return None

    def hold(self, track: Track, lots: int, value: int, fee: int) -> None:
        """Add a part of a copy to the sums, or (negative) subtract it: its lots, open value and
        opening fee."""
        perp = track.perp
        held = self.held.get(perp.ordinal)
        if held is None:
            held = self.held[perp.ordinal] = OpenCopies(perp)
        held.value += value
        held.lots += track.side * lots
        held.cost += track.side * value
        held.fee += fee
        if not held.value:
            del self.held[perp.ordinal]

    def held_in(self, perp: Perpetual) -> int:
        """Return the open value of the copies in a contract."""
        held = self.held.get(perp.ordinal)
        return 0 if held is None else held.value

    def open_loss(self) -> int:
        """Return the loss of all open copies together at mark, with their opening fees; at most 0:
        gains do not count before they are closed."""
        return min(0, sum([held.result() for held in self.held.values()]))


class Trader:
    """One owner's role in copy trading: a lead, or a follower, never both.

    `followings` are by the lead's uid, `tracked` by position id.
    """

    __slots__ = ("followings", "lead", "tracked")

    def __init__(self) -> None:
        self.lead: Lead | None = None
        self.followings: dict[int, Following] = {}
        self.tracked: dict[int, CopiedPosition] = {}


class Echo:
    """A lead's fills of one command that its followers still have to repeat.

    Opening: `lots` for `amount` atoms, at `share_ppb` of the lead's money; `first` are an order's
    first fills. Closing: the position went from `before` to `after` lots. Repeating continues after
    (`number`, `copy_no`), up to the following `last`, the newest at the time of the fills.
    """

    __slots__ = ("after", "amount", "before", "copy_no", "first", "last", "lead", "lots", "number",
                 "opens", "share_ppb", "track")  # fmt: skip

    def __init__(self, lead: Lead, track: Track, last: int, *, opens: bool) -> None:
        self.lead = lead
        self.track = track
        self.opens = opens
        self.last = last
        self.first = False
        self.lots = 0
        self.amount = 0
        self.share_ppb = 0
        self.before = 0
        self.after = 0
        self.number = 0
        self.copy_no = 0
