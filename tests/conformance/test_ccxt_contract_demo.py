"""A stock ccxt client in sandbox mode: the demo contracts, under the names of the live ones."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import ccxt
import pytest

from support.contract_session import BTC, LISTED_RATES, SWAP, ContractSession, far_funding
from support.server import Server
from support.stock import number

FUNDS = Decimal(100_000)
MARK = Decimal(64_000)
TRADERS = ("alice", "bob")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSession]:
    """A session that traded in sandbox mode, with sums of the demo money."""
    with Server("--no-agents", "--no-history", folder=tmp_path_factory.mktemp("sandbox")) as server:
        desk = ContractSession(server, None)
        far_funding(desk.operator, "BTCSUSDT")
        told = {"symbol": "BTCSUSDT", "source": "agents", "price": str(MARK), "jump": True}
        assert Decimal(desk.operate("/_venue/index", told)["markPrice"]) == MARK
        desk.sums.marks[BTC] = MARK
        for name in TRADERS:
            desk.stocks[name].exchange.set_sandbox_mode(True)
            desk.sums.rates[name] = LISTED_RATES
            desk.sums.pay_in(name, "deposit", FUNDS)
        desk.quick("a1", "alice", BTC, "buy", "0.3", "63950.5")
        desk.quick("b1", "bob", BTC, "sell", "0.2", trades=(("a1", "0.2"),))
        desk.quick("b2", "bob", BTC, "buy", "0.05", "64100", opens=False)
        desk.quick(
            "a2", "alice", BTC, "sell", "0.1", "64100", (("b2", "0.05"),), opens=False, tif="IOC"
        )
        desk.quick("a3", "alice", BTC, "buy", "0.1", "60000", tif="IOC")
        yield desk
        desk.close()


@pytest.mark.parametrize("owner", TRADERS)
def test_balance(desk: ContractSession, owner: str) -> None:
    balance = desk.ask(owner, "fetch_balance")
    (raw,) = balance["info"]
    assert raw["asset"] == "SUSDT"
    found = {name: number(balance["USDT"][name]) for name in ("free", "used", "total")}
    sums = desk.sums
    assert found == {
        "free": sums.available(owner),
        "used": sums.frozen(owner),
        "total": sums.equity(owner),
    }
    assert Decimal(raw["unrealizePnl"]) == sums.unrealized(owner)


@pytest.mark.parametrize("owner", TRADERS)
def test_positions(desk: ContractSession, owner: str) -> None:
    (found,) = desk.ask(owner, "fetch_positions")
    (position,) = desk.sums.held(owner)
    assert (found["symbol"], found["side"]) == (BTC, position.side)
    assert (found["info"]["symbol"], found["info"]["asset"]) == ("BTCSUSDT", "SUSDT")
    assert (number(found["contracts"]), number(found["notional"])) == (
        position.size, position.value,
    )  # fmt: skip
    assert number(found["unrealizedPnl"]) == position.profit(MARK)
    price = desk.sums.liquidation_price(position)
    assert (found["liquidationPrice"] is None) == (price is None)
    if price is not None:
        assert abs(number(found["liquidationPrice"]) - price) < Decimal("0.01")
    assert desk.ask(owner, "fetch_position", BTC) == found
    assert desk.ask(owner, "fetch_positions", [BTC]) == [found]


@pytest.mark.parametrize("owner", TRADERS)
def test_orders(desk: ContractSession, owner: str) -> None:
    orders = {order.id: order for order in desk.sums.of(owner, BTC) if not order.open}
    found = desk.ask(owner, "fetch_canceled_and_closed_orders", BTC)
    assert sorted(row["id"] for row in found) == list(orders)
    for row in found:
        order = orders[row["id"]]
        assert (row["symbol"], row["info"]["symbol"]) == (BTC, "BTCSUSDT")
        assert (row["info"]["status"], row["clientOrderId"]) == (order.status, order.client_id)
        assert (number(row["filled"]), number(row["cost"])) == (order.executed, order.quote)
    every = desk.ask(owner, "fetch_canceled_and_closed_orders", None, None, None, dict(SWAP))
    assert sorted(row["id"] for row in every) == list(orders)
    for name, status in (("fetch_closed_orders", "FILLED"), ("fetch_canceled_orders", "CANCELED")):
        expected = [order.id for order in orders.values() if order.status == status]
        assert sorted(row["id"] for row in desk.ask(owner, name, BTC)) == expected


def test_live_money_is_not_touched(desk: ContractSession) -> None:
    """The same owners, out of sandbox mode."""
    for owner in TRADERS:
        stock = desk.stocks[owner]
        stock.exchange.options["sandboxMode"] = False
        try:
            balance = stock("fetch_balance", dict(SWAP))
            assert balance["USDT"] == {"free": 1_000_000, "used": 0, "total": 1_000_000}
            assert stock("fetch_positions") == []
            assert stock("fetch_canceled_and_closed_orders", BTC) == []
            assert not [name for name in stock.exchange.markets if "SUSDT" in name]
        finally:
            stock.exchange.options["sandboxMode"] = True


def test_what_the_client_does_not_offer(desk: ContractSession) -> None:
    with pytest.raises(ccxt.NotSupported):
        desk.ask("alice", "cancel_order", desk.sums.orders["a1"].id, BTC)
    with pytest.raises(ccxt.InsufficientFunds):
        desk.ask("alice", "create_order", BTC, "limit", "buy", 40, 60_000)
