"""One meeting of an order with a resting one: what is planned of it (rule 3.12)."""

from __future__ import annotations

from venue.core.book.orders import Order
from venue.core.contract.account import Terms, find_position
from venue.core.contract.margin import order_margin
from venue.core.contract.position import Position
from venue.core.ledger.accounts import Account, Pool
from venue.core.units import ceil_div, fee_on
from venue.vocabulary import NEW


class Fill:
    """One meeting with a resting order: `lots` traded for `amount` atoms, each side's fee, and the
    margin it moves into an isolated position; `released` is what the resting order held for it.
    With 0 lots the resting order ends with `status`."""

    __slots__ = ("amount", "lots", "maker", "maker_fee", "maker_margin", "released", "status",
                 "taker_fee", "taker_margin")  # fmt: skip

    def __init__(
        self, maker: Order[Terms], lots: int, amount: int, taker_fee: int, maker_fee: int
    ) -> None:
        self.maker = maker
        self.lots = lots
        self.amount = amount
        self.taker_fee = taker_fee
        self.maker_fee = maker_fee
        self.taker_margin = 0
        self.maker_margin = 0
        self.released = 0
        self.status = NEW


def ended(maker: Order[Terms], status: int) -> Fill:
    """What stands for a resting order that ends without a trade."""
    fill = Fill(maker, 0, 0, 0, 0)
    fill.status = status
    return fill


class Known:
    """What a plan has found out once, so that no order asks for each order that it meets: of large
    pools whether a price is in doubt, and what they may lose (atoms), and the fills by owner."""

    __slots__ = ("counted", "doubts", "fills", "risks")

    def __init__(self) -> None:
        self.doubts: dict[Pool, bool] = {}
        self.risks: dict[Pool, int] = {}
        self.fills: dict[Account, list[Fill]] = {}
        self.counted = 0  # of the plan's fills, by owner

    def of(self, account: Account, fills: list[Fill]) -> list[Fill]:
        """The fills of a plan that met an account's resting orders."""
        for fill in fills[self.counted :]:
            if fill.lots:
                self.fills.setdefault(fill.maker.account, []).append(fill)
        self.counted = len(fills)
        return self.fills.get(account, [])


def grown_by(terms: Terms) -> Position | None:
    """The position that an opening order adds to; None where it will make one."""
    if terms.modes.separated:
        position = terms.position
        return position if position is not None and position.quantity else None
    return find_position(terms.holding, terms.perp, terms.position_side)


def fee_held(fill: Fill, terms: Terms) -> int:
    """The hold of a resting opening order for the fee of a fill, in atoms."""
    perp = terms.perp
    maker = fill.maker
    whole = maker.price * (maker.quantity * perp.unit)
    reserve = fee_on(whole, terms.holding.opening_rate(perp.market))
    after = ceil_div(reserve * (maker.remaining - fill.lots), maker.quantity)
    return ceil_div(reserve * maker.remaining, maker.quantity) - after


def maker_margin(fill: Fill, terms: Terms) -> int:
    """What a resting order moves into its isolated position: its part of what it holds, or, when
    the mark has overtaken it, all that the fill needs."""
    perp = terms.perp
    maker = fill.maker
    side = terms.position_side
    need = order_margin(
        side, fill.lots, maker.price, perp.mark, perp.unit, terms.modes.leverage(side),
        terms.holding.opening_rate(perp.market),
    )  # fmt: skip
    if side * (maker.price - perp.mark) > 0:
        return need
    return min(need, fill.released)
