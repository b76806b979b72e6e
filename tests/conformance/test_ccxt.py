"""A stock ccxt client trades, and everything it is told equals the test's own sums."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from support.server import Server
from support.session import BTC, ETH, FIRST_MONEY, LADDER, SESSION, SOL, TRADERS, Session
from support.stock import loop_of, number
from support.sums import Order

TIMEFRAMES = ("1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M")


@pytest.fixture(scope="module", params=["sync", "async"])
def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    server = Server("--no-agents", "--no-history", folder=tmp_path_factory.mktemp("desk"))
    with loop_of(request.param) as loop, server:
        desk = Session(server, loop)
        desk.play()
        yield desk
        desk.close()


# -- markets --------------------------------------------------------------------------------------


def test_load_markets(desk: Session) -> None:
    markets = desk.ask("alice", "load_markets", True)
    assert sorted(name for name in markets if markets[name]["spot"]) == [BTC, ETH, SOL]
    limits = {"min": number(0.0001), "max": number(1000)}
    found = markets[BTC]
    assert (found["id"], found["base"], found["quote"]) == ("BTCUSDT", "BTC", "USDT")
    assert (found["type"], found["spot"], found["contract"]) == ("spot", True, False)
    assert found["active"] is True
    assert found["precision"]["price"] == 0.01
    assert found["precision"]["amount"] == 0.00001
    assert {name: number(found["limits"]["amount"][name]) for name in limits} == limits
    assert (found["maker"], found["taker"]) == (0.001, 0.001)
    assert markets[SOL]["precision"]["price"] == 0.001
    assert markets[SOL]["precision"]["amount"] == 0.001
    currencies = desk.stocks["alice"].exchange.currencies
    assert {"BTC", "ETH", "SOL", "USDT"} <= set(currencies)
    assert number(currencies["BTC"]["precision"]) == Decimal("1E-8")


def test_the_clock_and_the_status(desk: Session) -> None:
    assert desk.ask("alice", "fetch_status")["status"] == "ok"
    before = desk.ask("alice", "fetch_time")
    assert max(order.time for order in desk.sums.orders.values()) <= before
    assert before <= desk.ask("alice", "fetch_time")


def test_ticker(desk: Session) -> None:
    trades = desk.sums.trades(BTC)
    prices = [fill.price for fill in trades]
    first, last = prices[0], prices[-1]
    (bid, bid_volume), *_ = desk.sums.levels(BTC, "buy")
    (ask, ask_volume), *_ = desk.sums.levels(BTC, "sell")
    expected = {
        "open": first,
        "last": last,
        "close": last,
        "high": max(prices),
        "low": min(prices),
        "change": last - first,
        "baseVolume": sum(fill.quantity for fill in trades),
        "quoteVolume": sum(fill.quote for fill in trades),
        "bid": bid,
        "bidVolume": bid_volume,
        "ask": ask,
        "askVolume": ask_volume,
    }
    ticker = desk.ask("bob", "fetch_ticker", BTC)
    assert {name: number(ticker[name]) for name in expected} == expected
    assert ticker["timestamp"] == trades[-1].order.time
    assert int(ticker["info"]["count"]) == len(trades)
    percent = (last - first) / first * 100
    assert abs(number(ticker["percentage"]) - percent) < Decimal("0.0001")


def test_tickers(desk: Session) -> None:
    every = desk.ask("bob", "fetch_tickers")
    assert sorted(every) == [BTC, ETH, SOL]
    assert every[BTC]["info"] == desk.ask("bob", "fetch_ticker", BTC)["info"]
    assert sorted(desk.ask("bob", "fetch_tickers", [ETH, BTC])) == [BTC, ETH]
    assert list(desk.ask("bob", "fetch_tickers", [ETH])) == [ETH]
    (bid, bid_volume), *_ = desk.sums.levels(ETH, "buy")
    (ask, ask_volume), *_ = desk.sums.levels(ETH, "sell")
    top = desk.ask("bob", "fetch_bids_asks", [ETH])[ETH]
    found = [number(top[name]) for name in ("bid", "bidVolume", "ask", "askVolume")]
    assert found == [bid, bid_volume, ask, ask_volume]
    prices = desk.ask("bob", "fetch_last_prices")
    assert number(prices[BTC]["price"]) == desk.sums.trades(BTC)[-1].price


@pytest.mark.parametrize(("limit", "most"), [(None, 15), (15, 15), (100, LADDER), (200, LADDER)])
@pytest.mark.parametrize("symbol", [BTC, ETH, SOL])
def test_order_book_equals_the_open_orders(
    desk: Session, symbol: str, limit: int | None, most: int
) -> None:
    book = desk.ask("alice", "fetch_order_book", symbol, limit)
    for name, side in (("bids", "buy"), ("asks", "sell")):
        levels = [(number(price), number(quantity)) for price, quantity in book[name]]
        assert levels == desk.sums.levels(symbol, side)[:most]
    assert isinstance(book["nonce"], int)


def test_public_trades(desk: Session) -> None:
    trades = desk.ask("alice", "fetch_trades", BTC, None, 1000)
    trades.sort(key=lambda trade: str(trade["id"]))
    found = [
        (trade["timestamp"], number(trade["price"]), number(trade["amount"]), number(trade["cost"]))
        for trade in trades
    ]
    takers = desk.sums.trades(BTC)
    assert found == [(fill.order.time, fill.price, fill.quantity, fill.quote) for fill in takers]
    # `isBuyerMaker`: the taker sold. (ccxt itself calls the buyer's side of such a trade `sell`.)
    maker_bought = [trade["info"]["isBuyerMaker"] for trade in trades]
    assert maker_bought == [fill.order.side == "sell" for fill in takers]
    assert desk.ask("alice", "fetch_trades", SOL) == []


@pytest.mark.parametrize("timeframe", TIMEFRAMES)
def test_candles_equal_a_fold_of_the_trades(desk: Session, timeframe: str) -> None:
    trades = desk.ask("alice", "fetch_trades", BTC, None, 1000)
    trades.sort(key=lambda trade: str(trade["id"]))
    assert len(trades) == len(desk.sums.trades(BTC))
    rows = desk.ask("alice", "fetch_ohlcv", BTC, timeframe)
    begin = opened(timeframe, trades[0]["timestamp"])
    close = Decimal(0)
    for row in rows:
        assert row[0] == begin
        inside = [trade for trade in trades if opened(timeframe, trade["timestamp"]) == begin]
        prices = [number(trade["price"]) for trade in inside] or [close]
        volume = sum(number(trade["amount"]) for trade in inside)
        expected = [prices[0], max(prices), min(prices), prices[-1], volume]
        assert [number(value) for value in row[1:]] == expected
        begin, close = after(timeframe, begin), prices[-1]
    assert begin > trades[-1]["timestamp"]
    raw = desk.operator.get(f"/api/v3/market/klines?symbol=BTCUSDT&interval={timeframe}").json
    check_rest_of_candles(desk, timeframe, raw)
    assert desk.ask("alice", "fetch_ohlcv", SOL, timeframe) == []


def check_rest_of_candles(desk: Session, timeframe: str, rows: list[Any]) -> None:
    """Check the fields that ccxt does not show: close time, quote volume, trades, taker buys."""
    takers = desk.sums.trades(BTC)
    for row in rows:
        fills = [fill for fill in takers if opened(timeframe, fill.order.time) == row[0]]
        bought = [fill for fill in fills if fill.order.side == "buy"]
        assert row[6] == after(timeframe, row[0]) - 1
        assert Decimal(row[7]) == sum(fill.quote for fill in fills)
        assert row[8] == len(fills)
        assert Decimal(row[9]) == sum(fill.quantity for fill in bought)
        assert Decimal(row[10]) == sum(fill.quote for fill in bought)
    assert sum(row[8] for row in rows) == len(takers)


def opened(timeframe: str, time: int) -> int:
    """When the interval of a time began, both in ms."""
    moment = datetime.fromtimestamp(time // 1000, UTC)
    day = moment.replace(hour=0, minute=0, second=0)
    count, unit = int(timeframe[:-1]), timeframe[-1]
    if unit == "M":
        begin = day.replace(day=1)
    elif unit == "w":
        begin = day - timedelta(days=day.weekday())
    elif unit == "d":
        begin = day
    elif unit == "h":
        begin = day.replace(hour=moment.hour - moment.hour % count)
    else:
        begin = moment.replace(minute=moment.minute - moment.minute % count, second=0)
    return int(begin.timestamp()) * 1000


def after(timeframe: str, begin: int) -> int:
    """When the interval after the one that began at `begin` begins."""
    days = {"M": 31, "w": 7, "d": 1}.get(timeframe[-1])
    step = timedelta(days=days) if days is not None else _short(timeframe)
    return opened(timeframe, begin + int(step.total_seconds()) * 1000)


def _short(timeframe: str) -> timedelta:
    count = int(timeframe[:-1])
    return timedelta(hours=count) if timeframe[-1] == "h" else timedelta(minutes=count)


# -- orders ---------------------------------------------------------------------------------------


def test_acknowledgements(desk: Session) -> None:
    ids = [int(order.id) for order in desk.sums.orders.values()]
    assert ids == sorted(ids)
    assert len(ids) == len(desk.acknowledged)
    for label, placed in desk.acknowledged.items():
        assert placed["symbol"] == desk.sums.orders[label].symbol
        assert placed["clientOrderId"].startswith("b-WEEX111125-")
        assert placed["status"] is None


# ccxt has words for some states only; the others it shows in lower case.
STATUSES = {
    "NEW": "open",
    "PARTIALLY_FILLED": "partially_filled",
    "FILLED": "closed",
    "CANCELED": "canceled",
    "EXPIRED": "expired",
}


def check_order(found: dict[str, Any], order: Order, status: str) -> None:
    """Everything ccxt tells of an order against what was sent and what must have become of it."""
    raw = found["info"]
    assert (found["id"], found["clientOrderId"]) == (order.id, order.client_id)
    assert (found["symbol"], found["side"], found["type"]) == (order.symbol, order.side, order.kind)
    assert found["timeInForce"] == ("IOC" if order.kind == "market" else order.time_in_force)
    assert (found["status"], raw["status"]) == (status, order.status)
    assert found["timestamp"] == order.time
    assert found["lastUpdateTimestamp"] >= order.time
    assert number(found["amount"]) == order.quantity
    assert number(found["filled"]) == order.executed
    assert number(found["remaining"]) == order.remaining
    assert number(found["cost"]) == order.quote
    assert Decimal(raw["price"]) == order.price
    if order.kind == "limit":
        assert number(found["price"]) == order.price
    if order.executed:
        assert found["average"] == pytest.approx(float(order.quote / order.executed), rel=1e-15)
    assert raw["isWorking"] is order.open


@pytest.mark.parametrize("label", [row[0] for row in SESSION])
def test_fetch_order(desk: Session, label: str) -> None:
    order = desk.sums.orders[label]
    found = desk.ask(order.owner, "fetch_order", order.id, BTC)
    check_order(found, order, STATUSES[order.status])
    params = {"clientOrderId": order.client_id}
    assert desk.ask(order.owner, "fetch_order", None, BTC, params) == found


@pytest.mark.parametrize("owner", TRADERS)
def test_lists_of_orders(desk: Session, owner: str) -> None:
    for symbol in (BTC, ETH, SOL):
        orders = {order.id: order for order in desk.sums.of(owner, symbol)}
        found = desk.ask(owner, "fetch_orders", symbol)
        assert [row["id"] for row in sorted(found, key=lambda row: int(row["id"]))] == list(orders)
        for row in found:
            check_order(row, orders[row["id"]], STATUSES[orders[row["id"]].status])
        for name, status in (
            ("fetch_closed_orders", "FILLED"),
            ("fetch_canceled_orders", "CANCELED"),
        ):
            expected = [order.id for order in orders.values() if order.status == status]
            assert sorted(row["id"] for row in desk.ask(owner, name, symbol)) == expected
        for row in desk.ask(owner, "fetch_open_orders", symbol):
            check_order(row, orders[row["id"]], "open")
    every = [order.id for order in desk.sums.of(owner) if order.open]
    assert sorted(row["id"] for row in desk.ask(owner, "fetch_open_orders")) == every


def test_orders_by_time(desk: Session) -> None:
    orders = desk.sums.of("alice", BTC)
    since = orders[3].time
    found = desk.ask("alice", "fetch_orders", BTC, since)
    expected = [order.id for order in orders if order.time >= since]
    assert sorted(row["id"] for row in found) == expected
    found = desk.ask("alice", "fetch_orders", BTC, None, None, {"until": since})
    assert sorted(row["id"] for row in found) == [o.id for o in orders if o.time <= since]


# -- money ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", TRADERS)
def test_my_trades(desk: Session, owner: str) -> None:
    trades = desk.ask(owner, "fetch_my_trades", BTC)
    trades.sort(key=lambda trade: int(trade["id"]))
    found = [
        (
            trade["order"], trade["side"], number(trade["price"]), number(trade["amount"]),
            number(trade["cost"]), number(trade["fee"]["cost"]), trade["fee"]["currency"],
        )
        for trade in trades
    ]  # fmt: skip
    fills = [fill for fill in desk.sums.fills if fill.order.owner == owner]
    assert found == [
        (
            fill.order.id, fill.order.side, fill.price, fill.quantity,
            fill.quote, fill.fee, fill.fee_asset,
        )
        for fill in fills
    ]  # fmt: skip
    order = desk.sums.orders["b2" if owner == "bob" else "a1"]
    own = desk.ask(owner, "fetch_order_trades", order.id, BTC)
    assert sum(number(trade["amount"]) for trade in own) == order.executed
    assert [trade["id"] for trade in trades if trade["order"] == order.id] == sorted(
        trade["id"] for trade in own
    )


@pytest.mark.parametrize("owner", TRADERS)
def test_balances(desk: Session, owner: str) -> None:
    check_balances(desk, owner)


def check_balances(desk: Session, owner: str) -> None:
    balance = desk.ask(owner, "fetch_balance")
    for asset in FIRST_MONEY:
        total, used = desk.sums.total(owner, asset), desk.sums.used(owner, asset)
        found = {name: number(balance[asset][name]) for name in ("free", "used", "total")}
        assert found == {"free": total - used, "used": used, "total": total}


@pytest.mark.parametrize("owner", TRADERS)
def test_the_ledger_chains_to_the_balance(desk: Session, owner: str) -> None:
    rows = desk.ask(owner, "fetch_ledger", None, None, 100)
    rows.sort(key=lambda row: int(row["id"]))
    found = [
        (
            row["currency"], row["info"]["bizType"],
            number(row["amount"]) * (1 if row["direction"] == "in" else -1),
            number(row["fee"]["cost"]),
        )
        for row in rows
    ]  # fmt: skip
    bills = desk.sums.bills[owner]
    assert found == [(bill.asset, bill.kind, bill.amount, bill.fee) for bill in bills]
    held = dict.fromkeys(FIRST_MONEY, Decimal(0))
    for row, (asset, _, amount, _) in zip(rows, found, strict=True):
        assert number(row["before"]) == held[asset]
        held[asset] += amount
        assert number(row["after"]) == held[asset]
    balance = desk.ask(owner, "fetch_balance")
    assert held == {asset: number(balance[asset]["total"]) for asset in FIRST_MONEY}
    only = desk.ask(owner, "fetch_ledger", "BTC", None, 100)
    assert len(only) == len([bill for bill in bills if bill.asset == "BTC"])


def test_the_ledger_by_time(desk: Session) -> None:
    rows = desk.ask("bob", "fetch_ledger", None, None, 100)
    rows.sort(key=lambda row: int(row["id"]))
    since = rows[8]["timestamp"]
    found = desk.ask("bob", "fetch_ledger", None, since, 100)
    assert sorted(row["id"] for row in found) == [
        row["id"] for row in rows if row["timestamp"] > since
    ]


@pytest.mark.parametrize("owner", TRADERS)
def test_transfers(desk: Session, owner: str) -> None:
    rows = desk.ask(owner, "fetch_transfers")
    found = [
        (row["fromAccount"], row["toAccount"], row["currency"], number(row["amount"]))
        for row in rows
    ]
    assert sorted(found) == sorted(desk.transferred[owner])
    assert [row["status"] for row in rows] == ["ok"] * len(rows)
    times = [row["timestamp"] for row in rows]
    assert times == sorted(times)


def test_the_funding_ledger(desk: Session) -> None:
    rows = desk.ask("alice", "fetch_ledger", None, None, 100, {"type": "funding"})
    rows.sort(key=lambda row: int(row["id"]))
    found = [(row["currency"], row["direction"], number(row["amount"])) for row in rows]
    assert found == [
        (asset, "out" if source == "funding" else "in", amount)
        for source, target, asset, amount in desk.transferred["alice"]
        if "funding" in (source, target)
    ]
    assert number(rows[1]["after"]) == number(rows[0]["after"]) - number(rows[1]["amount"])


# -- cancel ---------------------------------------------------------------------------------------


def test_cancels_release_what_was_locked(desk: Session) -> None:
    prices = ("150.001", "149.5", "149.5", "140", "130", "120")
    orders = [
        Order("bob", SOL, "buy", "limit", "GTC", Decimal("1.5"), Decimal(price)) for price in prices
    ]
    for step, order in enumerate(orders):
        desk.place(f"sol{step}", order)
    check_balances(desk, "bob")
    canceled = desk.ask("bob", "cancel_order", orders[0].id, SOL)
    assert canceled["id"] == orders[0].id
    orders[0].canceled = True
    check_balances(desk, "bob")
    params = {"clientOrderId": orders[1].client_id}
    canceled = desk.ask("bob", "cancel_order", None, SOL, params)
    assert canceled["clientOrderId"] == orders[1].client_id
    several = [orders[2].id, orders[3].id]
    found = desk.ask("bob", "cancel_orders", several, SOL)
    assert [(row["id"], row["status"]) for row in found] == [(i, "canceled") for i in several]
    for order in orders[:4]:
        order.canceled = True
    check_balances(desk, "bob")
    found = desk.ask("bob", "cancel_all_orders", SOL)
    assert sorted(row["id"] for row in found) == [order.id for order in orders[4:]]
    for order in orders:
        order.canceled = True
        assert desk.ask("bob", "fetch_order", order.id, SOL)["status"] == "canceled"
    check_balances(desk, "bob")
    assert desk.ask("bob", "fetch_open_orders", SOL) == []
    assert desk.ask("bob", "cancel_all_orders", SOL, {"again": "1"}) == []
