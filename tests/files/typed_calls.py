"""Calls as two type checkers must see them; `tests/adapters/test_typed_calls.py` asks both.

An `ignore` that is not needed is an error to both, so each marks a call that they refuse.
"""
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterator
from decimal import Decimal
from typing import Any, assert_type

from venue import AsyncClient, Client
from venue.api.contract.account import IncomeItem
from venue.api.spot.market import Price
from venue.api.spot.orders import BatchItem, OrderAck, OrderView


def blocking(client: Client, order: OrderView) -> None:
    ack = client.place_order(symbol="BTCUSDT", side="BUY", type="LIMIT", quantity="1", price=5)
    assert_type(ack, OrderAck)
    assert_type(ack.order_id, int)
    assert_type(client.open_orders(symbol=order.symbol), list[OrderView])
    assert_type(client.open_orders(), list[OrderView])
    assert_type(client.prices(symbol="BTCUSDT"), Price | list[Price])
    assert_type(client.each_all_orders(symbol="BTCUSDT", limit=5), Iterator[OrderView])
    assert_type(client.each_income(), Iterator[IncomeItem])
    item = BatchItem(side="BUY", type="MARKET", quantity=Decimal("0.1"))
    client.place_batch(symbol="BTCUSDT", order_list=[item])


async def awaited(client: AsyncClient) -> None:
    placing = client.place_order(symbol="BTCUSDT", side="BUY", type="MARKET", quantity=Decimal(1))
    ack = await placing
    assert_type(ack, OrderAck)
    listing = assert_type(client.open_orders(), Coroutine[Any, Any, list[OrderView]])
    assert_type(await listing, list[OrderView])
    assert_type(client.each_all_orders(symbol="BTCUSDT"), AsyncIterator[OrderView])
    assert_type([item async for item in client.each_income()], list[IncomeItem])


def refused(client: Client) -> None:
    client.depth(symbl="BTCUSDT")  # type: ignore
    client.depth("BTCUSDT")  # type: ignore
    client.depth()  # type: ignore
    client.order(order_id="17")  # type: ignore
    client.place_order(symbol="S", side="BUY", type="MARKET", quantity=0.1)  # type: ignore
    print(client.open_orders().order_id)  # type: ignore
    print(client.each_income().next_key)  # type: ignore
    client.each_ping()  # type: ignore
