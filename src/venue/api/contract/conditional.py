"""Conditional orders of the contract side: place, change, cancel and ask for them."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from venue.api.contract.orders import (
    AllCanceled,
    CancelAllRequest,
    ContractCanceled,
    ContractOrderAck,
    ContractOrderRequest,
)
from venue.api.fields import (
    AlgoTypeName,
    ContractClientId,
    Decimal,
    DecimalOrZero,
    Id,
    Page,
    PlanTypeName,
    PositionSideName,
    Rate,
    SideName,
    Symbol,
    TimeMs,
    UpTo100,
    UpTo1000,
    WorkingTypeName,
)
from venue.api.operation import Under, rows
from venue.vocabulary import Access


class PlaceAlgoRequest(Struct, rename="camel", kw_only=True):
    """A conditional order; `price` is for STOP and TAKE_PROFIT, the others execute at market.

    A stop waits for the price that `SlWorkingType` names, a take-profit for `TpWorkingType`'s; the
    preset prices attach exits to the order it becomes. TRAILING_STOP_MARKET takes `callbackRate`,
    a fraction, and may take `activatePrice`; all others take `triggerPrice`.
    """

    symbol: Symbol
    side: SideName
    position_side: PositionSideName
    type: AlgoTypeName
    quantity: Decimal
    client_algo_id: ContractClientId
    trigger_price: Decimal | None = None
    price: Decimal | None = None
    preset_take_profit_price: Decimal | None = None
    preset_stop_loss_price: Decimal | None = None
    tp_working_type: WorkingTypeName = field(default="CONTRACT_PRICE", name="TpWorkingType")
    sl_working_type: WorkingTypeName = field(default="CONTRACT_PRICE", name="SlWorkingType")
    activate_price: Decimal | None = None
    callback_rate: Rate | None = None


class PlaceExitRequest(Struct, rename="camel", kw_only=True):
    """A take-profit or stop-loss of a position; without a quantity it is for the whole of it.

    It executes at market unless `executePrice` is given and not 0.
    """

    symbol: Symbol
    client_algo_id: ContractClientId
    plan_type: PlanTypeName
    trigger_price: Decimal
    position_side: PositionSideName
    execute_price: DecimalOrZero | None = None
    quantity: DecimalOrZero | None = None
    trigger_price_type: WorkingTypeName = "CONTRACT_PRICE"


class ExitAck(Struct, rename="camel"):
    """An accepted take-profit or stop-loss; the errors are empty."""

    success: bool
    order_id: int
    error_code: str = ""
    error_message: str = ""


class ChangeExitRequest(Struct, rename="camel", kw_only=True):
    """New prices of a take-profit or stop-loss that has not been triggered."""

    order_id: Id
    trigger_price: Decimal
    execute_price: DecimalOrZero | None = None
    trigger_price_type: WorkingTypeName | None = None


class ExitChanged(Struct):
    success: bool = True


class OpenAlgosRequest(Struct, rename="camel", kw_only=True):
    """Waiting conditional orders of one contract, or of all; pages count from 1."""

    symbol: Symbol | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: Page = 1
    limit: UpTo100 = 100


class OpenAlgo(Struct, rename="camel"):
    """One waiting conditional order; `tpOrderType` is the trigger of its attached take-profit.

    `actualOrderId` is the order it was attached to. Trailing stops carry the last two fields.
    """

    algo_id: int
    client_algo_id: str
    algo_type: str
    order_type: str
    symbol: str
    side: str
    position_side: str
    time_in_force: str
    quantity: str
    algo_status: str
    actual_order_id: int | None
    actual_price: str
    trigger_price: str
    price: str
    tp_trigger_price: str | None
    tp_price: str | None
    sl_trigger_price: str | None
    sl_price: str | None
    tp_order_type: str | None
    working_type: str
    close_position: bool
    reduce_only: bool
    create_time: int
    update_time: int
    trigger_time: int
    activate_price: str | UnsetType = UNSET
    callback_rate: str | UnsetType = UNSET


class AllAlgosRequest(Struct, rename="camel", kw_only=True):
    """Ended conditional orders, newest first, at most 90 days at a time."""

    symbol: Symbol | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo1000 = 500


class EndedAlgo(Struct, rename="camel"):
    """One conditional order (section 2.3 of the interface); `actualOrderId`: the order it became.

    Trailing stops carry the last two fields.
    """

    algo_id: int
    client_algo_id: str
    algo_type: str
    order_type: str
    symbol: str
    side: str
    position_side: str
    time_in_force: str
    quantity: str
    algo_status: str
    actual_order_id: int
    actual_price: str
    trigger_price: str
    price: str
    working_type: str
    create_time: int
    update_time: int
    trigger_time: int
    activate_price: str | UnsetType = UNSET
    callback_rate: str | UnsetType = UNSET


class EndedAlgos(Struct, rename="camel"):
    """A page; where more follow, ask again with `endTime` at the oldest `createTime`."""

    orders: list[EndedAlgo]
    has_more: bool


class TrailingHistoryRequest(Struct, rename="camel", kw_only=True):
    """Ended trailing stops, newest first, at most 90 days at a time; pages count from 1.

    No public description of this operation exists: its reply has the fields of `allAlgoOrders`.
    """

    symbol: Symbol | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: Page = 1
    limit: UpTo100 = 100


EndedOnes = list[EndedAlgo]

TRADE = Under("/capi/v3", Access.CONTRACT_TRADE)
LED = Under("/capi/v3", Access.CONTRACT_TRADE, lead=True)  # for lead traders' keys too
READ = Under("/capi/v3", Access.READ)
place_algo = TRADE.place("/algoOrder", (2, 5), PlaceAlgoRequest, ContractOrderAck)
place_exit = LED.place("/placeTpSlOrder", (2, 5), PlaceExitRequest, list[ExitAck])
change_exit = LED.post("/modifyTpSlOrder", (2, 5), ChangeExitRequest, ExitChanged)
cancel_algo = TRADE.delete("/algoOrder", (2, 3), ContractOrderRequest, ContractCanceled)
cancel_algos = TRADE.delete("/algoOpenOrders", (5, 10), CancelAllRequest, AllCanceled)
open_algos = READ.get("/openAlgoOrders", (3, 3), OpenAlgosRequest, list[OpenAlgo])
all_algos = READ.get("/allAlgoOrders", (5, 10), AllAlgosRequest, EndedAlgos)
open_trailing = READ.get("/trailing/openOrders", (2, 2), OpenAlgosRequest, list[OpenAlgo])
trailing_history = READ.get("/trailing/historyOrders", (10, 10), TrailingHistoryRequest, EndedOnes)

ROWS = rows(globals())
