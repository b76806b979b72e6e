"""A Hypothesis state machine over a venue in this process: it finds markets that no author
imagines.

Subclass it, add rules that drive your bot and invariants that it must keep; Hypothesis then looks
for the shortest market that breaks one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import ClassVar, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from venue.client.errors import Refused
from venue.library.market import CONTRACT, SPOT
from venue.library.results import Placed
from venue.library.venue import Venue

R = TypeVar("R")
KEPT: Final = "machine"
LOT: Final = Decimal("0.001")
TICK: Final = Decimal(10)  # between the prices of orders
MIDDLE: Final = Decimal(60_000)
OWNERS: Final = st.integers(0, 11)  # taken modulo the number of owners: equally often up to four
LOTS: Final = st.integers(1, 50)
TICKS: Final = st.integers(-20, 20)
SIDES: Final = st.sampled_from(["BUY", "SELL"])
POSITIONS: Final = st.sampled_from(["LONG", "SHORT"])
_VENUES: Final[dict[tuple[int, bool], Venue]] = {}


class Machine(RuleBasedStateMachine):
    """`venue` is in its initial state in each run. `owners` place and cancel orders of `symbol`,
    spot and contract, around 60000; time passes; the index moves; the state is reverted.

    At all times the venue's books add up and are not crossed, and no owner owes anything.
    """

    seed: ClassVar[int] = 1
    agents: ClassVar[bool] = False
    symbol: ClassVar[str] = "BTCUSDT"
    owners: ClassVar[tuple[str, ...]] = ("alice", "bob")

    def __init__(self) -> None:
        super().__init__()
        self.venue = _venue(self.seed, agents=self.agents)
        self.venue.reset()
        self.index = MIDDLE
        self.placed: list[tuple[str, Placed]] = []
        self._kept: list[tuple[str, Placed]] | None = None
        self.venue.call("change_contract", symbol=self.symbol, indexSources=["test"])
        self._post()

    def attempt(self, act: Callable[[], R]) -> R | None:
        """Return the result of an act; None when the venue refuses it, which is no failure."""
        try:
            return act()
        except Refused:
            return None

    # -- rules ------------------------------------------------------------------------------------

    @rule(owner=OWNERS, side=SIDES, lots=LOTS, ticks=TICKS)
    def place(self, owner: int, side: str, lots: int, ticks: int) -> None:
        """Place a spot order at a price."""
        price = MIDDLE + ticks * TICK
        self._place(owner, lambda name: self._order(name, side, lots, price=price))

    @rule(owner=OWNERS, side=SIDES, lots=LOTS)
    def place_at_the_market(self, owner: int, side: str, lots: int) -> None:
        """Place a spot order at the market."""
        self._place(owner, lambda name: self._order(name, side, lots))

    @rule(owner=OWNERS, side=SIDES, position=POSITIONS, lots=LOTS, ticks=TICKS)
    def place_contract(self, owner: int, side: str, position: str, lots: int, ticks: int) -> None:
        """Place an order that opens or closes a position."""
        price = MIDDLE + ticks * TICK
        self._place(
            owner, lambda name: self._order(name, side, lots, price=price, position=position)
        )

    @precondition(lambda self: self.placed)
    @rule(number=st.integers(0, 30))
    def cancel(self, number: int) -> None:
        """Cancel an earlier order, if it is open."""
        owner, order = self.placed[number % len(self.placed)]
        self.attempt(lambda: self.venue.account(owner).cancel(order))

    @rule(seconds=st.integers(1, 9))
    def advance(self, seconds: int) -> None:
        """Let time pass, and keep the index posted."""
        self._post()
        self.venue.advance(f"{seconds}s")
        self._post()

    @rule(percent=st.integers(-10, 10))
    def move_index(self, percent: int) -> None:
        """Set the contract's index to another price at once, and check positions."""
        self.index = (self.index * (100 + percent) / 100).quantize(Decimal("0.1"))
        self._post()
        self.venue.advance("1s")

    @rule()
    def keep(self) -> None:
        """Save the state."""
        self.venue.snapshot(KEPT)
        self._kept = list(self.placed)

    @precondition(lambda self: self._kept is not None)
    @rule()
    def go_back(self) -> None:
        """Revert to the saved state."""
        assert self._kept is not None
        self.venue.revert(KEPT)
        self.placed = list(self._kept)

    # -- invariants -------------------------------------------------------------------------------

    @invariant()
    def the_books_add_up(self) -> None:
        """Check money, orders, positions and funds by the rules of the venue (rulebook 10)."""
        assert self.venue.problems() == []

    @invariant()
    def no_book_is_crossed(self) -> None:
        """Check that the best bid is below the best ask."""
        for product in (SPOT, CONTRACT):
            book = self.venue.market(self.symbol, product=product).book()
            if book.bids and book.asks:
                assert book.bids[0].price < book.asks[0].price, book

    @invariant()
    def nobody_is_below_zero(self) -> None:
        """Check that no free or locked amount is negative."""
        for owner in self.owners:
            for balance in self.venue.account(owner).balances():
                assert min(balance.free, balance.locked) >= 0, (owner, balance)

    # -- the rest ---------------------------------------------------------------------------------

    def _place(self, owner: int, order: Callable[[str], Placed]) -> None:
        name = self.owners[owner % len(self.owners)]
        placed = self.attempt(lambda: order(name))
        if placed is not None:
            self.placed.append((name, placed))

    def _order(
        self,
        name: str,
        side: str,
        lots: int,
        *,
        price: Decimal | None = None,
        position: str | None = None,
    ) -> Placed:
        product = SPOT if position is None else CONTRACT
        return self.venue.account(name).place(
            self.symbol, side, lots * LOT, price=price, product=product, position=position
        )

    def _post(self) -> None:
        price = str(self.index)
        self.venue.call("post_index", symbol=self.symbol, source="test", price=price, jump=True)


def _venue(seed: int, *, agents: bool) -> Venue:
    """Return one venue for all runs: reverting it takes a millisecond."""
    key = (seed, agents)
    if key not in _VENUES:
        _VENUES[key] = Venue(seed=seed, agents=agents)
    return _VENUES[key]
