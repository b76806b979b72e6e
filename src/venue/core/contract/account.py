"""An owner's contract side beside its collateral: modes, orders and their terms, positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venue.core.book.market import Market
from venue.core.book.orders import Order
from venue.core.contract.position import Position
from venue.core.ledger.accounts import Account, Pool
from venue.core.messages.commands import Exit
from venue.core.units import part_up
from venue.vocabulary import COMBINED, CROSSED, LONG

if TYPE_CHECKING:
    from venue.core.contract.conditional import Algo
    from venue.core.contract.perpetual import Perpetual


class Modes:
    """An owner's choices in one contract (rule 5.7), its open orders there, the lots of those that
    open, and its positions by side; `lots_long` and `lots_short` those of separated ones. `pool` is
    the cross pool that pays for them."""

    __slots__ = ("cross", "long", "longs", "lots_long", "lots_short", "margin_mode", "open_orders",
                 "opening_long", "opening_short", "perp", "pool", "separated", "short",
                 "shorts")  # fmt: skip

    def __init__(self, perp: Perpetual, pool: Pool, leverage: int) -> None:
        self.perp = perp
        self.pool = pool
        self.margin_mode = CROSSED
        self.separated = COMBINED
        self.cross = leverage
        self.long = leverage
        self.short = leverage
        self.open_orders = 0
        self.opening_long = 0
        self.opening_short = 0
        self.lots_long = 0
        self.lots_short = 0
        self.longs: list[Position] = []
        self.shorts: list[Position] = []

    def standard(self, leverage: int) -> bool:
        """Whether nothing differs from what owners start with at this default leverage."""
        return (
            self.margin_mode == CROSSED
            and self.separated == COMBINED
            and self.cross == self.long == self.short == leverage
        )

    def positions(self, side: int) -> list[Position]:
        """The positions of one side; at most one while they are combined."""
        return self.longs if side == LONG else self.shorts

    def lots(self, side: int) -> int:
        """The lots of one side's separated positions."""
        return self.lots_long if side == LONG else self.lots_short

    def count(self, side: int, lots: int) -> None:
        """Add lots to those of one side's separated positions, or take them off."""
        if side == LONG:
            self.lots_long += lots
        else:
            self.lots_short += lots

    def leverage(self, side: int) -> int:
        """The leverage of a new position of this side."""
        if self.margin_mode == CROSSED:
            return self.cross
        return self.long if side == LONG else self.short


class Holding:
    """One owner's contract side. Lists are by asset or by contract ordinal.

    Fee rates of -1 mean the symbol's own. `clients` and `algo_clients` hold open orders and those
    of the last day.
    """

    __slots__ = (
        "account",
        "algo_clients",
        "algos",
        "clients",
        "maker_ppm",
        "modes",
        "orders",
        "positions",
        "taker_ppm",
    )

    def __init__(self, account: Account) -> None:
        self.account = account
        self.orders: dict[int, Order[Terms]] = {}
        self.clients: dict[str, Order[Terms]] = {}
        self.positions: dict[int, Position] = {}
        self.modes: dict[int, Modes] = {}
        self.algos: dict[int, Algo] = {}
        self.algo_clients: dict[str, Algo] = {}
        self.maker_ppm = -1
        self.taker_ppm = -1

    def modes_in(self, perp: Perpetual) -> Modes:
        """The owner's modes in a contract; the defaults until it changes one."""
        modes = self.modes.get(perp.ordinal)
        return self._first_modes(perp) if modes is None else modes

    def maker_rate(self, market: Market[Terms]) -> int:
        """The fee of resting orders, in ppm."""
        return self.maker_ppm if self.maker_ppm >= 0 else market.maker_ppm

    def taker_rate(self, market: Market[Terms]) -> int:
        """The fee of orders that take, in ppm."""
        return self.taker_ppm if self.taker_ppm >= 0 else market.taker_ppm

    def opening_rate(self, market: Market[Terms]) -> int:
        """The fee that an opening order must be able to pay, in ppm: it may take, or rest."""
        maker = self.maker_ppm if self.maker_ppm >= 0 else market.maker_ppm
        taker = self.taker_ppm if self.taker_ppm >= 0 else market.taker_ppm
        return maker if maker > taker else taker

    def _first_modes(self, perp: Perpetual) -> Modes:
        pool = self.account.contract[perp.asset]
        modes = self.modes[perp.ordinal] = Modes(perp, pool, perp.default_leverage())
        return modes


class Terms:
    """What a contract order has beside its price and quantity.

    `pool` is its owner's cross pool. Of the `whole_margin` atoms that an opening order needs,
    `margin` are held there for what remains of it. An open order `closes` a position, or it opens
    one: `made` is the one it has made in SEPARATED mode. `take_profit` and `stop_loss` are attached
    once it has opened something: `attached` are those of the position `exits_position`. `trimmed`
    lots were taken off a closing order because its position became smaller.
    """

    __slots__ = (
        "algo_id",
        "attached",
        "cause",
        "closes",
        "exits_position",
        "holding",
        "made",
        "margin",
        "modes",
        "opens",
        "perp",
        "pool",
        "position_side",
        "stop_loss",
        "take_profit",
        "trimmed",
        "whole_margin",
    )

    def __init__(
        self, holding: Holding, modes: Modes, position_side: int, cause: int, *, opens: bool
    ) -> None:
        self.holding = holding
        self.perp: Perpetual = modes.perp
        self.pool: Pool = modes.pool
        self.modes = modes
        self.position_side = position_side
        self.opens = opens
        self.cause = cause
        self.margin = 0
        self.whole_margin = 0
        self.trimmed = 0
        self.closes: Position | None = None
        self.made: Position | None = None
        self.algo_id = 0
        self.take_profit: Exit | None = None
        self.stop_loss: Exit | None = None
        self.attached: tuple[Algo, ...] = ()
        self.exits_position = 0

    def position(self) -> Position | None:
        """The position that it closes, or has made."""
        return self.closes if self.closes is not None else self.made


def holding_of(account: Account) -> Holding:
    """An account's contract side, made when it is first needed."""
    holding = account.holding
    if holding is None:
        holding = account.holding = Holding(account)
    return holding


def find_position(holding: Holding, perp: Perpetual, side: int) -> Position | None:
    """An owner's combined position of one side, None when there is none."""
    for position in holding.modes_in(perp).positions(side):
        if not position.separated:
            return position
    return None


def part_margin(order: Order[Terms], lots: int) -> int:
    """What the last `lots` of a resting order hold, in atoms: their part, rounded up."""
    terms = order.terms
    if not terms.opens or not lots:
        return 0
    return min(terms.margin, part_up(terms.whole_margin, lots, order.quantity))
