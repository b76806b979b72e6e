"""Contracts of a live venue in every state, more than a page of each, and strict raw checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from support.contract_desk import ACCOUNT, V3, place
from support.raw import Desk, operate, order
from support.server import Server
from support.shapes import Number, Shape, check

DECIMALS = {"BTCUSDT": (2, 5), "ETHUSDT": (2, 4), "SOLUSDT": (3, 3)}  # of price and quantity
PRICES = {"BTCUSDT": 60_000, "ETHUSDT": 3_000, "SOLUSDT": 150}
SYMBOLS = list(DECIMALS)
LONG, SHORT = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
DAY_MS = 86_400_000
OPEN_BULK, ENDED_BULK, ALGO_BULK, INCOME_BULK = 101, 900, 501, 121  # beyond each default or bound


# -- what a check must refuse ---------------------------------------------------------------------


def others(value: Any) -> list[Any]:
    """Other values than `value`: the same in other JSON types, with more decimals or fewer."""
    if type(value) is bool:
        return [str(value).lower(), Number(int(value)), None]
    if value is None:
        return ["", "null", Number("0"), False, []]
    if type(value) is Number:
        return [str(value), Number(value + ".0"), Number(value + "0"), Number("-" + value), None]
    if type(value) is list:
        return [{}, None, "[]"]
    if type(value) is dict:
        return [[], None, "{}"]
    wrong = [Number(value), None, True, [value]]
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", value):
        wrong += [value + "0", value[:-1], "+" + value, "0" + value, value.partition(".")[0]]
    elif re.fullmatch(r"[0-9]+", value):
        wrong += [value + ".0", "0" + value]
    return wrong


def exact(value: Any, shape: Shape) -> None:
    """Exactly these keys in this order, each as its check says; no check takes another type."""
    check(value, shape)
    assert list(value) == list(shape)
    lax = {
        name: wrong
        for name, holds in shape.items()
        for wrong in others(value[name])
        if holds(wrong)
    }
    assert not lax


def zero(value: Any) -> bool:
    """The JSON integer 0."""
    return type(value) is Number and value == "0"


# -- a venue on which everything has happened -----------------------------------------------------


@contextmanager
def everything(folder: Path) -> Iterator[Desk]:
    """A venue with the orders of `_trade`, a stop, a liquidation and carol's long lists."""
    with Server("--no-agents", "--no-history", "--no-limits", folder=folder) as server:
        desk = Desk(server)
        modes = {"symbol": "ETHUSDT", "marginType": "ISOLATED"}
        assert desk.alice.post(f"{ACCOUNT}/marginType", modes).status == 200
        for symbol, price in PRICES.items():
            operate(desk, "contracts/change", {"symbol": symbol, "indexSources": ["desk"]})
            operate(desk, "index", posted(symbol, "desk", str(price)))
            _trade(desk, symbol, Decimal(price))
        _stop_by_mark(desk)
        _liquidate(desk)
        _fill_lists(desk)
        yield desk
        desk.close()


def posted(symbol: str, source: str, price: str) -> dict[str, Any]:
    """An index price that is taken at once."""
    return {"symbol": symbol, "source": source, "price": price, "jump": True}


def _limit(symbol: str, side: str, quantity: str, price: Decimal, name: str) -> dict[str, Any]:
    return order(symbol, side, quantity, f"{price:.2f}", newClientOrderId=name, timeInForce="GTC")


def _trade(desk: Desk, symbol: str, price: Decimal) -> None:
    """Orders and conditional orders of alice in every state, against bob's; names tell them."""
    up = price / 1000
    place(desk, "alice", _limit(symbol, "BUY", "0.5", price, f"own-{symbol}") | LONG)
    place(desk, "bob", order(symbol, "SELL", "0.2", newClientOrderId=f"sold-{symbol}") | SHORT)
    closing = _limit(symbol, "SELL", "0.1", price + 10 * up, f"closing-{symbol}") | LONG
    place(desk, "alice", closing | {"timeInForce": "POST_ONLY"})
    gone = _limit(symbol, "BUY", "0.1", price - up, f"gone-{symbol}") | LONG
    place(desk, "alice", gone)
    assert desk.alice.delete(f"{V3}/order?origClientOrderId=gone-{symbol}").status == 200
    late = {"newClientOrderId": f"late-{symbol}", "timeInForce": "FOK", "quantity": "0.7"}
    place(desk, "alice", gone | late)
    algo = order(symbol, "SELL", "0.05") | LONG | {"triggerPrice": f"{price + 5 * up:.2f}"}
    for name, more in (
        ("take", {"type": "TAKE_PROFIT", "price": f"{price + 20 * up:.2f}"}),
        ("sell", {"type": "TAKE_PROFIT_MARKET"}),
        ("stop", {"type": "STOP_MARKET", "triggerPrice": f"{price - 50 * up:.2f}"}),
        ("waits", {"type": "STOP_MARKET", "triggerPrice": f"{price - 40 * up:.2f}"}),
    ):
        place(desk, "alice", algo | more | {"clientAlgoId": f"{name}-{symbol}"}, f"{V3}/algoOrder")
    assert desk.alice.delete(f"{V3}/algoOrder?origClientOrderId=stop-{symbol}").status == 200
    # The last price that triggers two of them; bob buys back a part of what he sold.
    place(desk, "bob", _limit(symbol, "BUY", "0.05", price + up, f"back-{symbol}") | SHORT)
    place(desk, "bob", _limit(symbol, "SELL", "0.01", price + 5 * up, f"more-{symbol}") | SHORT)
    place(desk, "alice", _limit(symbol, "BUY", "0.01", price + 5 * up, f"last-{symbol}") | LONG)


def _stop_by_mark(desk: Desk) -> None:
    """A stop-loss of a whole demo position, triggered by the mark and filled in part."""
    symbol = "ETHSUSDT"
    operate(desk, "index", posted(symbol, "agents", "3000"))
    place(desk, "alice", _limit(symbol, "BUY", "1", Decimal(3_000), "demo-1") | LONG)
    place(desk, "bob", order(symbol, "SELL", "1") | SHORT)
    stop = {"symbol": symbol, "clientAlgoId": "whole", "planType": "STOP_LOSS", **LONG}
    stop |= {"triggerPrice": "2990", "triggerPriceType": "MARK_PRICE"}
    assert desk.alice.post(f"{V3}/placeTpSlOrder", stop).status == 200
    place(desk, "bob", _limit(symbol, "BUY", "0.4", Decimal(2_975), "demo-2") | LONG)
    operate(desk, "index", posted(symbol, "agents", "2980"))


def _liquidate(desk: Desk) -> None:
    """Carol's demo money is lost, a part of her position in the book, the rest to the fund."""
    symbol = "BTCSUSDT"
    operate(desk, "index", posted(symbol, "agents", "60000"))
    _money(desk, "deposit", "SUSDT", "700")
    leverage = {"symbol": symbol, "crossLeverage": "100"}
    assert desk.carol.post(f"{ACCOUNT}/leverage", leverage).status == 200
    place(desk, "bob", _limit(symbol, "SELL", "1", Decimal(60_000), "crash-1") | SHORT)
    place(desk, "carol", order(symbol, "BUY", "1") | LONG)
    place(desk, "bob", _limit(symbol, "BUY", "0.4", Decimal(59_400), "crash-2") | LONG)
    operate(desk, "index", posted(symbol, "agents", "59400"))


def _money(desk: Desk, what: str, asset: str, amount: str) -> None:
    body = {"owner": "carol", "wallet": "CONTRACT", "asset": asset, "amount": amount}
    operate(desk, what, body)


def _fill_lists(desk: Desk) -> None:
    """More of carol's than one page holds: income, ended orders, conditional orders, open ones."""
    _money(desk, "deposit", "USDT", "10000")
    _money(desk, "withdraw", "USDT", "1.5")
    for step in range(INCOME_BULK):
        source, target = ("SPOT", "CONTRACT") if step % 2 else ("CONTRACT", "SPOT")
        moved = {"owner": "carol", "asset": "USDT", "amount": f"0.{step // 2 + 1:08}"}
        operate(desk, "transfer", moved | {"from": source, "to": target})
    bid = order("SOLUSDT", "BUY", "0.1", "140", timeInForce="IOC") | LONG
    for step in range(ENDED_BULK):
        place(desk, "carol", bid | {"newClientOrderId": f"ended-{step}"})
    for step in range(OPEN_BULK):  # these end after them, and the next ones stay
        place(desk, "carol", bid | {"newClientOrderId": f"canceled-{step}", "timeInForce": "GTC"})
    assert desk.carol.delete(f"{V3}/allOpenOrders").status == 200
    for step in range(OPEN_BULK):
        place(desk, "carol", bid | {"newClientOrderId": f"open-{step}", "timeInForce": "GTC"})
    stop = order("SOLUSDT", "BUY", "0.1") | LONG | {"type": "STOP_MARKET", "triggerPrice": "160"}
    for step in range(ALGO_BULK):
        place(desk, "carol", stop | {"clientAlgoId": f"algo-{step}"}, f"{V3}/algoOrder")
        if step % 50 == 49 or step == ALGO_BULK - 1:
            assert desk.carol.delete(f"{V3}/algoOpenOrders?round={step}").status == 200
