"""The questions to the contract history, and the rows of the answers.

Times are µs; `start` and `end` are inclusive. An empty symbol stands for all of them.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.vocabulary import AlgoStatus, OrderStatus

BECAME_NOTHING: Final = {  # how a conditional order ends, as an order ends
    int(AlgoStatus.CANCELED): int(OrderStatus.CANCELED),
    int(AlgoStatus.EXPIRED): int(OrderStatus.EXPIRED),
}


class ContractOrderRow(Struct, frozen=True, gc=False):
    """One contract order: price in ticks, quantities in lots, `quote` in atoms, times in µs.

    quantity = executed + remaining + canceled; `reduced` is the canceled part that its position
    took along (rule 5.1). The last three are those of the conditional order that it came from, or
    is: one that has ended as such is listed under its own id. None where there was none.
    """

    order_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    cause: int
    algo_id: int
    position_id: int
    time: int
    executed: int
    quote: int
    reduced: int
    status: int
    update_time: int
    stop_price: int | None
    stop_source: int | None
    conditional_type: int | None


class ContractFillRow(Struct, frozen=True, gc=False):
    """One leg of a contract trade: money in atoms of `fee_asset`, `realized` without the fee.

    `both`: it is the maker's leg of an owner's trade with itself.
    """

    trade_id: int
    is_maker: int
    order_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    position_id: int
    price: int
    quantity: int
    notional: int
    fee: int
    fee_asset: str
    realized: int
    opens: int
    cause: int
    time: int
    both: int = 0


class IncomeRow(Struct, frozen=True, gc=False):
    """One item of a pool: signed `amount`, the fee inside, and the `balance` after it, in atoms.

    `position_id` 0 is the cross pool; `symbol` is empty for transfers, `reason` for all others.
    """

    bill_id: int
    uid: int
    position_id: int
    asset: str
    symbol: str
    kind: str
    amount: int
    fee: int
    balance: int
    reason: str
    time: int


class ConditionalRow(Struct, frozen=True, gc=False):
    """One conditional order: prices in ticks, quantity in lots (0: the whole position).

    `order_id` is the order that it became and `triggered_price` the price that triggered it, or 0;
    `reason` is the `vocabulary.Reject` of one that was refused then; `trigger_time` is 0 before.
    The last two are of that order: executed lots, and their notional in atoms.
    """

    algo_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    quantity: int
    trigger_price: int
    price: int
    source: int
    client_id: str
    rising: int
    parent_id: int
    position_id: int
    take_profit: int
    take_profit_source: int
    stop_loss: int
    stop_loss_source: int
    callback_ppm: int
    time: int
    status: int
    order_id: int
    triggered_price: int
    reason: int
    trigger_time: int
    update_time: int
    executed: int
    quote: int


class ContractOrdersOf(Struct, frozen=True, gc=False):
    """Which orders: an owner's, placed from `start` to `end`, or only those that have ended.

    `among` are the symbols that count, empty for all of them. With `touched` a start counts for
    the last update too: an order placed before it counts when something happened to it since.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    ended: bool = False
    touched: bool = False


class ContractFillsOf(Struct, frozen=True, gc=False):
    """Which fills: an owner's, of one order, from `start` to `end`; `among` as for orders.

    `from_id` as for spot.
    """

    uid: int
    symbol: str = ""
    order_id: int | None = None
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    from_id: int | None = None


class IncomeOf(Struct, frozen=True, gc=False):
    """Which items: an owner's, by asset (or all but the one in `without`), symbol, kind and time.

    `next_time` and `next_id` go on after an item: its bill id, and its time or a later one.
    """

    uid: int
    asset: str = ""
    symbol: str = ""
    kind: str = ""
    start: int | None = None
    end: int | None = None
    next_time: int | None = None
    next_id: int | None = None
    without: str = ""


class ConditionalsOf(Struct, frozen=True, gc=False):
    """Which conditional orders: an owner's that have ended, placed from `start` to `end`.

    `among` are the symbols that count, empty for all of them; `type` is one `AlgoType`, or None.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    type: int | None = None
