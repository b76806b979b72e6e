"""A stock ccxt pro client watches what is its own; everything it is told equals REST."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from support.server import Server
from support.stock import Stock
from support.waits import WAIT_S
from support.watch import Watch, operate, quoted_venue

BTC, ETH = "BTC/USDT:USDT", "ETH/USDT:USDT"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with quoted_venue(tmp_path_factory.mktemp("pro-private")) as found:
        yield found


def test_spot(server: Server) -> None:
    symbol, other = "ETH/USDT", "BTC/USDT"
    with (
        Watch(server, "spot", (symbol, other)) as alice,
        Stock(server, server.account("bob")) as bob,
    ):
        alice.begin()
        alice.agree()
        sold = alice.place(symbol, "limit", "sell", "0.5", "3000.37")
        alice.agree()
        bob("create_order", symbol, "limit", "buy", "0.1234", "3000.37")  # a part of it
        alice.agree()
        bought = alice.place(other, "limit", "buy", "0.25", "59999.99")
        alice.place(other, "limit", "buy", "0.1", "59000.01", clientOrderId="mine-1")
        alice.agree()
        bob("create_order", other, "market", "sell", "0.1")
        bob("create_order", symbol, "market", "buy", "0.3766")  # the rest
        alice.agree()
        alice.pro("cancel_order", bought["id"], other)
        alice.agree()
        bob("create_order", symbol, "limit", "sell", "0.2", "3001.01")
        alice.place(symbol, "market", "buy", "0.0501")
        alice.place(symbol, "limit", "buy", "0.7", "3001.01", timeInForce="IOC")
        alice.place(symbol, "limit", "buy", "0.7", "3001.01", timeInForce="FOK")
        alice.agree()
        money = {"owner": "alice", "asset": "USDT"}
        operate(server, "transfer", **money, **{"from": "SPOT", "to": "FUNDING"}, amount="12.5")
        alice.agree()
        operate(server, "deposit", **money, wallet="SPOT", amount="0.00000001")
        alice.agree()
        alice.pro("cancel_all_orders", other)
        alice.agree()
        statuses = {row["id"]: row["status"] for row in alice.exchange.orders}
        assert statuses[sold["id"]] == "closed"
        assert statuses[bought["id"]] == "canceled"
        assert len(alice.exchange.myTrades) == 5
        _check_silence(alice, bob, symbol, "2995.5")


def test_contracts(server: Server) -> None:
    with (
        Watch(server, "swap", (BTC, ETH)) as alice,
        Stock(server, server.account("bob")) as bob,
    ):
        alice.begin()
        alice.agree()
        bought = alice.place(BTC, "limit", "buy", "0.3", "59990.35")
        alice.agree()
        bob("create_order", BTC, "market", "sell", "0.1203")  # a part of it
        alice.agree()
        alice.pro("set_leverage", 40, BTC)
        alice.agree()
        alice.pro("set_margin_mode", "isolated", ETH)
        alice.pro("set_leverage", 10, ETH, {"marginMode": "isolated"})
        bob("create_order", ETH, "limit", "buy", "2", "3000.5")
        alice.place(ETH, "market", "sell", "1.5")
        alice.agree()
        (position,) = alice.pro("fetch_positions", [ETH])
        alice.pro("add_margin", ETH, 25.25, {"positionId": position["id"]})
        alice.agree()
        _conditional_orders(alice, bob)
        alice.pro("cancel_order", bought["id"], BTC)
        bob("cancel_all_orders", ETH)
        bob("create_order", ETH, "limit", "sell", "1.5", "3000.6")
        alice.place(ETH, "market", "buy", "1.5", None, reduceOnly=True)
        alice.agree()
        assert ETH not in {row["symbol"] for row in alice.exchange.positions if row["contracts"]}
        money = {"owner": "alice", "asset": "USDT", "from": "SPOT", "to": "CONTRACT"}
        operate(server, "transfer", **money, amount="1234.56789012")
        alice.agree()
        _check_silence(alice, bob, BTC, "59995.5")


def _conditional_orders(alice: Watch, bob: Stock) -> None:
    """One waits, one is canceled, one is triggered by a trade; then the attached ones wait."""
    exits = {"takeProfit": {"triggerPrice": 66_000}, "stopLoss": {"triggerPrice": 51_000}}
    alice.place(BTC, "market", "buy", "0.05", None, triggerPrice=60_050, **exits)
    gone = alice.place(BTC, "limit", "sell", "0.1", "58000", stopLossPrice=58_500)
    alice.place(BTC, "market", "sell", "0.1", None, takeProfitPrice=70_000)
    alice.agree()
    alice.pro("cancel_order", gone["id"], BTC, {"trigger": True})
    alice.agree()
    bob("create_order", BTC, "limit", "sell", "0.06", "60050.5")
    bob("create_order", BTC, "limit", "sell", "0.02", "60050")
    alice.place(BTC, "limit", "buy", "0.02", "60050.1", timeInForce="IOC")
    alice.agree()
    rows = alice.exchange.orders
    assert {row["info"]["status"] for row in rows} >= {"UNTRIGGERED", "TRIGGERED", "FILLED"}
    assert [row["amount"] for row in rows if row["status"] == "open"].count(0.05) == 2


def _check_silence(alice: Watch, bob: Stock, symbol: str, price: str) -> None:
    """Of what happens while nothing is watched nothing is told, not even later."""
    assert alice.told == {*alice.channels, "watch_orders"}
    alice.end()
    unseen = alice.place(symbol, "limit", "buy", "0.01", price)
    bob("create_order", symbol, "market", "sell", "0.01")
    assert alice.pro("fetch_order", unseen["id"], symbol)["status"] == "closed"
    alice.begin_orders()
    assert unseen["id"] not in {row["id"] for row in alice.exchange.orders}
    assert not alice.exchange.myTrades
    assert not alice.exchange.positions


@pytest.mark.parametrize(
    ("kind", "symbol", "other"), [("spot", "BTC/USDT", "ETH/USDT"), ("swap", BTC, ETH)]
)
def test_one_symbol(server: Server, kind: str, symbol: str, other: str) -> None:
    """A client that watches one symbol is told of no other."""
    with (
        Watch(server, kind, (symbol, other)) as alice,
        Stock(server, server.account("bob")) as bob,
    ):
        alice.begin()
        asked = [alice.ask(name, symbol) for name in ("watch_orders", "watch_my_trades")]
        if kind == "swap":
            asked.append(alice.ask("watch_positions", [symbol]))
        for name, price in ((other, "2998.5"), (symbol, "59998.5")):
            assert not any(task.done() for task in asked)
            alice.place(name, "limit", "buy", "0.01", price)
            bob("create_order", name, "market", "sell", "0.01")
            alice.look()
        for task in asked:
            found = alice.pro.run(asyncio.wait_for(task, WAIT_S))
            assert {row["symbol"] for row in found} == {symbol}
