"""Every input that may change state; nothing else may.

A command is a msgpack array `[tag, ...]`. The sequencer stamps `time` (µs, never decreasing).
`request` identifies the signed request that caused the command, so that a replay is recognized
after a restart: `act-as` when an operator acted for the owner, empty without a request. New fields
have defaults.
"""

from msgspec import Struct

from venue.core.instruments import Contract, Instrument
from venue.core.messages.benefit_commands import (
    ChangeGift,
    InternalWithdraw,
    Invite,
    JoinDiscount,
    PostArticle,
    PostBanner,
    RemoveContent,
    SetAffiliate,
    SetDiscount,
    SetFeeTiers,
)
from venue.core.messages.copy_commands import CloseCopy, Follow, SetLead, StopCopying
from venue.core.messages.quote_commands import MoveQuotes
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.core.ranges import Code, Signed, Whole


class PlaceOrder(Struct, array_like=True, tag_field="what", tag=1, gc=False):
    """Place a spot order; `price` is 0 for MARKET, `client_id` empty when the caller gave none."""

    uid: Whole
    symbol: str
    side: Code
    type: Code
    time_in_force: Code
    quantity: Whole
    price: Whole
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0
    connection: Whole = 0  # cancelled when it ends; 0: none


class CancelOrder(Struct, array_like=True, tag_field="what", tag=2, gc=False):
    """Cancel one open order, by `order_id`, or by `client_id` when `order_id` is 0."""

    uid: Whole
    order_id: Whole = 0
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0


class CancelOrders(Struct, array_like=True, tag_field="what", tag=3, gc=False):
    """Cancel every open order of the owner in one symbol."""

    uid: Whole
    symbol: str
    request: bytes = b""
    time: Whole = 0


class Tick(Struct, array_like=True, tag_field="what", tag=4, gc=False):
    """Let time pass."""

    time: Whole = 0


class SetCancelAfter(Struct, array_like=True, tag_field="what", tag=5, gc=False):
    """Cancel all open orders of a `vocabulary.Product` after `timeout` µs; 0 stops the countdown.
    Sending it again restarts the countdown."""

    uid: Whole
    product: Code
    timeout: Whole
    request: bytes = b""
    time: Whole = 0


class Proceed(Struct, array_like=True, tag_field="what", tag=6, gc=False):
    """Continue the work that a slice left; the sequencer adds this while more is due (rule
    7.11)."""

    time: Whole = 0


class GuardOrders(Struct, array_like=True, tag_field="what", tag=7):
    """Tie an owner's `orders` of one product, and later ones that name it, to a connection: when it
    ends, they are cancelled. Not `enabled`: untie them."""

    uid: Whole
    product: Code
    connection: Whole
    enabled: bool
    orders: list[Whole] = []
    time: Whole = 0


class EndConnection(Struct, array_like=True, tag_field="what", tag=8):
    """A connection has ended: cancel the orders that are tied to it."""

    connection: Whole
    time: Whole = 0


class CreateOwner(Struct, array_like=True, tag_field="what", tag=10):
    """Create an owner; names are unique. `self_trade` is a `vocabulary.SelfTrade`. `agent`: one of
    the venue's own agents (rule 2.8), which no request can ask for."""

    name: str
    self_trade: Code = 0
    time: Whole = 0
    agent: bool = False


class FreezeOwner(Struct, array_like=True, tag_field="what", tag=11):
    """Freeze an owner, which ends its open orders, or unblock it (rule 2.7)."""

    uid: Whole
    frozen: bool
    time: Whole = 0


class SetFees(Struct, array_like=True, tag_field="what", tag=12):
    """Set an owner's fees (ppm) for one `vocabulary.Product`; -1, -1: the symbols' rates."""

    uid: Whole
    maker_ppm: Signed
    taker_ppm: Signed
    time: Whole = 0
    product: Code = 0


class Deposit(Struct, array_like=True, tag_field="what", tag=13):
    """Credit `amount` atoms to an owner's wallet, against `external`. The same `reference` (empty:
    none) has no second effect (rule 2.6)."""

    uid: Whole
    wallet: Code
    asset: str
    amount: Whole
    time: Whole = 0
    reference: str = ""


class Withdraw(Struct, array_like=True, tag_field="what", tag=14):
    """Debit `amount` atoms from an owner's wallet, against `external`; `reference` as `Deposit`."""

    uid: Whole
    wallet: Code
    asset: str
    amount: Whole
    time: Whole = 0
    reference: str = ""


class Transfer(Struct, array_like=True, tag_field="what", tag=15):
    """Move `amount` atoms between two wallets of one owner (rule 2.1); `reference` as `Deposit`."""

    uid: Whole
    source: Code
    target: Code
    asset: str
    amount: Whole
    time: Whole = 0
    reference: str = ""


class RecordStreams(Struct, array_like=True, tag_field="what", tag=16):
    """From the next command on, number and keep all frames of an owner's private streams.

    Each login that opens a private socket causes one, whether it is the first or not.
    """

    uid: Whole
    time: Whole = 0
    request: bytes = b""


class RegisterAsset(Struct, array_like=True, tag_field="what", tag=20):
    """Register an asset; one unit is 10^scale atoms."""

    asset: str
    scale: Code
    time: Whole = 0


class ListInstrument(Struct, array_like=True, tag_field="what", tag=21):
    """Open a market."""

    instrument: Instrument
    time: Whole = 0


class ChangeInstrument(Struct, array_like=True, tag_field="what", tag=22):
    """Replace a listed instrument's limits, bands and fees; its grid and assets stay."""

    instrument: Instrument
    time: Whole = 0


class HaltInstrument(Struct, array_like=True, tag_field="what", tag=23):
    """Halt a market of one `vocabulary.Product` (cancels only) or resume it."""

    symbol: str
    halted: bool
    reason: str = ""
    time: Whole = 0
    product: Code = 0


class ChangeSetting(Struct, array_like=True, tag_field="what", tag=24):
    """Set one of the venue's named settings."""

    name: str
    value: str
    time: Whole = 0


# -- contracts ------------------------------------------------------------------------------------


class Exit(Struct, array_like=True, frozen=True, gc=False):
    """An attached take-profit or stop-loss, executed at market; a price of 0 stands for none."""

    trigger_price: Whole = 0
    source: Code = 0


NO_EXIT = Exit()


class PlaceContractOrder(Struct, array_like=True, tag_field="what", tag=30, gc=False):
    """A new contract order; `price` is 0 for MARKET. Side and position side tell open from close.

    `position_id` names the position that a closing order reduces where several stand on one side.
    """

    uid: Whole
    symbol: str
    side: Code
    position_side: Code
    type: Code
    time_in_force: Code
    quantity: Whole
    price: Whole
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0
    position_id: Whole = 0
    take_profit: Exit = NO_EXIT
    stop_loss: Exit = NO_EXIT
    connection: Whole = 0  # cancelled when it ends; 0: none


class CancelContractOrder(Struct, array_like=True, tag_field="what", tag=31, gc=False):
    """Cancel one open contract order, by `order_id`, or by `client_id` when `order_id` is 0."""

    uid: Whole
    order_id: Whole = 0
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0


class CancelContractOrders(Struct, array_like=True, tag_field="what", tag=32, gc=False):
    """Cancel every open contract order of the owner, in one symbol or (empty) in all.

    Contracts that settle in the asset `without` are left alone.
    """

    uid: Whole
    symbol: str = ""
    request: bytes = b""
    time: Whole = 0
    without: str = ""


class ClosePositions(Struct, array_like=True, tag_field="what", tag=33, gc=False):
    """Close whole positions at market: one (`position_id`), those of a symbol, or all.

    Contracts that settle in the asset `without` are left alone.
    """

    uid: Whole
    symbol: str = ""
    position_id: Whole = 0
    request: bytes = b""
    time: Whole = 0
    without: str = ""


class PlaceAlgo(Struct, array_like=True, tag_field="what", tag=34, gc=False):
    """Place a conditional order (rule 8); `price` is 0 for orders that execute at market.

    `quantity` 0 closes the whole position. `callback_ppm` and the optional activation price
    (`trigger_price`) belong to TRAILING_STOP_MARKET.
    """

    uid: Whole
    symbol: str
    side: Code
    position_side: Code
    type: Code
    quantity: Whole
    trigger_price: Whole
    price: Whole
    source: Code = 0
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0
    take_profit: Exit = NO_EXIT
    stop_loss: Exit = NO_EXIT
    callback_ppm: Whole = 0


class ChangeAlgo(Struct, array_like=True, tag_field="what", tag=35, gc=False):
    """Set trigger price, execution price (0: market) and price source of a waiting order."""

    uid: Whole
    algo_id: Whole
    trigger_price: Whole
    price: Whole
    source: Code
    request: bytes = b""
    time: Whole = 0


class CancelAlgo(Struct, array_like=True, tag_field="what", tag=36, gc=False):
    """Cancel one conditional order, by `algo_id`, or by `client_id` when `algo_id` is 0."""

    uid: Whole
    algo_id: Whole = 0
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0


class CancelAlgos(Struct, array_like=True, tag_field="what", tag=37, gc=False):
    """Cancel every conditional order of the owner, in one symbol or (empty) in all.

    Contracts that settle in the asset `without` are left alone.
    """

    uid: Whole
    symbol: str = ""
    request: bytes = b""
    time: Whole = 0
    without: str = ""


class SetLeverage(Struct, array_like=True, tag_field="what", tag=38, gc=False):
    """Set leverages in one symbol, 0 leaves one unchanged; all of them or none are applied."""

    uid: Whole
    symbol: str
    cross: Whole = 0
    long: Whole = 0
    short: Whole = 0
    request: bytes = b""
    time: Whole = 0
    margin_mode: Code = -1


class SetMarginMode(Struct, array_like=True, tag_field="what", tag=39, gc=False):
    """Set margin mode and (-1: unchanged) separated mode in one symbol."""

    uid: Whole
    symbol: str
    margin_mode: Code
    separated_mode: Code = -1
    request: bytes = b""
    time: Whole = 0


class MoveMargin(Struct, array_like=True, tag_field="what", tag=40, gc=False):
    """Add margin to an isolated position, or (negative) take some out."""

    uid: Whole
    position_id: Whole
    amount: Signed
    request: bytes = b""
    time: Whole = 0


class SetAutoMargin(Struct, array_like=True, tag_field="what", tag=41, gc=False):
    """Switch an isolated position's automatic top-up."""

    uid: Whole
    position_id: Whole
    on: bool
    request: bytes = b""
    time: Whole = 0


class ListContract(Struct, array_like=True, tag_field="what", tag=50):
    """Open a contract market."""

    contract: Contract
    time: Whole = 0


class ChangeContract(Struct, array_like=True, tag_field="what", tag=51):
    """Replace a listed contract's limits, tiers, fees and price rules; its grid stays."""

    contract: Contract
    time: Whole = 0


class DelistContract(Struct, array_like=True, tag_field="what", tag=53):
    """Announce the end of a contract: from now on its orders only reduce (rule 1.8)."""

    symbol: str
    time: Whole = 0


class SettleContract(Struct, array_like=True, tag_field="what", tag=54):
    """Close all positions of a delisted contract at a price, in ticks (rule 1.8)."""

    symbol: str
    price: Whole
    time: Whole = 0


class PostIndex(Struct, array_like=True, tag_field="what", tag=52, gc=False):
    """Post one source's index price of a contract, in ticks (rule 6.1).

    With `jump` the index takes its sources' price at once: a practice venue's way to move it.
    """

    symbol: str
    source: str
    price: Whole
    time: Whole = 0
    jump: bool = False


Requested = (  # the commands that signed requests cause: those with a `request`
    PlaceOrder
    | CancelOrder
    | CancelOrders
    | SetCancelAfter
    | PlaceContractOrder
    | CancelContractOrder
    | CancelContractOrders
    | ClosePositions
    | PlaceAlgo
    | ChangeAlgo
    | CancelAlgo
    | CancelAlgos
    | SetLeverage
    | SetMarginMode
    | MoveMargin
    | SetAutoMargin
    | RecordStreams
    | Follow
    | StopCopying
    | CloseCopy
    | InternalWithdraw
)
Command = (
    Requested
    | Tick
    | Proceed
    | GuardOrders
    | EndConnection
    | MoveQuotes
    | CreateOwner
    | FreezeOwner
    | SetFees
    | Deposit
    | Withdraw
    | Transfer
    | RegisterAsset
    | ListInstrument
    | ChangeInstrument
    | HaltInstrument
    | ChangeSetting
    | ListContract
    | ChangeContract
    | DelistContract
    | SettleContract
    | PostIndex
    | ChangeGift
    | SetDiscount
    | JoinDiscount
    | SetAffiliate
    | Invite
    | PostArticle
    | PostBanner
    | RemoveContent
    | SetFeeTiers
    | SetLead
    | KeepState
    | RevertState
    | DropState
)
