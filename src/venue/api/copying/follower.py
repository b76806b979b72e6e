"""Operations of followers: settings, copies, closing one, stopping."""

from __future__ import annotations

from msgspec import Struct, field

from venue.api.contract.account import Acknowledged
from venue.api.copying.trader import EndedRequest, EndedTracks
from venue.api.fields import (
    CopyLeverageName,
    CopyMarginName,
    CopyModeName,
    CopyTraceName,
    Decimal,
    Id,
    Leverage,
    Page,
    PageFrom0,
    Rate,
    Symbol,
    Symbols,
    UpTo100,
)
from venue.api.operation import Under, rows
from venue.vocabulary import Access


class CopiesRequest(Struct, rename="camel", kw_only=True):
    """Open copies of one contract, of one trader, or all; oldest first, pages count from 0.

    `traderId` is a uid; `traderUserId` is its older name.
    """

    symbol: Symbol | None = None
    trader_id: Id | None = None
    trader_user_id: Id | None = None
    limit: UpTo100 = 100
    page: PageFrom0 = 0


class OpenCopy(Struct, rename="camel"):
    """One copy: the part of a position that follows a trader's.

    `trackingNo` names it to close it (`copyNo`); `origQty` is its open quantity. `roi` is its
    unrealized profit as a fraction of its margin.
    """

    trader_id: int = field(name="traderID")
    trader_name: str
    symbol: str
    client_order_id: str
    order_id: int
    tracking_no: int
    orig_qty: str
    price: str
    reduce_only: bool
    side: str
    position_side: str
    status: str
    avg_price: str
    tp_trigger_price: str | None
    sl_trigger_price: str | None
    time: int
    time_in_force: str
    type: str
    unrealize_pnl: str
    roi: str
    update_time: int
    working_type: str


class TraderRequest(Struct, rename="camel", kw_only=True):
    """A trader, by `traderId` or by its older name."""

    trader_id: Id | None = None
    trader_user_id: Id | None = None


class CustomLeverage(Struct, rename="camel"):
    """The leverage of one contract's copies."""

    symbol: Symbol
    long_leverage: Leverage
    short_leverage: Leverage


class TraceConfig(Struct, rename="camel"):
    """How a trader is copied, in one contract (`symbol`) or in several (`symbols`, absent: all).

    `traceValue` is the margin of each copied order in units of the settle asset (`amount`), or per
    cent of the part of its money that the trader puts up (`percent`, at most 100). `maxHoldQty` is
    the open value of a contract's copies at most, in units of the settle asset. The profit and loss
    ratios are of a copy's margin, 0 for none; a slippage of 0 is the venue's 0.01.
    """

    trace_type: CopyTraceName
    trace_value: Decimal
    symbol: Symbol | None = None
    symbols: Symbols | None = None
    max_hold_qty: Decimal = "100000"
    stop_profit_ratio: Rate = "0"
    stop_loss_ratio: Rate = "0"
    slippage_ratio: Rate = "0"
    margin_type: CopyMarginName = "trader"
    leverage_type: CopyLeverageName = "fixed"
    fixed_long_leverage: Leverage = 10
    fixed_short_leverage: Leverage = 10
    custom_leverages: list[CustomLeverage] | None = None


class SettingsRequest(Struct, rename="camel", kw_only=True):
    """Follow a trader, or follow one differently: with one config for all (`unified`), or with one
    for each contract (`per_symbol`)."""

    setting_type: CopyModeName
    trader_id: Id | None = None
    trader_user_id: Id | None = None
    unified_trace_config: TraceConfig | None = None
    symbol_trace_configs: list[TraceConfig] | None = None


class TraceSettings(Struct, rename="camel"):
    """One config, as it is now."""

    copy_enable: bool
    symbol: str | None
    symbols: list[str]
    product_type: str
    setting_mode: CopyModeName
    trace_type: CopyTraceName
    trace_value: str
    max_hold_size: str
    margin_type: CopyMarginName
    margin_coin: str
    leverage_type: CopyLeverageName
    long_leverage: int
    short_leverage: int
    custom_leverages: list[CustomLeverage]
    take_profit_ratio: str
    stop_loss_ratio: str
    slippage_ratio: str


class CloseCopyRequest(Struct, rename="camel", kw_only=True):
    """Close one copy at market; `copyNo` is its `trackingNo`."""

    symbol: Symbol
    copy_no: Id


class MyTradersRequest(Struct, kw_only=True):
    """Traders that are or were followed, in the order of following; pages count from 1."""

    page: Page = 1
    limit: UpTo100 = 20


class FollowedTrader(Struct, rename="camel"):
    """One trader: open copies, the net result of closed ones, and the amount held for the daily
    settlement."""

    trader_id: int = field(name="traderID")
    trader_name: str
    copy_enable: bool
    copy_count: int
    net_profit: str
    pre_deducted: str
    profit_share_ratio: str
    margin_coin: str
    create_time: int


class MyTraders(Struct, rename="camel"):
    """A page."""

    traders: list[FollowedTrader] = field(name="list")
    next_flag: bool


READ = Under("/capi/v3/copy/follower", Access.READ)
TRADE = Under("/capi/v3/copy/follower", Access.CONTRACT_TRADE)
open_copies = READ.get("/openOrders", (10, 15), CopiesRequest, list[OpenCopy])
copy_settings = READ.get("/settings", (10, 15), TraderRequest, list[TraceSettings])
set_copy_settings = TRADE.post("/settings", (10, 15), SettingsRequest, Acknowledged)
close_copy = TRADE.post("/closePos", (10, 50), CloseCopyRequest, Acknowledged)
stop_copying = TRADE.post("/stopCopy", (10, 10), TraderRequest, Acknowledged)
ended_copies = READ.get("/historyOrders", (10, 10), EndedRequest, EndedTracks)
my_traders = READ.get("/myTraders", (10, 10), MyTradersRequest, MyTraders)

ROWS = rows(globals())
