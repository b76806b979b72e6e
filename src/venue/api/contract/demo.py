"""Demo operations: the contract side on the instruments that settle in SUSDT."""

from __future__ import annotations

from venue.api.contract.account import ContractBalance, PositionView
from venue.api.contract.orders import (
    ContractOrderAck,
    ContractOrderHistoryRequest,
    ContractOrderView,
    PlaceContractOrderRequest,
)
from venue.api.operation import Empty, get, post
from venue.vocabulary import Access

READ = Access.READ

_SIM = "/capi/v3/sim"
demo_balance = get("demo_balance", f"{_SIM}/balance", READ, (5, 10), Empty, list[ContractBalance])
demo_positions = get(
    "demo_positions", f"{_SIM}/position/allPosition", READ, (10, 15), Empty, list[PositionView]
)
demo_order_history = get(
    "demo_order_history", f"{_SIM}/order/history", READ, (10, 10), ContractOrderHistoryRequest,
    list[ContractOrderView],
)  # fmt: skip
place_demo_order = post(
    "place_demo_order", f"{_SIM}/order", Access.CONTRACT_TRADE, (2, 5), PlaceContractOrderRequest,
    ContractOrderAck,
)  # fmt: skip

ROWS = (demo_balance, demo_positions, demo_order_history, place_demo_order)
