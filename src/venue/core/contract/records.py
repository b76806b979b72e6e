"""The records of the contract side: contracts, pools, positions, owners, orders' terms.

They point at each other, so they stand in one module. Rules of more than one record stand
elsewhere.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from venue.core.book.book import NO_ASK, Market, Order
from venue.core.contract.conditional.trailing import Trailing
from venue.core.contract.ended import EndedItems
from venue.core.contract.margin import Tiers
from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.reference.records import Settlement, Source
from venue.core.contract.safe_terms import (
    fee_most,
    funding_cap_most,
    index_step_most,
    position_most,
    price_highest,
    price_least,
    with_rate,
)
from venue.core.contract.terms_change import DelistingTerms, TermsChange
from venue.core.instruments import Contract
from venue.core.ledger.accounts import Account, Cash
from venue.core.messages.commands import NO_EXIT, Exit
from venue.vocabulary import ALGO_UNTRIGGERED, BUY, COMBINED, CROSSED, LONG

LEVERAGE_DEFAULT: Final = 20
UNKNOWN: Final = -1

Waiting = tuple[int, int, "Algo"]  # (key, algo id, algo)


class Perpetual:
    """A contract market. `unit` is one tick x lot in atoms of the settle asset `asset`.

    `index_price` and `mark` are ticks, 0 before there is one. `current` says that the index has a
    current source; it last had one at `seen_time`, and last moved at `index_time` (µs).
    `doubt` says that no position may be opened at the price: orders only reduce (rule 5.14).
    It is in doubt until it `reopens` (0 in its market hours), until `wait_until` after the index
    was long without a source, and while the best prices of its `spot` book are outside
    `spot_lowest` to `spot_highest`, or a side is empty and no other source is there (`spot_alone`).
    `was_unknown`: it was in doubt or halted when last looked at; so many orders are `recalled`.
    `premium_sum` is of the funding interval's samples in ppb, `premiums` are the newest of them.
    `due` is the next funding time that has not come. `positions` are by id, `ids` are their ids.
    `trigger_last` is the price of its last trade at which openings could trade too, in ticks: last
    price triggers are compared with it (rule 8.2).
    `price_least` and `price_highest` bound the marks at which it opens positions, `position_max`
    the lots of one owner and side; `least_ppm` is the lowest first maintenance rate of a position
    (rule 1.6), `leverage_most` the greatest leverage. A `change` of terms is under way; `former`
    are the positions that changes left on former tiers, in the turn in which they are tried again,
    until `former_end` (rule 1.7). `delisted` is its end (rule 1.8).
    """

    __slots__ = ("asset", "change", "contract", "current", "delisted", "doubt", "due", "due_algos",
                 "ended_algos", "former", "former_end", "funding_cap_ppb", "ids", "index_price",
                 "index_step_ppm", "index_time", "last_due", "last_rate_ppb", "least_ppm",
                 "leverage_most", "mark", "market", "open_interest", "open_interest_max",
                 "ordinal", "position_max", "positions", "premium_count", "premium_ppb",
                 "premium_sum", "premium_time", "premiums", "price_highest", "price_least",
                 "recalled", "reopens", "seen_time", "settlement", "sources", "spot", "spot_alone",
                 "spot_highest", "spot_lowest", "symbol", "tiers", "trailing", "trigger_last",
                 "unit", "wait_until", "waiting", "was_unknown")  # fmt: skip

    def __init__(self, contract: Contract, market: Market[Terms], ordinal: int, time: int) -> None:
        self.market = market
        self.symbol = market.symbol
        self.ordinal = ordinal
        self.asset, self.unit = market.quote, market.unit_atoms
        self.index_price = self.mark = self.trigger_last = 0
        self.current, self.doubt = False, True
        self.index_time = self.seen_time = self.wait_until = self.reopens = 0
        self.was_unknown, self.recalled = True, 0
        self.sources: dict[str, Source] = {}
        self.spot: Market[Any] | None = None
        self.spot_lowest, self.spot_highest, self.spot_alone = 0, NO_ASK, False
        self.premiums: deque[int] = deque()
        self.premium_ppb = self.premium_time = 0
        self.premium_sum = self.premium_count = 0
        self.last_rate_ppb = self.open_interest = 0
        self.last_due, self.due = time, 0
        self.settlement: Settlement | None = None
        self.positions: dict[int, Position] = {}
        self.ids: OrderedRows[tuple[int]] = OrderedRows()
        # Waiting conditional orders by key: last rising, last falling, mark rising, mark falling.
        self.waiting: list[OrderedRows[Waiting]] = [OrderedRows() for _ in range(4)]
        self.trailing: Trailing[Algo] = Trailing()
        # Orders whose price has come and whose turn has not, each with its version then.
        self.due_algos: deque[tuple[int, Algo]] = deque()
        self.ended_algos: EndedItems[Algo] = EndedItems()  # those with client ids, for a day
        self.change: TermsChange | None = None
        self.former: dict[int, Position] = {}
        self.former_end = self.leverage_most = 0
        self.delisted: DelistingTerms | None = None
        self.tiers = Tiers(contract.tiers)
        self.configure(contract)

    def default_leverage(self) -> int:
        """Return the leverage of owners who have not chosen one."""
        return min(LEVERAGE_DEFAULT, self.tiers.leverages[0])

    def settles(self) -> bool:
        """Return whether it settles at a fixed price, or has settled (rule 1.8)."""
        return self.delisted is not None and self.delisted.price > 0

    def shut(self) -> bool:
        """Return whether nobody can close a position: halted, and without a price to settle at."""
        return self.market.halted and not self.settles()

    def refuses_opening(self) -> bool:
        """Return whether nothing may be opened since the last tick: doubt, or mark too far off."""
        return self.doubt or self.outside()

    def outside(self) -> bool:
        """Return whether its terms do not fit its mark (rule 1.6)."""
        return not self.price_least <= self.mark <= self.price_highest

    def tiers_differ(self) -> bool:
        """Return whether positions may have other than the present tiers: former ones, or those
        before a running change (rule 1.7)."""
        return self.change is not None or len(self.former) > 0

    def in_doubt(self) -> bool:
        """Return whether nothing may be opened at its price, by a tick or since (rule 5.14)."""
        spot = self.spot
        if self.doubt or spot is None:
            return self.doubt
        book = spot.book
        if book.bid > self.spot_highest or book.ask < self.spot_lowest:
            return True
        return self.spot_alone and (not book.bid or book.ask == NO_ASK)

    def add(self, position: Position) -> None:
        """Register a position of this contract."""
        self.positions[position.position_id] = position
        self.ids.add((position.position_id,))

    def drop(self, position: Position) -> None:
        """Remove a position that has ended."""
        del self.positions[position.position_id]
        self.ids.remove((position.position_id,))
        self.former.pop(position.position_id, None)

    def configure(self, contract: Contract) -> None:
        """Apply the contract's limits, tiers and fees."""
        self.contract = contract
        self.position_max = position_most(contract)
        self.open_interest_max = contract.open_interest_max
        self.price_highest = price_highest(contract, self.unit)
        if contract.tiers != self.tiers.listed:
            self.tiers = Tiers(contract.tiers)
        self.market.configure(contract.instrument)
        lowest = self.tiers.rates[0]
        self.limit_by_rate(min(lowest, self.least_ppm) if self.positions else lowest)
        self.leverage_most = max(contract.leverage_max, self.leverage_most if self.positions else 0)

    def limit_by_rate(self, least_ppm: int) -> None:
        """Limit fees, steps and caps to what this maintenance rate allows (rule 1.7)."""
        self.least_ppm = least_ppm
        held = with_rate(self.contract, least_ppm)
        self.funding_cap_ppb = min(held.funding_cap_ppb, funding_cap_most(held))
        self.index_step_ppm = min(held.index_step_ppm, index_step_most(held))
        self.price_least = price_least(self.contract)
        self.market.bound_fees(fee_most(held))


class Pool:
    """The positions that share one `cash` of an owner, and their margins (rule 5.5).

    `position_id` is 0 for the cross pool of an asset, otherwise the id of its isolated position.
    `gross` sums the positions' open values without sign. The watch over pools (rule 7.7) uses
    `dirty`, `guards`, `shortfall` (the key in the liquidation queue, -1: not queued) and `since`
    (the place in the list of pools that cannot be closed). `sums`: the other sums, None while
    unknown.
    """

    __slots__ = ("account", "asset", "cash", "dirty", "gross", "guards", "holding", "position_id",
                 "positions", "shortfall", "since", "sums")  # fmt: skip

    def __init__(self, holding: Holding, cash: Cash, position_id: int) -> None:
        self.holding = holding
        self.account = holding.account
        self.cash = cash
        self.asset = cash.asset
        self.position_id = position_id
        self.gross = 0
        self.sums: Sums | None = None
        self.positions: list[Position] = []
        self.dirty = False
        self.guards: list[tuple[int, int, int]] = []  # contract ordinal, direction, key
        self.shortfall = -1  # with which it stands in line for its liquidation; -1: it does not
        self.since = 0  # since when nobody can help it, as a running number; 0: it needs no help


class Sums:
    """The sums of a pool's positions at the marks of their contracts, in atoms.

    `value` is the sum of s x q x M, `cost` that of s x open value; `initial` and `maintenance` are
    their margins, the latter UNKNOWN until it is asked for. `free` is the available money
    that they add to the collateral: the lower of value and cost, less initial margins. It was
    computed at the `mark` of `perp`, and for positions in several contracts at the marks of
    `others`.
    """

    __slots__ = ("cost", "free", "initial", "maintenance", "mark", "others", "perp", "value")

    def __init__(self, perp: Perpetual) -> None:
        self.perp = perp
        self.others: tuple[tuple[Perpetual, int], ...] = ()
        self.mark = UNKNOWN
        self.value = 0
        self.cost = 0
        self.initial = 0
        self.maintenance = UNKNOWN
        self.free = 0


class Position:
    """One position: `quantity` lots, `value` its open value in atoms, `side` +1 long, -1 short.

    `base` is the value that a separated one stands on (rule 5.8): that of its owner's other
    positions on its side when lots were last added, in atoms at mark.
    `tiers` are those whose margins it must keep: the contract's, or former ones (rule 1.7).
    `orders` are the closing orders on it, oldest first, `closing` the lots they still hold;
    `algos` the conditional orders that close it. `funded` is the due time of the last funding
    settlement it took part in, or that was due when it was opened. `rank` is its key in the ADL
    ranking, 0 outside it; `passed` the key and id of the last opposite position that was asked in
    vain to take it over (rule 7.5). The sums are its life's.
    """

    __slots__ = ("algos", "auto_margin", "base", "close_fee", "close_size", "close_value",
                 "closing", "created", "created_sequence", "funded", "funding_fee", "leverage",
                 "liquidate_fee", "open_fee", "open_order_id", "open_size", "open_value", "orders",
                 "passed", "perp", "pool", "position_id", "quantity", "rank", "realized",
                 "separated", "side", "tiers", "updated", "updated_sequence", "value")  # fmt: skip

    def __init__(
        self, position_id: int, perp: Perpetual, side: int, pool: Pool, leverage: int, time: int
    ) -> None:
        self.position_id = position_id
        self.perp = perp
        self.tiers = perp.tiers
        self.side = side
        self.pool = pool
        self.leverage = leverage
        self.separated = False
        self.open_order_id = 0
        self.auto_margin = False
        self.base = 0
        self.quantity = 0
        self.value = 0
        self.open_value = 0
        self.orders: dict[int, Order[Terms]] = {}
        self.closing = 0
        self.algos: dict[int, Algo] = {}
        self.funded = 0
        self.rank = 0
        self.passed = (0, 0)
        self.open_size = self.open_fee = 0
        self.close_size = self.close_value = self.close_fee = 0
        self.funding_fee = 0
        self.liquidate_fee = 0
        self.realized = 0
        self.created = time
        self.updated = time
        self.created_sequence = 0
        self.updated_sequence = 0

    def free_lots(self) -> int:
        """Lots that no closing order holds yet (rule 5.1)."""
        return self.quantity - self.closing


class Totals:
    """The lots and the open value of separated positions of one owner, contract and side."""

    __slots__ = ("lots", "value")

    def __init__(self) -> None:
        self.lots = self.value = 0


class Modes:
    """An owner's choices in one contract (rule 5.7), its open orders there, the lots of its opening
    orders, and its positions by side. `total_long` and `total_short` are of the separated ones;
    `pool` is the cross pool that pays for them."""

    __slots__ = ("cross", "long", "longs", "margin_mode", "open_orders", "opening_long",
                 "opening_short", "perp", "pool", "separated", "short", "shorts", "total_long",
                 "total_short")  # fmt: skip

    def __init__(self, perp: Perpetual, pool: Pool, leverage: int) -> None:
        self.perp = perp
        self.pool = pool
        self.margin_mode = CROSSED
        self.separated = COMBINED
        self.cross = self.long = self.short = leverage
        self.open_orders = self.opening_long = self.opening_short = 0
        self.total_long, self.total_short = Totals(), Totals()
        self.longs: list[Position] = []
        self.shorts: list[Position] = []

    def standard(self, leverage: int) -> bool:
        """Return whether all choices are the defaults of a new owner, at this default leverage."""
        return (
            self.margin_mode == CROSSED
            and self.separated == COMBINED
            and self.cross == self.long == self.short == leverage
        )

    def positions(self, side: int) -> list[Position]:
        """Return the positions of one side; at most one while they are combined."""
        return self.longs if side == LONG else self.shorts

    def totals(self, side: int) -> Totals:
        """Return the totals of one side's separated positions."""
        return self.total_long if side == LONG else self.total_short

    def leverage(self, side: int) -> int:
        """Return the leverage of a new position of this side."""
        if self.margin_mode == CROSSED:
            return self.cross
        return self.long if side == LONG else self.short


class Holding:
    """One owner's contract side. `modes` are by contract ordinal, `isolated` pools by position id.

    Fee rates of -1 mean the symbol's own. `clients` and `algo_clients` hold open orders and those
    of the last day.
    """

    __slots__ = ("account", "algo_clients", "algos", "clients", "crosses", "isolated", "maker_ppm",
                 "modes", "orders", "positions", "taker_ppm")  # fmt: skip

    def __init__(self, account: Account) -> None:
        self.account = account
        self.crosses = [Pool(self, cash, 0) for cash in account.contract]
        self.isolated: dict[int, Pool] = {}
        self.orders: dict[int, Order[Terms]] = {}
        self.clients: dict[str, Order[Terms]] = {}
        self.positions: dict[int, Position] = {}
        self.modes: dict[int, Modes] = {}
        self.algos: dict[int, Algo] = {}
        self.algo_clients: dict[str, Algo] = {}
        self.maker_ppm = -1
        self.taker_ppm = -1

    def cross(self, asset: int) -> Pool:
        """Return the cross pool of an asset."""
        return self.crosses[asset]

    def add_asset(self) -> None:
        """Add a cross pool of the newest asset."""
        self.crosses.append(Pool(self, self.account.contract[-1], 0))

    def pools(self) -> list[Pool]:
        """Return its pools: the cross pools by asset, then the isolated ones."""
        return [*self.crosses, *self.isolated.values()]

    def pools_in(self, asset: int) -> list[Pool]:
        """Return its pools of one asset, the cross pool first."""
        isolated = [pool for pool in self.isolated.values() if pool.asset == asset]
        return [self.cross(asset), *isolated]

    def isolate(self, asset: int, position_id: int) -> Pool:
        """Create a pool for an isolated position."""
        cash = self.account.isolated[position_id] = Cash(asset)
        pool = self.isolated[position_id] = Pool(self, cash, position_id)
        return pool

    def drop(self, pool: Pool) -> None:
        """Remove an isolated pool that has nothing left."""
        self.isolated.pop(pool.position_id, None)
        self.account.isolated.pop(pool.position_id, None)

    def modes_in(self, perp: Perpetual) -> Modes:
        """Return the owner's modes in a contract, created when missing (defaults: no state)."""
        modes = self.modes.get(perp.ordinal)
        if modes is None:
            modes = self.modes[perp.ordinal] = self._default_modes(perp)
        return modes

    def modes_or_default(self, perp: Perpetual) -> Modes:
        """Return the owner's modes in a contract, for a question: defaults are not stored."""
        modes = self.modes.get(perp.ordinal)
        return self._default_modes(perp) if modes is None else modes

    def maker_rate(self, market: Market[Terms]) -> int:
        """Return the fee of resting orders, in ppm."""
        own = self.maker_ppm
        return market.maker_ppm if own < 0 else min(own, market.fee_most_ppm)

    def taker_rate(self, market: Market[Terms]) -> int:
        """Return the fee of orders that take, in ppm."""
        own = self.taker_ppm
        return market.taker_ppm if own < 0 else min(own, market.fee_most_ppm)

    def opening_rate(self, market: Market[Terms]) -> int:
        """Return the fee that an opening order must be able to pay, in ppm: take or rest."""
        maker, taker = self.maker_rate(market), self.taker_rate(market)
        return maker if maker > taker else taker

    def _default_modes(self, perp: Perpetual) -> Modes:
        return Modes(perp, self.cross(perp.asset), perp.default_leverage())


class Terms:
    """The terms that a contract order has beside its price and quantity.

    `pool` is its owner's cross pool. Of the `whole_margin` atoms that an opening order needs,
    `margin` are held there for what remains of it. An open order `closes` a position, or it opens
    one: `made` is the one it has made in SEPARATED mode. `asked_position` is the id that its owner
    named, 0 for none. `take_profit` and `stop_loss` are attached once it has opened something:
    `attached` are those of the position `exits_position`. `trimmed` lots were taken off a closing
    order because its position became smaller. Of one that closes on its owner's behalf `limit` is
    the worst price in ticks at which it may trade (0: any). It is `bounded` when its work ended
    before its lots (rule 3.13).
    """

    __slots__ = ("algo_id", "asked_position", "attached", "bounded", "cause", "closes",
                 "exits_position", "holding", "limit", "made", "margin", "modes", "opens", "perp",
                 "pool", "position_side", "stop_loss", "take_profit", "trimmed",
                 "whole_margin")  # fmt: skip

    def __init__(
        self, holding: Holding, modes: Modes, side: int, position_side: int, cause: int
    ) -> None:
        self.holding = holding
        self.perp: Perpetual = modes.perp
        self.pool: Pool = modes.pool
        self.modes = modes
        self.position_side = position_side
        self.opens = (side == BUY) == (position_side == LONG)
        self.cause = cause
        self.margin = self.whole_margin = self.trimmed = self.limit = 0
        self.bounded = False
        self.closes: Position | None = None
        self.made: Position | None = None
        self.asked_position = self.algo_id = 0
        self.take_profit: Exit | None = None
        self.stop_loss: Exit | None = None
        self.attached: tuple[Algo, ...] = ()
        self.exits_position = 0

    def position(self) -> Position | None:
        """Return the position that the order closes, or has opened."""
        return self.closes if self.closes is not None else self.made


class Algo:
    """One conditional order. `rising`: it triggers at or above its price, otherwise at or below.

    `position` is the one it closes, None for an order that opens. `quantity` 0 stands for the whole
    position; an attached exit has the lots that its parent has opened so far. `sibling` ends when
    this one is triggered. Of a trailing stop `extreme` is the best price since it became active (0:
    not yet), and its trigger price moves along. It waits in `queue` of its contract under `key`;
    -1: in none.
    """

    __slots__ = ("algo_id", "asked", "callback_ppm", "client_id", "extreme", "holding", "key",
                 "parent_id", "perp", "position", "position_side", "price", "quantity", "queue",
                 "rising", "sibling", "side", "source", "status", "stop_loss", "take_profit",
                 "time", "trigger_price", "type", "update_time", "version")  # fmt: skip

    def __init__(
        self, algo_id: int, holding: Holding, perp: Perpetual, side: int, position_side: int,
        type_: int, quantity: int, time: int,
    ) -> None:  # fmt: skip
        self.algo_id = algo_id
        self.holding = holding
        self.perp = perp
        self.side = side
        self.position_side = position_side
        self.type = type_
        self.quantity = quantity
        self.time = time
        self.update_time = time
        self.trigger_price = 0
        self.price = 0
        # Trigger price, price and source as they were placed.
        self.asked = (0, 0, 0)
        self.source = 0
        self.client_id = ""
        self.rising = False
        self.parent_id = 0
        self.position: Position | None = None
        self.sibling: Algo | None = None
        self.take_profit: Exit = NO_EXIT
        self.stop_loss: Exit = NO_EXIT
        self.callback_ppm = self.extreme = 0
        self.status = ALGO_UNTRIGGERED
        self.version = self.key = 0
        self.queue = -1
