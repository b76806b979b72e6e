"""Operator operations under `/_venue/`: owners, keys, money, instruments, settings, health.

Operations of contracts alone stand in `contracts`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import (
    ClientId,
    Decimal,
    Flag,
    Kind,
    Permissions,
    Rate,
    Scale,
    Symbol,
    SymbolTexts,
    Text,
    Texts,
    TimeMs,
    WalletName,
)
from venue.api.operation import VENUE, Empty, rows
from venue.vocabulary import Product

ProductName = Annotated[
    str,
    Meta(
        extra={"kind": Kind.CHOICE.value},
        extra_json_schema={"enum": [product.name for product in Product]},
    ),
]


class IndexCostView(Struct, rename="camel"):
    """The cost of moving a contract's index by 1 % in today's books, in the settle asset.

    A stranger trades and rests `notional` for it, and loses `cost` of that; both are empty where no
    order can move the index. `gain` is 1 % of the open interest at mark: what such a move shifts
    between longs and shorts. The index is `cheap` while the cost is less than the gain.
    """

    symbol: str
    cost: str
    notional: str
    gain: str
    cheap: bool


class Health(Struct, rename="camel"):
    """The venue's health; `status` is ok or names the problem.

    `staleContracts` have no current index: no funding and no liquidations until they do. In
    `doubtfulContracts` orders may only reduce positions: the index is stale or catches up. Those of
    `closedContracts` are outside their market hours, and in neither of these lists. In
    `unsafeContracts`, each told with the inequality that it fails, they may only reduce as well.
    `indexCosts` tell for each contract how dear it is to move its index; a contract whose index is
    cheap is in `warnings` too.
    `streamDefects` counts the defects in streams since the start; each is described in the log.
    `planFaults` counts contract orders whose plan did not fit the state: each was refused.
    Timestamps of signed requests are compared with `serverTime` (ms), commands are stamped with
    `venueTime`; `clockAhead` is how far venue time is ahead of the machine's clock, in ms, and
    `clockSteps` how often that clock was set since the start. `warnings` name the resources that
    the machine withholds from a venue that is otherwise well.

    `diskUsed` are the bytes of the venue's files, `diskHourly` those that they grow by in an hour,
    measured over the last hour at most, and `diskHours` how long `diskFree` bytes last at that
    rate: null in the first minute, and while they do not grow. A venue in memory writes its history
    to temporary files. Fewer than 24 hours are a warning. A world has null: its venue tells.
    `forgotten` is the part of its past that a venue in memory keeps no longer. `profile` is
    document or live: what decides where these two contradict each other.
    """

    status: str
    version: str
    engine: str
    sqlite: str
    data: str
    server_time: int
    sequence: int
    history_sequence: int
    state_hash: str
    owners: int
    open_orders: int
    open_positions: int
    stale_contracts: list[str]
    stream_defects: int
    plan_faults: int
    doubtful_contracts: list[str]
    closed_contracts: list[str]
    unsafe_contracts: list[str]
    index_costs: list[IndexCostView]
    venue_time: int
    clock_ahead: int
    clock_steps: int
    warnings: list[str]
    disk_used: int | None
    disk_free: int | None
    disk_hourly: int | None
    disk_hours: int | None
    forgotten: str
    epoch: int
    profile: str


class HealthRequest(Struct, rename="camel", kw_only=True):
    """`stateHash=false` spares a frequent caller the digest, which costs time when much is open."""

    state_hash: Flag = True


class OwnerView(Struct, rename="camel"):
    uid: int
    name: str
    frozen: bool
    open_orders: int


class CreateOwnerRequest(Struct, rename="camel", kw_only=True):
    """A new owner; its name is unique."""

    name: Text
    self_trade_prevention: Text = "NONE"


class FreezeRequest(Struct, kw_only=True):
    """Freeze an owner (no new orders, no withdrawals) or thaw it."""

    owner: Text
    frozen: Flag


class FeesRequest(Struct, rename="camel", kw_only=True):
    """An owner's own fee rates, as fractions; both absent returns to the symbols' rates."""

    owner: Text
    maker_fee_rate: Rate | None = None
    taker_fee_rate: Rate | None = None
    product: ProductName = Product.SPOT.name


class KeysRequest(Struct, kw_only=True):
    """The keys of one owner, or of all."""

    owner: Text | None = None


class KeyView(Struct, rename="camel"):
    """A key without its secret; `expires` is null for one that lasts."""

    key: str
    uid: int
    label: str
    permissions: list[str]
    ips: list[str]
    created: int
    revoked: bool
    expires: int | None


class CreateKeyRequest(Struct, kw_only=True):
    """A new key of an owner; at most 10 addresses or networks, none means any.

    From server time `expires` on the key is refused (-1044), and its streams are closed. Without it
    the key lasts until it is revoked.
    """

    owner: Text
    permissions: Permissions
    label: Text = ""
    ips: Texts | None = None
    expires: TimeMs | None = None


class CreatedKey(Struct):
    """Shown once: the venue keeps the secret encrypted and the passphrase hashed."""

    key: str
    secret: str
    passphrase: str


class RevokeKeyRequest(Struct, kw_only=True):
    """The key stops working at once."""

    key: Text


class MoneyRequest(Struct, kw_only=True):
    """An amount of an asset into or out of an owner's wallet.

    For 30 days the same `reference` with the same content is answered as the first time and has no
    second effect; with other content it is refused. It is unique in the venue.
    """

    owner: Text
    wallet: WalletName
    asset: Text
    amount: Decimal
    reference: ClientId | None = None


class TransferRequest(Struct, kw_only=True, rename={"source": "from", "target": "to"}):
    """An amount of an asset from one wallet of an owner to another; `reference` as of a deposit."""

    owner: Text
    source: WalletName
    target: WalletName
    asset: Text
    amount: Decimal
    reference: ClientId | None = None


class Moved(Struct, rename="camel"):
    """A movement, and the wallet's balance `after` it; positions' profits are not in it yet."""

    uid: int
    wallet: str
    asset: str
    amount: str
    after: str
    bill_id: int


class AssetRequest(Struct, kw_only=True):
    """A new asset; one unit is 10^scale atoms."""

    asset: Text
    scale: Scale


class AssetView(Struct, rename="camel"):
    coin_id: int
    asset: str
    scale: int


class InstrumentRequest(Struct, rename="camel", kw_only=True):
    """A spot instrument to list: increments and sizes as decimals, rates and bands as fractions."""

    base_asset: Text
    quote_asset: Text
    tick_size: Decimal
    step_size: Decimal
    min_trade_amount: Decimal
    max_trade_amount: Decimal
    market_limit_size: Decimal
    maker_fee_rate: Rate = "0.001"
    taker_fee_rate: Rate = "0.001"
    buy_limit_price_ratio: Decimal = "0.1"
    sell_limit_price_ratio: Decimal = "0.1"
    market_price_ratio: Decimal = "0.05"


class ChangeInstrumentRequest(Struct, rename="camel", kw_only=True):
    """New limits, rates or bands of a listed instrument; absent fields stay."""

    symbol: Symbol
    min_trade_amount: Decimal | None = None
    max_trade_amount: Decimal | None = None
    market_limit_size: Decimal | None = None
    maker_fee_rate: Rate | None = None
    taker_fee_rate: Rate | None = None
    buy_limit_price_ratio: Decimal | None = None
    sell_limit_price_ratio: Decimal | None = None
    market_price_ratio: Decimal | None = None


class InstrumentView(Struct, rename="camel"):
    symbol: str
    base_asset: str
    quote_asset: str
    tick_size: str
    step_size: str
    min_trade_amount: str
    max_trade_amount: str
    market_limit_size: str
    maker_fee_rate: str
    taker_fee_rate: str
    buy_limit_price_ratio: str
    sell_limit_price_ratio: str
    market_price_ratio: str
    halted: bool
    halt_reason: str


class HaltRequest(Struct, kw_only=True):
    """A halted instrument accepts cancels only."""

    symbol: Symbol
    reason: Text = ""


class ResumeRequest(Struct, kw_only=True):
    """Accept orders again."""

    symbol: Symbol


class Settings(Struct, rename="camel"):
    """The venue's settings."""

    batch_place: bool
    batch_cancel_wording: str
    contract_batch_place: bool
    contract_batch_cancel_envelope: str
    api_closed: list[str]


class ChangeSettingsRequest(Struct, rename="camel", kw_only=True):
    """`batchCancelWording` is `document` or `live`: how an unknown order of a batch is answered.

    `contractBatchCancelEnvelope` is `object` or `array`: results in `orderList`, or bare.
    `apiClosed` lists all contracts that take no orders over the interface, and may be empty.
    """

    batch_place: Flag | None = None
    batch_cancel_wording: Text | None = None
    contract_batch_place: Flag | None = None
    contract_batch_cancel_envelope: Text | None = None
    api_closed: SymbolTexts | None = None


_W = (1, 0)
health = VENUE.get("/health", _W, HealthRequest, Health)
owners = VENUE.get("/owners", _W, Empty, list[OwnerView])
create_owner = VENUE.post("/owners", _W, CreateOwnerRequest, OwnerView)
freeze_owner = VENUE.post("/owners/freeze", _W, FreezeRequest, OwnerView)
set_fees = VENUE.post("/owners/fees", _W, FeesRequest, OwnerView)
keys = VENUE.get("/keys", _W, KeysRequest, list[KeyView])
create_key = VENUE.post("/keys", _W, CreateKeyRequest, CreatedKey)
revoke_key = VENUE.post("/keys/revoke", _W, RevokeKeyRequest, KeyView)
deposit = VENUE.post("/deposit", _W, MoneyRequest, Moved)
withdraw = VENUE.post("/withdraw", _W, MoneyRequest, Moved)
transfer = VENUE.post("/transfer", _W, TransferRequest, list[Moved])
assets = VENUE.get("/assets", _W, Empty, list[AssetView])
register_asset = VENUE.post("/assets", _W, AssetRequest, AssetView)
instruments = VENUE.get("/instruments", _W, Empty, list[InstrumentView])
list_instrument = VENUE.post("/instruments", _W, InstrumentRequest, InstrumentView)
change_instrument = VENUE.post("/instruments/change", _W, ChangeInstrumentRequest, InstrumentView)
halt = VENUE.post("/instruments/halt", _W, HaltRequest, InstrumentView)
resume = VENUE.post("/instruments/resume", _W, ResumeRequest, InstrumentView)
settings = VENUE.get("/settings", _W, Empty, Settings)
change_settings = VENUE.post("/settings", _W, ChangeSettingsRequest, Settings)

ROWS = rows(globals())
