"""Demo operations: the contract side on the instruments that settle in SUSDT."""

from __future__ import annotations

from venue.api.contract.account import ContractBalance, PositionView
from venue.api.contract.orders import (
    ContractOrderAck,
    ContractOrderHistoryRequest,
    Orders,
    PlaceContractOrderRequest,
)
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access

READ = Under("/capi/v3/sim", Access.READ)
TRADE = Under("/capi/v3/sim", Access.CONTRACT_TRADE)
demo_balance = READ.get("/balance", (5, 10), Empty, list[ContractBalance])
demo_positions = READ.get("/position/allPosition", (10, 15), Empty, list[PositionView])
demo_order_history = READ.get("/order/history", (10, 10), ContractOrderHistoryRequest, Orders)
place_demo_order = TRADE.place("/order", (2, 5), PlaceContractOrderRequest, ContractOrderAck)

ROWS = rows(globals())
