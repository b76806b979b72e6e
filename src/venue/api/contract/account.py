"""Account operations of the contract side: balances, positions, income, leverage, margin."""

from __future__ import annotations

from msgspec import Struct

from venue.api.contract.market import ContractSelectionRequest, ContractSymbolRequest
from venue.api.fields import (
    Decimal,
    Flag,
    Id,
    IncomeTypeName,
    Leverage,
    MarginChange,
    MarginTypeName,
    SeparatedTypeName,
    Symbol,
    Text,
    TimeMs,
    TransferReasonName,
    UpTo100,
)
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class ContractBalance(Struct, rename="camel"):
    """One settle asset: the wallet with the unrealized profit in `balance`, its free part, and the
    margin of open orders. `balance` less `unrealizePnl` is the wallet, which no mark moves."""

    asset: str
    balance: str
    available_balance: str
    frozen: str
    unrealize_pnl: str


class CommissionRate(Struct, rename="camel"):
    """The account's rates in one contract, as fractions."""

    symbol: str
    maker_commission_rate: str
    taker_commission_rate: str


class AccountConfig(Struct, rename="camel"):
    """The account's permissions; long and short positions may always stand side by side."""

    can_trade: bool
    can_deposit: bool
    can_withdraw: bool
    dual_side_position: bool
    update_time: int


class SymbolConfig(Struct, rename="camel"):
    """The account's modes and leverages in one contract."""

    symbol: str
    margin_type: str
    separated_type: str
    cross_leverage: str
    isolated_long_leverage: str
    isolated_short_leverage: str


class PositionView(Struct, rename="camel"):
    """One open position; sizes in base units and positive on both sides, values in the asset.

    The entry price is `openValue` / `size`; a `liquidatePrice` of 0 means none. Fields that begin
    with `cum` are summed over the position's life.
    """

    id: int
    asset: str
    symbol: str
    side: str
    margin_type: str
    separated_mode: str
    separated_open_order_id: int
    leverage: str
    size: str
    open_value: str
    open_fee: str
    funding_fee: str
    margin_size: str
    isolated_margin: str
    is_auto_append_isolated_margin: bool
    cum_open_size: str
    cum_open_value: str
    cum_open_fee: str
    cum_close_size: str
    cum_close_value: str
    cum_close_fee: str
    cum_funding_fee: str
    cum_liquidate_fee: str
    created_match_sequence_id: int
    updated_match_sequence_id: int
    created_time: int
    updated_time: int
    unrealize_pnl: str
    liquidate_price: str


class IncomeRequest(Struct, rename="camel", kw_only=True):
    """Income items, newest first; both members of a reply's `nextKey` ask for the next page."""

    asset: Text | None = None
    symbol: Symbol | None = None
    income_type: IncomeTypeName | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo100 = 20
    next_key_id: Id | None = None
    next_key_time: TimeMs | None = None


class IncomeItem(Struct, rename="camel"):
    """One change of collateral (section 2.4 of the interface); the symbol of transfers is empty.

    With the profile `live` it is null.
    """

    bill_id: int
    asset: str
    symbol: str | None
    income: str
    income_type: IncomeTypeName
    balance: str
    fill_fee: str
    time: int
    transfer_reason: TransferReasonName


class IncomeKey(Struct, rename="camel"):
    """The start of the next page."""

    next_key_id: int
    next_key_time: int


class IncomePage(Struct, rename="camel"):
    """Income items; `nextKey` is null on the last page."""

    has_next_page: bool
    items: list[IncomeItem]
    next_key: IncomeKey | None


class MarginTypeRequest(Struct, rename="camel", kw_only=True):
    """Margin mode of a contract, and whether each opening order is its own position."""

    symbol: Symbol
    margin_type: MarginTypeName
    separated_type: SeparatedTypeName | None = None


class Acknowledged(Struct, rename="camel", kw_only=True):
    """The change was made."""

    code: str = "200"
    msg: str = "success"
    request_time: int


class LeverageRequest(Struct, rename="camel", kw_only=True):
    """New leverages of a contract; those sent are applied together or not at all."""

    symbol: Symbol
    margin_type: MarginTypeName | None = None
    cross_leverage: Leverage | None = None
    isolated_long_leverage: Leverage | None = None
    isolated_short_leverage: Leverage | None = None


class LeverageReply(Struct, rename="camel"):
    """The leverages after the change (section 2.7 of the interface); 0 for those not in use."""

    symbol: str
    margin_type: str
    cross_leverage: str
    isolated_long_leverage: str
    isolated_short_leverage: str


class PositionMarginRequest(Struct, rename="camel", kw_only=True):
    """An amount into or out of an isolated position's margin."""

    isolated_position_id: Id
    amount: Decimal
    type: MarginChange


class AutoMarginRequest(Struct, rename="camel", kw_only=True):
    """Switch an isolated position's automatic top-up."""

    position_id: Id
    auto_append_margin: Flag


READ = Under("/capi/v3/account", Access.READ)
TRADE = Under("/capi/v3/account", Access.CONTRACT_TRADE)
contract_balance = READ.get("/balance", (5, 10), Empty, list[ContractBalance])
commission_rate = READ.get("/commissionRate", (5, 10), ContractSymbolRequest, CommissionRate)
account_config = READ.get("/accountConfig", (5, 10), Empty, AccountConfig)
symbol_config = READ.get("/symbolConfig", (5, 10), ContractSelectionRequest, list[SymbolConfig])
positions = READ.get("/position/allPosition", (10, 15), Empty, list[PositionView])
position = READ.get("/position/singlePosition", (2, 3), ContractSymbolRequest, list[PositionView])
income = READ.post("/income", (2, 5), IncomeRequest, IncomePage)
set_margin_type = TRADE.post("/marginType", (20, 50), MarginTypeRequest, Acknowledged)
set_leverage = TRADE.post("/leverage", (10, 20), LeverageRequest, LeverageReply)
move_margin = TRADE.post("/positionMargin", (15, 30), PositionMarginRequest, Acknowledged)
set_auto_margin = TRADE.post("/modifyAutoAppendMargin", (15, 30), AutoMarginRequest, Acknowledged)

ROWS = rows(globals())
