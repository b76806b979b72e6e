"""Operator operations of the contract side: contracts, index prices, positions, liquidations."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from venue.api.fields import (
    Decimal,
    DecimalOrZero,
    Flag,
    Id,
    Kind,
    Leverage,
    Rate,
    Symbol,
    Text,
    Texts,
    UpTo1000,
)
from venue.api.operation import VENUE, Empty, rows
from venue.api.operator.preview import PreviewRefusal
from venue.api.operator.venue import HaltRequest, IndexCostView, ResumeRequest
from venue.vocabulary import COIN, UNDERLYINGS, AdlPolicy

TIERS_MAX: Final = 10

Tiers = Annotated[
    list[str],
    Meta(
        min_length=1,
        max_length=TIERS_MAX,
        extra={"kind": Kind.TEXTS.value},
        description="Ascending, each as notional:leverage:maintenanceRate, e.g. 2000000:100:0.004.",
    ),
]
PolicyName = Annotated[
    str,
    Meta(
        extra={"kind": Kind.CHOICE.value},
        extra_json_schema={"enum": [policy.name for policy in AdlPolicy]},
    ),
]
UnderlyingName = Annotated[
    str,
    Meta(
        extra={"kind": Kind.CHOICE.value},
        extra_json_schema={"enum": list(UNDERLYINGS)},
    ),
]


class ContractRequest(Struct, rename="camel", kw_only=True):
    """A contract to list: increments and sizes as decimals, rates and bands as fractions.

    It settles in `quoteAsset`. `fundingTimes` are times of day (UTC); `indexSources` are `spot`
    (the spot market of the same symbol, as long as its book fills `indexNotional` on each side) or
    names under which index prices are posted. The index moves by at most `indexStepRate` a second.
    `indexStepRate` and `fundingCapRate` are at most 0.75 x the first tier's maintenance rate;
    without them, that or 0.005 and 0.003. Fee rates are at most half of the maintenance rate. One
    owner's longs, and its shorts, are at most `maxOwnerShare` of `maxOpenInterest`.

    The index follows its sources within `tradingHours`, at most 10 spans such as
    `MON-FRI 14:30-21:00` (UTC), always without any; orders only reduce outside of them.

    `indexNotional` and `impactNotional` are amounts of the settle asset: at least a thousandth of
    the first tier's notional and at most the last tier's. Without them they follow the first tier,
    as a 200th and a 100th of it.
    """

    base_asset: Text
    quote_asset: Text
    tick_size: Decimal
    step_size: Decimal
    min_order_size: Decimal
    max_order_size: Decimal
    market_open_limit_size: Decimal
    max_position_size: Decimal
    max_open_interest: Decimal
    max_leverage: Leverage
    tiers: Tiers
    maker_fee_rate: Rate = "0.0002"
    taker_fee_rate: Rate = "0.0006"
    liquidation_fee_rate: Rate = "0.005"
    buy_limit_price_ratio: Decimal = "0.1"
    sell_limit_price_ratio: Decimal = "0.1"
    market_price_ratio: Decimal = "0.05"
    index_sources: Texts | None = None
    funding_times: Texts | None = None
    adl_policy: PolicyName = AdlPolicy.QUEUE.name
    index_notional: Decimal | None = None
    impact_notional: Decimal | None = None
    index_step_rate: Rate | None = None
    funding_cap_rate: Rate | None = None
    max_owner_share: Rate = "0.25"
    underlying_type: UnderlyingName = COIN
    trading_hours: Texts | None = None


class ChangeContractRequest(Struct, rename="camel", kw_only=True):
    """New limits, tiers, rates, bands or rules of prices of a contract; absent fields stay."""

    symbol: Symbol
    min_order_size: Decimal | None = None
    max_order_size: Decimal | None = None
    market_open_limit_size: Decimal | None = None
    max_position_size: Decimal | None = None
    max_open_interest: Decimal | None = None
    max_leverage: Leverage | None = None
    tiers: Tiers | None = None
    maker_fee_rate: Rate | None = None
    taker_fee_rate: Rate | None = None
    liquidation_fee_rate: Rate | None = None
    buy_limit_price_ratio: Decimal | None = None
    sell_limit_price_ratio: Decimal | None = None
    market_price_ratio: Decimal | None = None
    index_sources: Texts | None = None
    funding_times: Texts | None = None
    adl_policy: PolicyName | None = None
    index_notional: Decimal | None = None
    impact_notional: Decimal | None = None
    index_step_rate: Rate | None = None
    funding_cap_rate: Rate | None = None
    max_owner_share: Rate | None = None
    trading_hours: Texts | None = None


class ChangePreview(Struct, rename="camel"):
    """The effects that a change of a contract would have now. None happens, and nothing is
    journaled (rule 1.7).

    `sequence` names the state it is about: the next command may change it. A refused change has
    nothing but `refused`. `orders` are the first 100 of the `endedOrders` that would end.
    """

    sequence: int
    accepted: bool
    refused: PreviewRefusal | None = None
    ended_orders: int = 0
    owners: int = 0
    orders: list[int] = []
    taken_positions: int = 0
    kept_positions: int = 0
    former_tiers_end: int = 0


class ContractView(Struct, rename="camel"):
    """A listed contract. Prices are "0" before there are any; the index may be out of date.

    While `inDoubt` is true orders may only reduce positions: so they do outside the market hours,
    until `reopens` (ms, 0 within them). While positions keep former tiers, its
    fee rates, its index step and its funding cap count as at most what the lowest maintenance rate
    of a position allows.
    """

    symbol: str
    base_asset: str
    quote_asset: str
    tick_size: str
    step_size: str
    min_order_size: str
    max_order_size: str
    market_open_limit_size: str
    max_position_size: str
    max_open_interest: str
    max_owner_share: str
    max_leverage: int
    tiers: list[str]
    maker_fee_rate: str
    taker_fee_rate: str
    liquidation_fee_rate: str
    buy_limit_price_ratio: str
    sell_limit_price_ratio: str
    market_price_ratio: str
    index_sources: list[str]
    funding_times: list[str]
    underlying_type: str
    trading_hours: list[str]
    reopens: int
    adl_policy: str
    halted: bool
    halt_reason: str
    index_price: str
    mark_price: str
    index_is_current: bool
    open_interest: str
    index_notional: str
    impact_notional: str
    index_step_rate: str
    funding_cap_rate: str
    in_doubt: bool
    state: str
    settle_price: str
    index_cost: IndexCostView
    former_positions: int
    former_tiers_end: int


class DelistRequest(Struct, kw_only=True):
    """Announce the end of a contract: its orders only reduce from now on. That cannot be undone."""

    symbol: Symbol


class SettleRequest(Struct, kw_only=True):
    """Close all positions of a delisted contract at a price, within its lowest maintenance rate of
    the last mark. Its orders end."""

    symbol: Symbol
    price: Decimal


class IndexRequest(Struct, kw_only=True):
    """One source's index price of a contract; 0 says that the source has none. `source` may be left
    out when the contract has one only.

    The index follows it by at most its step a second. On a practice venue `jump` takes it at once.
    """

    symbol: Symbol
    price: DecimalOrZero
    source: Text | None = None
    jump: Flag = False


class PositionsRequest(Struct, kw_only=True):
    """The open positions of one owner."""

    owner: Text


class OperatorPosition(Struct, rename="camel"):
    """An open position; the pool that carries it is liquidated when its equity reaches its
    maintenance margin. A `liquidatePrice` of 0 means none."""

    id: int
    symbol: str
    side: str
    margin_type: str
    separated_mode: str
    leverage: int
    size: str
    entry_price: str
    mark_price: str
    liquidate_price: str
    unrealize_pnl: str
    asset: str
    pool_equity: str
    pool_maintenance: str
    former_tiers_end: int


class LiquidationsRequest(Struct, kw_only=True):
    """The newest liquidations, of one owner or of all."""

    owner: Text | None = None
    limit: UpTo1000 = 100


class LiquidationView(Struct, rename="camel"):
    """One pool's liquidation; `position` 0 is the cross pool. `finished` is 0 while it runs."""

    id: int
    uid: int
    owner: str
    position: int
    asset: str
    symbol: str
    time: int
    finished: int
    equity: str
    maintenance: str
    collateral: str
    equity_after: str
    maintenance_after: str
    topped_up: str
    compensated: str
    fund_equity: str


class LiquidationRequest(Struct, kw_only=True):
    """One liquidation."""

    id: Id


class LiquidationStepView(Struct, rename="camel"):
    """One rung for one position: the lots to be closed, and where they went. Tiers from 1."""

    position: int
    symbol: str
    side: str
    mark_price: str
    tier: int
    bankruptcy_price: str
    wanted: str
    filled: str
    taken_over: str
    deleveraged: str
    fee: str
    fund_change: str


class LiquidationFill(Struct, rename="camel"):
    """A fill of the liquidated owner: in the book (LIQUIDATION), by the fund or a counterparty."""

    trade_id: int
    cause: str
    symbol: str
    price: str
    qty: str
    realized_pnl: str
    fee: str
    time: int


class DeleveragedPosition(Struct, rename="camel"):
    """An opposite position that took over a part, with its place in the ranking, from 1."""

    position: int
    uid: int
    owner: str
    symbol: str
    qty: str
    price: str
    rank: int


class LiquidationStoryView(Struct, rename="camel"):
    """A liquidation in full, oldest first."""

    liquidation: LiquidationView
    steps: list[LiquidationStepView]
    fills: list[LiquidationFill]
    deleveraged: list[DeleveragedPosition]


_W = (1, 0)
contracts = VENUE.get("/contracts", _W, Empty, list[ContractView])
list_contract = VENUE.post("/contracts", _W, ContractRequest, ContractView)
change_contract = VENUE.post("/contracts/change", _W, ChangeContractRequest, ContractView)
preview_change = VENUE.post("/contracts/change/preview", _W, ChangeContractRequest, ChangePreview)
halt_contract = VENUE.post("/contracts/halt", _W, HaltRequest, ContractView)
resume_contract = VENUE.post("/contracts/resume", _W, ResumeRequest, ContractView)
delist_contract = VENUE.post("/contracts/delist", _W, DelistRequest, ContractView)
settle_contract = VENUE.post("/contracts/settle", _W, SettleRequest, ContractView)
post_index = VENUE.post("/index", _W, IndexRequest, ContractView)
operator_positions = VENUE.get("/positions", _W, PositionsRequest, list[OperatorPosition])
liquidations = VENUE.get("/liquidations", _W, LiquidationsRequest, list[LiquidationView])
liquidation = VENUE.get("/liquidation", _W, LiquidationRequest, LiquidationStoryView)

ROWS = rows(globals())
