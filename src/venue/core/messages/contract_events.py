"""Events of contracts. The time of an event is its command's time."""

from msgspec import Struct

from venue.core.instruments import Contract


class ContractOrderPlaced(Struct, array_like=True, tag_field="what", tag=30, gc=False):
    """A contract order was accepted; its trades follow. `resting` stays in the book after them.

    `cause` is a `vocabulary.Cause`. `algo_id` is the conditional order it came from (0: none),
    `position_id` the position that a closing order reduces (0: it opens).
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
    resting: int
    cause: int
    algo_id: int
    position_id: int


class Leg(Struct, array_like=True, gc=False):
    """One owner's side of a contract trade, in atoms of the settle asset.

    `opens` tells opening from closing; the trade added `open_value` to (or took it from) the
    position's open value, `realized` its profit without the fee. Income item `bill_id` moved
    the pool's collateral by `amount`, the fee inside, to `balance`.
    """

    uid: int
    order_id: int
    position_id: int
    position_side: int
    opens: bool
    open_value: int
    realized: int
    fee: int
    amount: int
    balance: int
    bill_id: int


class ContractTrade(Struct, array_like=True, tag_field="what", tag=31, gc=False):
    """One match of two contract orders at the maker's price, settled.

    With `cause` TAKEOVER or DELEVERAGE it happened outside the book, at a bankruptcy price: the
    taker is the pool in liquidation, both order ids are the liquidation's; only the taker may pay,
    a liquidation fee.
    Otherwise `cause` is the taker order's.
    """

    trade_id: int
    symbol: str
    price: int
    quantity: int
    notional: int
    taker_side: int
    maker_remaining: int
    taker_remaining: int
    cause: int
    maker: Leg
    taker: Leg


class ContractOrderClosed(Struct, array_like=True, tag_field="what", tag=32, gc=False):
    """A contract order ended, not filled; `resting` lots left the book."""

    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    status: int
    resting: int
    cause: int


class ContractOrderReduced(Struct, array_like=True, tag_field="what", tag=33, gc=False):
    """A resting closing order lost `quantity` lots: its position has become smaller (rule 5.1)."""

    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    quantity: int


class ContractOrderParked(Struct, array_like=True, tag_field="what", tag=46, gc=False):
    """An open order with this number of lots left the book: it may not trade now (rule 5.14)."""

    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    quantity: int


class ContractOrderReturned(Struct, array_like=True, tag_field="what", tag=47, gc=False):
    """A parked order with this number of lots is in the book again, in its old place at its price;
    `late`: after the others there."""

    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    quantity: int
    late: bool = False


class Income(Struct, array_like=True, tag_field="what", tag=34, gc=False):
    """One item of a pool's collateral: signed `amount`, `balance` after, in atoms (rule 5.2).

    `position_id` 0 is the cross pool. `symbol` is empty for transfers, `reason` for all others.
    The items of trades stand in the trades' legs, not here.
    """

    bill_id: int
    uid: int
    position_id: int
    asset: str
    symbol: str
    kind: str
    amount: int
    balance: int
    fee: int = 0
    reason: str = ""


class PositionClosed(Struct, array_like=True, tag_field="what", tag=35, gc=False):
    """A position's whole life, stated when its size becomes zero: sums in lots and atoms (interface
    2.6)."""

    position_id: int
    uid: int
    symbol: str
    side: int
    margin_mode: int
    separated_mode: int
    leverage: int
    open_size: int
    open_value: int
    open_fee: int
    close_size: int
    close_value: int
    close_fee: int
    funding_fee: int
    liquidate_fee: int
    realized: int
    created: int


class LeverageSet(Struct, array_like=True, tag_field="what", tag=36, gc=False):
    """An owner's modes and leverages in one symbol, after a change of any."""

    uid: int
    symbol: str
    margin_mode: int
    separated_mode: int
    cross: int
    long: int
    short: int


class AutoMarginSet(Struct, array_like=True, tag_field="what", tag=37, gc=False):
    uid: int
    position_id: int
    on: bool


class ClosedAtMarket(Struct, array_like=True, tag_field="what", tag=38, gc=False):
    """The result for one position that was to be closed; `order_id` 0: refused for `reason`.

    In a later slice, `request` is the sequence of the command that asked for it. `left` counts the
    request's positions that are still to come; the last event of a command states it.
    """

    position_id: int
    order_id: int
    reason: int
    request: int = 0
    left: int = 0


class ContractListed(Struct, array_like=True, tag_field="what", tag=40):
    contract: Contract


class ContractChanged(Struct, array_like=True, tag_field="what", tag=41):
    contract: Contract


class MarkSet(Struct, array_like=True, tag_field="what", tag=42, gc=False):
    """New index or mark price in ticks; `current` is false when the index is stale (rule 6.1).

    `jumped`: an operator of a practice venue set the index, without steps.
    """

    symbol: str
    index: int
    mark: int
    current: bool
    premium_ppb: int
    open_interest: int
    jumped: bool = False


class ContractTermsTaken(Struct, array_like=True, tag_field="what", tag=48, gc=False):
    """All orders and positions were checked against a contract's new terms (rule 1.7): `ended`
    orders of `owners` have ended, `kept` positions have stayed on former tiers."""

    symbol: str
    ended: int
    owners: int
    kept: int


class FormerTiersKept(Struct, array_like=True, tag_field="what", tag=65, gc=False):
    """A position does not fit a contract's new tiers, and keeps former ones (rule 1.7). At `until`
    (µs) it takes the new ones, whether it fits or not."""

    uid: int
    symbol: str
    position_id: int
    until: int


class ContractDelisted(Struct, array_like=True, tag_field="what", tag=49, gc=False):
    """The end of a contract was announced: its orders only reduce (rule 1.8). With a `price`, in
    ticks: it settles there, its orders end, and its positions close."""

    symbol: str
    price: int


class ContractSettled(Struct, array_like=True, tag_field="what", tag=64, gc=False):
    """All positions of a delisted contract are closed: longs and shorts of `lots` each, at `price`
    (rule 1.8)."""

    symbol: str
    price: int
    lots: int


class FundingDue(Struct, array_like=True, tag_field="what", tag=43, gc=False):
    """The rate (ppb) and mark at which a settlement will be paid; `due` in µs (rule 6.5)."""

    symbol: str
    due: int
    rate_ppb: int
    mark: int
    index: int


class FundingSkipped(Struct, array_like=True, tag_field="what", tag=44, gc=False):
    """A settlement was skipped, as its time passed while the venue was down (rule 6.6)."""

    symbol: str
    due: int


class FundingSettled(Struct, array_like=True, tag_field="what", tag=45, gc=False):
    """A settlement is complete: atoms paid and received; the difference went to dust."""

    symbol: str
    due: int
    positions: int
    paid: int
    received: int


class AlgoPlaced(Struct, array_like=True, tag_field="what", tag=50, gc=False):
    """A conditional order waits. `rising` tells whether it triggers at or above its price.

    `parent_id` is the order it was attached to (0: none). `quantity` 0: the whole position.
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
    rising: bool
    parent_id: int
    position_id: int
    take_profit: int
    take_profit_source: int
    stop_loss: int
    stop_loss_source: int
    callback_ppm: int


class AlgoChanged(Struct, array_like=True, tag_field="what", tag=51, gc=False):
    """A waiting conditional order changed; an exit's `quantity` grows with its parent's fills."""

    algo_id: int
    uid: int
    symbol: str
    type: int
    trigger_price: int
    price: int
    source: int
    rising: bool
    quantity: int = 0


class AlgoTriggered(Struct, array_like=True, tag_field="what", tag=52, gc=False):
    """A conditional order's price was reached; `order_id` is the order it became, 0 when that was
    refused (`reason`)."""

    algo_id: int
    uid: int
    symbol: str
    price: int
    order_id: int
    reason: int


class AlgoClosed(Struct, array_like=True, tag_field="what", tag=53, gc=False):
    """A conditional order ended without being triggered: CANCELED or EXPIRED."""

    algo_id: int
    uid: int
    symbol: str
    status: int


class LiquidationStarted(Struct, array_like=True, tag_field="what", tag=60, gc=False):
    """A pool's equity has reached its maintenance margin (rule 7.1); amounts in atoms.

    `position_id` 0 is the cross pool of `asset`; `symbol` is the first position's.
    """

    liquidation_id: int
    uid: int
    position_id: int
    asset: str
    symbol: str
    equity: int
    maintenance: int
    collateral: int


class LiquidationStep(Struct, array_like=True, tag_field="what", tag=61, gc=False):
    """One rung for one position of `size` lots: the lots wanted, and where they went (rule 7.2).

    `tier` counts from 0; `fund_change` is the gain of the fund's equity at mark, in atoms.
    """

    liquidation_id: int
    position_id: int
    symbol: str
    side: int
    mark: int
    tier: int
    bankruptcy_price: int
    wanted: int
    filled: int
    taken_over: int
    deleveraged: int
    fee: int
    fund_change: int
    size: int = 0


class Deleveraged(Struct, array_like=True, tag_field="what", tag=62, gc=False):
    """One opposite position took over lots; its rank and its score."""

    liquidation_id: int
    position_id: int
    uid: int
    symbol: str
    quantity: int
    price: int
    rank: int
    score: int


class LiquidationFinished(Struct, array_like=True, tag_field="what", tag=63, gc=False):
    """The pool is above its maintenance margin again, or holds nothing any more.

    Automatic top-up moved `topped_up` in; the fund paid `compensated` to bring a negative pool to
    zero.
    """

    liquidation_id: int
    uid: int
    equity: int
    maintenance: int
    topped_up: int
    compensated: int
    fund_equity: int
