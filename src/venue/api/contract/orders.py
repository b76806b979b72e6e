"""Contract trading operations: place, cancel, close, and ask for orders and fills."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType, field

from venue.api.fields import (
    CONTRACT_BATCH_MAX,
    AfterId,
    ContractClientId,
    ContractClientIds,
    ContractIds,
    Decimal,
    FromId,
    Id,
    IdOrAll,
    PageFrom0,
    PositionSideName,
    SideName,
    Symbol,
    SymbolOrAll,
    TimeInForceName,
    TimeMs,
    TypeName,
    UpTo100,
    UpTo1000,
    WorkingTypeName,
    batch_of,
)
from venue.api.operation import BATCH_ORDERS, Under, either, rows
from venue.vocabulary import Access


class PlaceContractOrderRequest(Struct, rename="camel", kw_only=True):
    """A new order; `quantity` is in base units, side and position side tell open from close.

    `tpTriggerPrice` and `slTriggerPrice` attach exits, executed at market. `positionId` names the
    position that a closing order reduces where several stand on one side.
    """

    symbol: Symbol
    side: SideName
    position_side: PositionSideName
    type: TypeName
    quantity: Decimal
    price: Decimal | None = None
    time_in_force: TimeInForceName | None = None
    new_client_order_id: ContractClientId | None = None
    tp_trigger_price: Decimal | None = None
    sl_trigger_price: Decimal | None = None
    tp_working_type: WorkingTypeName = field(default="CONTRACT_PRICE", name="TpWorkingType")
    sl_working_type: WorkingTypeName = field(default="CONTRACT_PRICE", name="SlWorkingType")
    position_id: Id | None = None


class ContractOrderAck(Struct, rename="camel"):
    """An accepted order; its id is text here. The errors are empty unless a batch's item failed."""

    order_id: str
    client_order_id: str
    success: bool = True
    error_code: str = ""
    error_message: str = ""


class PlaceContractBatchRequest(Struct, rename="camel", kw_only=True):
    """Up to 10 orders; each succeeds or fails alone. `timeInForce` is required for LIMIT."""

    batch_orders: Annotated[list[PlaceContractOrderRequest], batch_of(CONTRACT_BATCH_MAX)]


class ContractOrderRequest(Struct, rename="camel", kw_only=True):
    """One order, by `orderId` or by `origClientOrderId`."""

    order_id: Id | None = None
    orig_client_order_id: ContractClientId | None = None


class ContractCanceled(Struct, rename="camel"):
    """One requested order's end; its ids are text here, the errors empty when it was canceled."""

    order_id: str
    orig_client_order_id: str
    success: bool = True
    error_code: str = ""
    error_message: str = ""


class CancelContractBatchRequest(Struct, rename="camel", kw_only=True):
    """Up to 10 orders by id, by client id, or both."""

    order_id_list: ContractIds | None = None
    orig_client_order_id_list: ContractClientIds | None = None


class ContractBatchCanceled(Struct, rename="camel"):
    order_list: list[ContractCanceled]


class CancelAllRequest(Struct, kw_only=True):
    """All of a contract, or of all contracts but those that settle in demo money."""

    symbol: SymbolOrAll | None = None


class ContractOrderCanceled(Struct, rename="camel"):
    """One of all orders that were canceled."""

    order_id: int
    success: bool = True
    error_code: str = ""
    error_message: str = ""


class ClosePositionsRequest(Struct, rename="camel", kw_only=True):
    """One position, all of a contract, or all but those in demo money; whole, at market."""

    symbol: SymbolOrAll | None = None
    position_id: IdOrAll | None = None


class ClosedPosition(Struct, rename="camel"):
    """The result for one position; `successOrderId` is 0 and `errorMessage` filled on failure."""

    position_id: int
    success: bool
    success_order_id: int
    error_message: str


class ContractOrderView(Struct, rename="camel"):
    """One contract order (section 2.1 of the interface); open orders carry four fields more."""

    avg_price: str
    client_order_id: str
    cum_quote: str
    executed_qty: str
    order_id: int
    orig_qty: str
    price: str
    reduce_only: bool
    side: str
    position_side: str
    status: str
    stop_price: str
    symbol: str
    time: int
    time_in_force: str
    type: str
    update_time: int
    working_type: str
    price_protect: bool | UnsetType = UNSET
    price_match: str | UnsetType = UNSET
    self_trade_prevention_mode: str | UnsetType = UNSET
    good_till_date: int | UnsetType = UNSET


class ContractOpenOrdersRequest(Struct, rename="camel", kw_only=True):
    """Open orders of one contract, or of all; pages count from 0.

    They were created after `startTime` and before `endTime`: neither millisecond is included.
    """

    symbol: Symbol | None = None
    order_id: AfterId | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo100 = 100
    page: PageFrom0 = 0


class ContractOrderHistoryRequest(Struct, rename="camel", kw_only=True):
    """Ended orders, newest first, at most 90 days at a time; pages count from 0."""

    symbol: Symbol | None = None
    limit: UpTo1000 = 500
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: PageFrom0 = 0


class UserTradesRequest(Struct, rename="camel", kw_only=True):
    """Own fills, newest first; the last 7 days by default.

    `fromId` is this venue's own parameter: from a fill on, the oldest first. With the id after that
    of the last one a program reads on, also within a millisecond.
    """

    symbol: Symbol | None = None
    order_id: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    from_id: FromId | None = None
    limit: UpTo100 = 100


class UserTrade(Struct, rename="camel"):
    """One fill; the commission is in the settle asset."""

    id: int
    order_id: int
    symbol: str
    buyer: bool
    commission: str
    commission_asset: str
    maker: bool
    price: str
    qty: str
    quote_qty: str
    realized_pnl: str
    side: str
    position_side: str
    time: int


# The answers to a batch of cancels: an object, or a bare array where a setting says so.
BatchEnds = either(ContractBatchCanceled, list[ContractCanceled])
# Short names, so that each row stands on one line.
BatchAcks = list[ContractOrderAck]
AllCanceled = list[ContractOrderCanceled]
ClosedPositions = list[ClosedPosition]
Orders = list[ContractOrderView]

TRADE = Under("/capi/v3", Access.CONTRACT_TRADE)
LED = Under("/capi/v3", Access.CONTRACT_TRADE, lead=True)  # for lead traders' keys too
READ = Under("/capi/v3", Access.READ)
place_contract_order = LED.place("/order", (2, 5), PlaceContractOrderRequest, ContractOrderAck)
place_contract_batch = TRADE.place(
    "/batchOrders", (5, 10), PlaceContractBatchRequest, BatchAcks, BATCH_ORDERS
)
cancel_contract_order = TRADE.delete("/order", (2, 3), ContractOrderRequest, ContractCanceled)
cancel_contract_batch = TRADE.delete_many(
    "/batchOrders", (5, 10), CancelContractBatchRequest, BatchEnds
)
cancel_contract_open_orders = TRADE.delete("/allOpenOrders", (5, 10), CancelAllRequest, AllCanceled)
close_positions = LED.post("/closePositions", (40, 50), ClosePositionsRequest, ClosedPositions)
contract_order = READ.get("/order", (2, 3), ContractOrderRequest, ContractOrderView)
contract_open_orders = READ.get("/openOrders", (2, 3), ContractOpenOrdersRequest, Orders)
contract_order_history = READ.get("/order/history", (10, 10), ContractOrderHistoryRequest, Orders)
user_trades = READ.get("/userTrades", (5, 5), UserTradesRequest, list[UserTrade])

ROWS = rows(globals())
