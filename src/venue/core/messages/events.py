"""Every fact that the engine states. The time of an event is its command's time."""

from msgspec import Struct

from venue.core.instruments import Asset, Instrument
from venue.core.messages.benefit_events import (
    AffiliateSet,
    CommissionPaid,
    ContentPosted,
    ContentRemoved,
    DiscountJoined,
    DiscountSet,
    FeeTierReached,
    FeeTiersSet,
    GiftChanged,
    InternallyWithdrawn,
    Invited,
    MovementRepeated,
)
from venue.core.messages.contract_events import (
    AlgoChanged,
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    AutoMarginSet,
    ClosedAtMarket,
    ContractChanged,
    ContractDelisted,
    ContractListed,
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractSettled,
    ContractTermsTaken,
    ContractTrade,
    Deleveraged,
    FormerTiersKept,
    FundingDue,
    FundingSettled,
    FundingSkipped,
    Income,
    LeverageSet,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.copy_events import (
    CopyClosed,
    CopyOpened,
    CopyRefused,
    CopySettled,
    Followed,
    FollowStopped,
    LeadSet,
    TrackClosed,
)
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted


class OrderPlaced(Struct, array_like=True, tag_field="what", tag=1, gc=False):
    """An order was accepted; its immediate trades follow as `Trade`s of the same command.

    `resting` is the quantity that stays in the book after those trades.
    """

    order_id: int
    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    resting: int


class Trade(Struct, array_like=True, tag_field="what", tag=2, gc=False):
    """One match, at the maker's price, settled: quantities in lots, fees and balances in atoms.

    The buyer pays its fee in base, the seller in quote (rule 4.2). Four bills belong to it:
    `bill_id` buyer's quote (trade_out), +1 buyer's base (trade_in), +2 seller's base (trade_out),
    +3 seller's quote (trade_in); the four `*_after` are free + locked after each.
    `notional` is price x quantity in quote atoms.
    """

    trade_id: int
    symbol: str
    price: int
    quantity: int
    notional: int
    taker_side: int
    maker_order_id: int
    taker_order_id: int
    maker_uid: int
    taker_uid: int
    maker_remaining: int
    taker_remaining: int
    base_fee: int
    quote_fee: int
    bill_id: int
    buyer_quote_after: int
    buyer_base_after: int
    seller_base_after: int
    seller_quote_after: int


class OrderClosed(Struct, array_like=True, tag_field="what", tag=3, gc=False):
    """An order ended, not filled; `resting` lots left the book (0: it never rested)."""

    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    status: int
    resting: int


class OrderRepeated(Struct, array_like=True, tag_field="what", tag=4, gc=False):
    """The same client order id with the same content came again; the answer is the first order."""

    order_id: int
    uid: int
    client_id: str
    placed_time: int


class Rejected(Struct, array_like=True, tag_field="what", tag=5, gc=False):
    """A rule refused the command; nothing changed. `limit` is the broken bound, if there is one."""

    reason: int
    limit: int = 0
    detail: str = ""


class CancelAfterSet(Struct, array_like=True, tag_field="what", tag=6, gc=False):
    """An owner's countdown runs for one product; `deadline` (µs) is 0 when it is off."""

    uid: int
    product: int
    deadline: int


class CancelAfterDue(Struct, array_like=True, tag_field="what", tag=7, gc=False):
    """A countdown ended and is off; the ends of the owner's `orders` orders follow at once."""

    uid: int
    product: int
    deadline: int
    orders: int


class OwnerCreated(Struct, array_like=True, tag_field="what", tag=10):
    uid: int
    name: str
    agent: bool = False


class OwnerFrozen(Struct, array_like=True, tag_field="what", tag=11):
    uid: int
    frozen: bool


class FeesSet(Struct, array_like=True, tag_field="what", tag=12):
    uid: int
    maker_ppm: int
    taker_ppm: int
    product: int = 0


class WalletMoved(Struct, array_like=True, tag_field="what", tag=13):
    """One bill of a deposit, withdrawal or transfer: signed `amount`, total `after`, in atoms."""

    bill_id: int
    uid: int
    wallet: int
    asset: str
    kind: str
    amount: int
    after: int


class Transferred(Struct, array_like=True, tag_field="what", tag=14):
    """A transfer record; its two bills follow as `WalletMoved`."""

    transfer_id: int
    uid: int
    asset: str
    source: int
    target: int
    amount: int


class StreamsRecorded(Struct, array_like=True, tag_field="what", tag=15):
    """From the next command on, an owner's private streams are stored."""

    uid: int


class AssetRegistered(Struct, array_like=True, tag_field="what", tag=20):
    asset: Asset


class InstrumentListed(Struct, array_like=True, tag_field="what", tag=21):
    instrument: Instrument


class InstrumentChanged(Struct, array_like=True, tag_field="what", tag=22):
    instrument: Instrument


class InstrumentHalted(Struct, array_like=True, tag_field="what", tag=23):
    symbol: str
    halted: bool
    reason: str
    product: int = 0


class SettingChanged(Struct, array_like=True, tag_field="what", tag=24):
    name: str
    value: str


Event = (
    OrderPlaced
    | Trade
    | OrderClosed
    | OrderRepeated
    | Rejected
    | CancelAfterSet
    | CancelAfterDue
    | OwnerCreated
    | OwnerFrozen
    | FeesSet
    | WalletMoved
    | Transferred
    | StreamsRecorded
    | AssetRegistered
    | InstrumentListed
    | InstrumentChanged
    | InstrumentHalted
    | SettingChanged
    | ContractOrderPlaced
    | ContractTrade
    | ContractOrderClosed
    | ContractOrderReduced
    | ContractOrderParked
    | ContractOrderReturned
    | Income
    | PositionClosed
    | LeverageSet
    | AutoMarginSet
    | ClosedAtMarket
    | ContractListed
    | ContractChanged
    | ContractTermsTaken
    | FormerTiersKept
    | ContractDelisted
    | ContractSettled
    | MarkSet
    | FundingDue
    | FundingSkipped
    | FundingSettled
    | AlgoPlaced
    | AlgoChanged
    | AlgoTriggered
    | AlgoClosed
    | LiquidationStarted
    | LiquidationStep
    | Deleveraged
    | LiquidationFinished
    | GiftChanged
    | DiscountSet
    | DiscountJoined
    | AffiliateSet
    | Invited
    | CommissionPaid
    | InternallyWithdrawn
    | MovementRepeated
    | ContentPosted
    | ContentRemoved
    | FeeTiersSet
    | FeeTierReached
    | LeadSet
    | Followed
    | FollowStopped
    | CopyOpened
    | CopyRefused
    | CopyClosed
    | TrackClosed
    | CopySettled
    | StateKept
    | StateReverted
    | StateDropped
)
