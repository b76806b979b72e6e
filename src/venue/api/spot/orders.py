"""Spot trading operations: place, cancel and ask for orders and fills."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from venue.api.fields import (
    BATCH_PLACE_MAX,
    ClientId,
    ClientIds,
    Decimal,
    FromId,
    Id,
    Ids,
    Page,
    SideName,
    Symbol,
    TimeInForceName,
    TimeMs,
    TypeName,
    UpTo1000,
    batch_of,
)
from venue.api.operation import BATCH_ORDERS, Under, rows
from venue.vocabulary import Access


class PlaceOrderRequest(Struct, rename="camel", kw_only=True):
    """A new order; `quantity` is in base units, `price` is for LIMIT only, GTC is the default."""

    symbol: Symbol
    side: SideName
    type: TypeName
    quantity: Decimal
    price: Decimal | None = None
    time_in_force: TimeInForceName | None = None
    new_client_order_id: ClientId | None = None


class OrderAck(Struct, rename="camel"):
    """An accepted order."""

    symbol: str
    order_id: int
    client_order_id: str
    transact_time: int


class BatchItem(Struct, rename="camel"):
    """One order of a batch; `timeInForce` is required for LIMIT, `symbol` is the batch's if any."""

    side: SideName
    type: TypeName
    quantity: Decimal
    price: Decimal | None = None
    time_in_force: TimeInForceName | None = None
    new_client_order_id: ClientId | None = None
    symbol: Symbol | None = None


class PlaceBatchRequest(Struct, rename="camel", kw_only=True):
    """Up to 10 orders in one symbol; each succeeds or fails alone."""

    symbol: Symbol
    order_list: Annotated[list[BatchItem], batch_of(BATCH_PLACE_MAX)]


class BatchPlaced(Struct, rename="camel"):
    """One order's result: either `orderId`, or `errorCode` and `errorMsg`."""

    symbol: str
    client_order_id: str
    transact_time: int
    order_id: int | UnsetType = UNSET
    error_code: str | UnsetType = UNSET
    error_msg: str | UnsetType = UNSET


class PlaceBatchReply(Struct, rename="camel"):
    order_list: list[BatchPlaced]


class OrderRequest(Struct, rename="camel", kw_only=True):
    """One order, by `orderId` or by `origClientOrderId`."""

    order_id: Id | None = None
    orig_client_order_id: ClientId | None = None


class Canceled(Struct, rename="camel"):
    """The order's end; it carries the id it was asked by."""

    status: str
    order_id: int | UnsetType = UNSET
    orig_client_order_id: str | UnsetType = UNSET


class SymbolRequest(Struct, kw_only=True):
    """One symbol."""

    symbol: Symbol


class CancelBatchRequest(Struct, rename="camel", kw_only=True):
    """Up to 50 orders by id, by client id, or both; `symbol` restricts them when given."""

    order_ids: Ids | None = None
    orig_client_order_ids: ClientIds | None = None
    symbol: Symbol | None = None


class BatchCanceled(Struct, rename="camel"):
    """One requested order's final status; `errorMsg` when it was not canceled."""

    status: str
    order_id: int | UnsetType = UNSET
    error_msg: str | UnsetType = UNSET


class CancelBatchReply(Struct, rename="camel"):
    order_list: list[BatchCanceled]


class OpenOrdersRequest(Struct, kw_only=True):
    """Open orders of one symbol, or of all."""

    symbol: Symbol | None = None


class OrderView(Struct, rename="camel"):
    """One spot order (section 2.2 of the interface)."""

    symbol: str
    order_id: int
    client_order_id: str
    price: str
    orig_qty: str
    executed_qty: str
    cummulative_quote_qty: str
    status: str
    time_in_force: str
    type: str
    side: str
    time: int
    update_time: int
    is_working: bool


class AllOrdersRequest(Struct, rename="camel", kw_only=True):
    """Orders of one symbol in every status, newest first; pages count from 1."""

    symbol: Symbol
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo1000 = 100
    page: Page = 1


class MyTradesRequest(Struct, rename="camel", kw_only=True):
    """Own fills in one symbol, newest first.

    `fromId` is this venue's own parameter: from a fill on, the oldest first. With the id after that
    of the last one a program reads on, also within a millisecond.
    """

    symbol: Symbol
    order_id: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    from_id: FromId | None = None
    limit: UpTo1000 = 100


class MyTrade(Struct, rename="camel"):
    """One fill; the commission is in base for a buy, in quote for a sell."""

    symbol: str
    id: int
    order_id: int
    price: str
    qty: str
    quote_qty: str
    commission: str
    time: int
    is_buyer: bool


TRADE = Under("/api/v3", Access.SPOT_TRADE)
READ = Under("/api/v3", Access.READ)
place_order = TRADE.place("/order", (2, 5), PlaceOrderRequest, OrderAck)
place_batch = TRADE.place(
    "/order/batch", (10, 50), PlaceBatchRequest, PlaceBatchReply, BATCH_ORDERS
)
cancel_order = TRADE.delete("/order", (1, 1), OrderRequest, Canceled)
cancel_open_orders = TRADE.delete("/openOrders", (1, 1), SymbolRequest, list[Canceled])
cancel_batch = TRADE.delete_many("/order/batch", (5, 10), CancelBatchRequest, CancelBatchReply)
order = READ.get("/order", (2, 2), OrderRequest, OrderView)
open_orders = READ.get("/openOrders", (3, 3), OpenOrdersRequest, list[OrderView])
all_orders = READ.get("/allOrders", (10, 10), AllOrdersRequest, list[OrderView])
my_trades = READ.get("/myTrades", (5, 5), MyTradesRequest, list[MyTrade])

ROWS = rows(globals())
