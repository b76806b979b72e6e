"""Every input that may change state; nothing else may.

A command is a msgpack array `[tag, time, ...]`. `time` (µs, never decreasing) is stamped by the
sequencer. `request` identifies the signed request behind a command, so that a replayed request is
known again after a restart; it is empty for commands that no signed request caused. New fields go
to the end with a default: old journals stay readable.
"""

from msgspec import Struct

from venue.core.instruments import Instrument


class PlaceOrder(Struct, array_like=True, tag_field="what", tag=1, gc=False):
    """A new spot order; `price` is 0 for MARKET, `client_id` empty when the caller gave none."""

    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str = ""
    request: bytes = b""
    time: int = 0


class CancelOrder(Struct, array_like=True, tag_field="what", tag=2, gc=False):
    """Cancel one open order, by `order_id`, or by `client_id` when `order_id` is 0."""

    uid: int
    order_id: int = 0
    client_id: str = ""
    request: bytes = b""
    time: int = 0


class CancelOrders(Struct, array_like=True, tag_field="what", tag=3, gc=False):
    """Cancel every open order of the owner in one symbol."""

    uid: int
    symbol: str
    request: bytes = b""
    time: int = 0


class Tick(Struct, array_like=True, tag_field="what", tag=4, gc=False):
    """Time passing."""

    time: int = 0


class CreateOwner(Struct, array_like=True, tag_field="what", tag=10):
    """A new owner; names are unique. `self_trade` is a `terms.SelfTrade`."""

    name: str
    self_trade: int = 0
    time: int = 0


class FreezeOwner(Struct, array_like=True, tag_field="what", tag=11):
    """Stop (or allow again) new orders and withdrawals of an owner."""

    uid: int
    frozen: bool
    time: int = 0


class SetFees(Struct, array_like=True, tag_field="what", tag=12):
    """An owner's fee tier in ppm; -1, -1 returns to the symbols' own rates."""

    uid: int
    maker_ppm: int
    taker_ppm: int
    time: int = 0


class Deposit(Struct, array_like=True, tag_field="what", tag=13):
    """Credit `amount` atoms to an owner's wallet, against `external`."""

    uid: int
    wallet: int
    asset: str
    amount: int
    time: int = 0


class Withdraw(Struct, array_like=True, tag_field="what", tag=14):
    """Debit `amount` atoms from an owner's wallet, against `external`."""

    uid: int
    wallet: int
    asset: str
    amount: int
    time: int = 0


class Transfer(Struct, array_like=True, tag_field="what", tag=15):
    """Move `amount` atoms between two wallets of one owner (rule 2.1)."""

    uid: int
    source: int
    target: int
    asset: str
    amount: int
    time: int = 0


class RegisterAsset(Struct, array_like=True, tag_field="what", tag=20):
    """Make an asset known; one unit is 10^scale atoms."""

    asset: str
    scale: int
    time: int = 0


class ListInstrument(Struct, array_like=True, tag_field="what", tag=21):
    """Open a market."""

    instrument: Instrument
    time: int = 0


class ChangeInstrument(Struct, array_like=True, tag_field="what", tag=22):
    """Replace a listed instrument's limits, bands and fees; its grid and assets stay."""

    instrument: Instrument
    time: int = 0


class HaltInstrument(Struct, array_like=True, tag_field="what", tag=23):
    """Halt a market (cancels only) or resume it."""

    symbol: str
    halted: bool
    reason: str = ""
    time: int = 0


class ChangeSetting(Struct, array_like=True, tag_field="what", tag=24):
    """Set one of the venue's named settings."""

    name: str
    value: str
    time: int = 0


Command = (
    PlaceOrder
    | CancelOrder
    | CancelOrders
    | Tick
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
)
