"""A stock ccxt client trades contracts; all it is told of them equals the test's own sums."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.contract_session import (
    BOB_RATES,
    BTC,
    ETH,
    HOUR_MS,
    INDEXES,
    LISTED_RATES,
    MARGIN_MOVES,
    SESSION,
    SOL,
    SWAP,
    SYMBOLS,
    TRADERS,
    ContractSession,
    average,
    played,
)
from support.contract_sums import Order, Position
from support.stock import number

CLOSED = "WXB/USDT:USDT"  # listed, but takes no orders over the interface
SHARE = "ACME/USDT:USDT"
LISTED = sorted([*SYMBOLS, CLOSED, SHARE])
TIMEFRAMES = ("1m", "5m", "15m", "30m", "1h", "4h", "12h", "1d", "1w")


@pytest.fixture(scope="module", params=["sync", "async"])
def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContractSession]:
    with played(tmp_path_factory.mktemp("contracts"), request.param) as desk:
        yield desk


# -- markets --------------------------------------------------------------------------------------


def test_load_markets(desk: ContractSession) -> None:
    markets = desk.ask("alice", "load_markets", True)
    assert sorted(name for name in markets if markets[name]["swap"]) == LISTED
    found = markets[BTC]
    assert (found["id"], found["base"], found["quote"]) == ("BTCUSDT", "BTC", "USDT")
    assert (found["settle"], found["linear"], found["contract"]) == ("USDT", True, True)
    assert found["active"] is True
    assert (found["precision"]["price"], found["precision"]["amount"]) == (0.01, 0.00001)
    assert markets[SOL]["precision"] == {"price": 0.001, "amount": 0.001}
    assert found["contractSize"] == 1  # amounts are in the base currency
    limits = found["limits"]
    assert (limits["amount"]["min"], limits["amount"]["max"]) == (0.0001, 1000)
    assert (limits["leverage"]["min"], limits["leverage"]["max"]) == (1, 100)
    assert (number(found["maker"]), number(found["taker"])) == LISTED_RATES


def test_the_clock(desk: ContractSession) -> None:
    before = desk.ask("alice", "fetch_time", SWAP)
    assert max(trade["timestamp"] for trade in desk.ask("bob", "fetch_my_trades", BTC)) <= before
    assert before <= desk.ask("alice", "fetch_time", SWAP)


@pytest.mark.parametrize("symbol", [BTC, ETH])
def test_ticker(desk: ContractSession, symbol: str) -> None:
    trades = desk.sums.trades(symbol)
    prices = [fill.price for fill in trades]
    expected = {
        "open": prices[0],
        "last": prices[-1],
        "close": prices[-1],
        "high": max(prices),
        "low": min(prices),
        "change": prices[-1] - prices[0],
        "baseVolume": sum(fill.quantity for fill in trades),
        "quoteVolume": sum(fill.quote for fill in trades),
        "markPrice": INDEXES[symbol],
        "indexPrice": INDEXES[symbol],
    }
    ticker = desk.ask("bob", "fetch_ticker", symbol)
    assert {name: number(ticker[name]) for name in expected} == expected
    percent = (prices[-1] - prices[0]) / prices[0] * 100
    assert abs(number(ticker["percentage"]) - percent) < Decimal("0.0001")
    public = desk.ask("bob", "fetch_trades", symbol)
    assert ticker["timestamp"] == max(trade["timestamp"] for trade in public)


def test_tickers(desk: ContractSession) -> None:
    every = desk.ask("bob", "fetch_tickers", None, SWAP)
    assert sorted(every) == LISTED
    assert every[BTC]["info"] == desk.ask("bob", "fetch_ticker", BTC)["info"]
    assert sorted(desk.ask("bob", "fetch_tickers", [ETH, BTC])) == [BTC, ETH]
    assert list(desk.ask("bob", "fetch_tickers", [ETH])) == [ETH]
    top = desk.ask("bob", "fetch_bids_asks", [BTC])[BTC]
    (bid, bid_volume), *_ = desk.sums.levels(BTC, "buy")
    (ask, ask_volume), *_ = desk.sums.levels(BTC, "sell")
    found = [number(top[name]) for name in ("bid", "bidVolume", "ask", "askVolume")]
    assert found == [bid, bid_volume, ask, ask_volume]


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_mark_price(desk: ContractSession, symbol: str) -> None:
    assert number(desk.ask("bob", "fetch_mark_price", symbol)["markPrice"]) == INDEXES[symbol]
    index = desk.ask("bob", "fetch_mark_price", symbol, {"priceType": "INDEX"})
    assert (number(index["indexPrice"]), index["markPrice"]) == (INDEXES[symbol], None)


def test_mark_prices(desk: ContractSession) -> None:
    every = desk.ask("bob", "fetch_mark_prices")
    del every[CLOSED], every[SHARE]  # nobody has posted their prices
    assert {name: number(row["markPrice"]) for name, row in every.items()} == INDEXES
    assert list(desk.ask("bob", "fetch_mark_prices", [ETH])) == [ETH]


@pytest.mark.parametrize("limit", [None, 15, 200])
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_order_book_equals_the_open_orders(
    desk: ContractSession, symbol: str, limit: int | None
) -> None:
    book = desk.ask("alice", "fetch_order_book", symbol, limit)
    for name, side in (("bids", "buy"), ("asks", "sell")):
        levels = [(number(price), number(quantity)) for price, quantity in book[name]]
        assert levels == desk.sums.levels(symbol, side)
    assert isinstance(book["nonce"], int)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_public_trades(desk: ContractSession, symbol: str) -> None:
    trades = desk.ask("alice", "fetch_trades", symbol, None, 1000)
    trades.sort(key=lambda trade: str(trade["id"]))
    found = [
        (number(trade["price"]), number(trade["amount"]), number(trade["cost"])) for trade in trades
    ]
    takers = desk.sums.trades(symbol)
    assert found == [(fill.price, fill.quantity, fill.quote) for fill in takers]
    maker_bought = [trade["info"]["isBuyerMaker"] for trade in trades]
    assert maker_bought == [fill.order.side == "sell" for fill in takers]


@pytest.mark.parametrize("timeframe", TIMEFRAMES)
def test_candles(desk: ContractSession, timeframe: str) -> None:
    trades = desk.ask("alice", "fetch_trades", BTC, None, 1000)
    trades.sort(key=lambda trade: str(trade["id"]))
    rows = desk.ask("alice", "fetch_ohlcv", BTC, timeframe)
    times = [row[0] for row in rows]
    close = Decimal(0)
    for begin, end, row in zip(times, [*times[1:], 1 << 60], rows, strict=True):
        inside = [trade for trade in trades if begin <= trade["timestamp"] < end]
        prices = [number(trade["price"]) for trade in inside] or [close]
        volume = sum(number(trade["amount"]) for trade in inside)
        expected = [prices[0], max(prices), min(prices), prices[-1], volume]
        assert [number(value) for value in row[1:]] == expected
        close = prices[-1]
    assert times[0] <= trades[0]["timestamp"]
    assert sum(number(row[5]) for row in rows) == sum(f.quantity for f in desk.sums.trades(BTC))
    for price in ("mark", "index"):
        rows = desk.ask("alice", "fetch_ohlcv", BTC, timeframe, None, None, {"price": price})
        assert rows
        # Neither has ever been anything else.
        assert {tuple(row[1:]) for row in rows} == {(*[float(INDEXES[BTC])] * 4, 0.0)}


@pytest.mark.parametrize("price", ["last", "mark", "index"])
def test_candles_of_the_past(desk: ContractSession, price: str) -> None:
    kind = {} if price == "last" else {"price": price}
    live = desk.ask("alice", "fetch_ohlcv", BTC, "1m", None, 1000, dict(kind))
    past = {"historical": True, **kind}
    rows = desk.ask("alice", "fetch_ohlcv", BTC, "1m", None, None, dict(past))
    assert rows[: len(live)] == live
    first = live[0][0]
    rows = desk.ask("alice", "fetch_ohlcv", BTC, "1m", first, None, {"until": first, **past})
    assert rows == live[:1]
    paged = {"paginate": True, "paginationCalls": 1, **kind}
    assert desk.ask("alice", "fetch_ohlcv", BTC, "1m", first, 100, paged)[: len(live)] == live
    before = {"until": first - HOUR_MS, **past}
    assert desk.ask("alice", "fetch_ohlcv", BTC, "1m", None, None, before) == []


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_open_interest(desk: ContractSession, symbol: str) -> None:
    found = desk.ask("alice", "fetch_open_interest", symbol)
    assert number(found["openInterestAmount"]) == desk.sums.open_interest(symbol)


def test_funding_rates(desk: ContractSession) -> None:
    every = desk.ask("alice", "fetch_funding_rates")
    assert sorted(every) == LISTED
    for symbol in SYMBOLS:
        found = every[symbol]
        assert (found["markPrice"], found["indexPrice"]) == (INDEXES[symbol],) * 2
        assert found["fundingRate"] == 0  # none was settled yet
        # One settlement a day: 0.01 % for each 8 hours, as nothing traded moves the premium.
        assert (found["interestRate"], found["interval"]) == (0.0003, "24h")
        assert found["nextFundingRate"] == 0.0003
        assert found["nextFundingTimestamp"] % HOUR_MS == 0
        assert found["nextFundingTimestamp"] > found["timestamp"]
    one = desk.ask("alice", "fetch_funding_rate", ETH)
    assert one["nextFundingTimestamp"] == every[ETH]["nextFundingTimestamp"]
    assert desk.ask("alice", "fetch_funding_rate_history", ETH) == []


# -- the account ----------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", TRADERS)
def test_balances(desk: ContractSession, owner: str) -> None:
    balance = desk.ask(owner, "fetch_balance", SWAP)
    sums = desk.sums
    found = {name: number(balance["USDT"][name]) for name in ("free", "used", "total")}
    frozen, available = sums.frozen(owner), sums.available(owner)
    assert found == {"free": available, "used": frozen, "total": sums.equity(owner)}
    (raw,) = balance["info"]
    assert Decimal(raw["unrealizePnl"]) == sums.unrealized(owner)
    # Collateral is the cash leg (5.2): with the signed open values it is the wallet, exactly.
    values = sum(position.sign * position.value for position in sums.held(owner))
    assert sum(item.amount for item in sums.items[owner]) + values == sums.wallet(owner)


def check_position(desk: ContractSession, found: dict[str, Any], position: Position) -> None:
    sums, raw = desk.sums, found["info"]
    mark = sums.marks[position.symbol]
    profit = position.profit(mark)
    margin = sums.wallet_of(position) if position.isolated else position.initial(mark)
    assert (found["symbol"], found["side"]) == (position.symbol, position.side)
    assert found["marginMode"] == ("isolated" if position.isolated else "cross")
    assert (found["leverage"], found["hedged"]) == (position.leverage, False)
    assert (number(found["contracts"]), found["contractSize"]) == (position.size, 1)
    assert number(found["notional"]) == position.value
    entry = float(position.value / position.size)
    assert found["entryPrice"] == pytest.approx(entry, rel=1e-15)
    assert number(found["unrealizedPnl"]) == profit
    assert number(found["initialMargin"]) == margin
    if position.isolated:
        assert number(found["collateral"]) == margin + profit
    assert Decimal(raw["cumOpenSize"]) == position.opened
    assert Decimal(raw["cumCloseSize"]) == position.closed
    assert Decimal(raw["openFee"]) == Decimal(raw["cumOpenFee"]) == position.open_fee
    assert Decimal(raw["cumCloseFee"]) == position.close_fee
    assert raw["createdTime"] <= raw["updatedTime"]
    check_liquidation_price(desk, found["liquidationPrice"], position)


def check_liquidation_price(desk: ContractSession, found: float | None, position: Position) -> None:
    """To the tick of where the pool's equity is its maintenance margin."""
    sums = desk.sums
    price = sums.liquidation_price(position)
    assert (found is None) == (price is None)
    if found is None or price is None:
        return
    assert abs(number(found) - price) < Decimal("0.011")  # to the tick, which is rounded


@pytest.mark.parametrize("owner", TRADERS)
def test_positions(desk: ContractSession, owner: str) -> None:
    every = desk.ask(owner, "fetch_positions")
    held = desk.sums.held(owner)
    assert len(every) == len(held)
    for found, position in zip(every, held, strict=True):
        check_position(desk, found, position)
    for symbol in SYMBOLS:
        some = [row for row in every if row["symbol"] == symbol]
        assert desk.ask(owner, "fetch_positions", [symbol]) == some
        assert desk.ask(owner, "fetch_position", symbol) == (some[0] if some else None)
        assert desk.ask(owner, "fetch_positions_for_symbol", symbol) == some
    priced = [row["liquidationPrice"] for row in every if row["liquidationPrice"] is not None]
    assert priced, "nobody could be liquidated"


def test_margin_moves(desk: ContractSession) -> None:
    for found, text in zip(desk.moved, MARGIN_MOVES, strict=True):
        amount = Decimal(text)
        assert (found["status"], found["symbol"], found["code"]) == ("ok", ETH, "USDT")
        assert found["type"] == ("add" if amount > 0 else "reduce")
        assert number(found["amount"]) == abs(amount)
        assert found["timestamp"] > 0


def test_leverages_and_modes(desk: ContractSession) -> None:
    for owner in TRADERS:
        leverages = desk.ask(owner, "fetch_leverages")
        modes = desk.ask(owner, "fetch_margin_modes")
        assert sorted(leverages) == sorted(modes) == LISTED
        for symbol in SYMBOLS:
            mode = "isolated" if (owner, symbol) in desk.sums.isolated else "cross"
            leverage = desk.sums.leverages[owner, symbol]
            found = desk.ask(owner, "fetch_leverage", symbol)
            assert found == leverages[symbol]
            assert (found["longLeverage"], found["shortLeverage"]) == (leverage, leverage)
            assert found["marginMode"] == modes[symbol]["marginMode"] == mode
            assert desk.ask(owner, "fetch_margin_mode", symbol) == modes[symbol]
            assert desk.ask(owner, "fetch_position_mode", symbol)["hedged"] is False


@pytest.mark.parametrize("owner", TRADERS)
def test_trading_fee(desk: ContractSession, owner: str) -> None:
    found = desk.ask(owner, "fetch_trading_fee", BTC)
    rates = (number(found["maker"]), number(found["taker"]))
    assert rates == desk.sums.rates[owner] == (BOB_RATES if owner == "bob" else LISTED_RATES)


# -- orders ---------------------------------------------------------------------------------------

# ccxt has words for some states only; the others it shows in lower case.
STATUSES = {
    "NEW": "open",
    "PARTIALLY_FILLED": "partially_filled",
    "FILLED": "closed",
    "CANCELED": "canceled",
    "EXPIRED": "expired",
}


def test_acknowledgements(desk: ContractSession) -> None:
    for label, placed in desk.acknowledged.items():
        assert placed["symbol"] == desk.sums.orders[label].symbol
        assert placed["clientOrderId"].startswith("b-WEEX111125-")
        assert placed["info"]["errorCode"] == placed["info"]["errorMessage"] == ""
    ids = [int(placed["id"]) for placed in desk.acknowledged.values()]
    assert ids == sorted(ids)


def check_order(found: dict[str, Any], order: Order, status: str) -> None:
    """Everything ccxt tells of an order against what was sent and what must have become of it."""
    raw = found["info"]
    assert (found["id"], found["clientOrderId"]) == (order.id, order.client_id)
    assert (found["symbol"], found["side"], found["type"]) == (order.symbol, order.side, order.kind)
    assert found["timeInForce"] == ("IOC" if order.kind == "market" else order.time_in_force)
    assert (found["status"], raw["status"]) == (status, order.status)
    assert found["reduceOnly"] is not order.opens
    assert raw["positionSide"] == order.position_side.upper()
    assert found["lastUpdateTimestamp"] >= found["timestamp"] > 0
    assert number(found["amount"]) == order.quantity
    assert number(found["filled"]) == order.executed
    assert number(found["remaining"]) == order.remaining
    assert number(found["cost"]) == order.quote
    assert Decimal(raw["price"]) == order.price
    assert Decimal(raw["avgPrice"]) == average(order)
    assert found["triggerPrice"] is None


@pytest.mark.parametrize("label", [row[0] for row in SESSION])
def test_fetch_order(desk: ContractSession, label: str) -> None:
    order = desk.sums.orders[label]
    found = desk.ask(order.owner, "fetch_order", order.id, order.symbol)
    check_order(found, order, STATUSES[order.status])


@pytest.mark.parametrize("owner", TRADERS)
def test_lists_of_orders(desk: ContractSession, owner: str) -> None:
    for symbol in SYMBOLS:
        orders = {order.id: order for order in desk.sums.of(owner, symbol)}
        ended = [order.id for order in orders.values() if not order.open]
        found = desk.ask(owner, "fetch_canceled_and_closed_orders", symbol)
        assert sorted(row["id"] for row in found) == ended
        for row in found:
            check_order(row, orders[row["id"]], STATUSES[orders[row["id"]].status])
        for name, status in (
            ("fetch_closed_orders", "FILLED"),
            ("fetch_canceled_orders", "CANCELED"),
        ):
            expected = [order.id for order in orders.values() if order.status == status]
            assert sorted(row["id"] for row in desk.ask(owner, name, symbol)) == expected
        found = desk.ask(owner, "fetch_open_orders", symbol)
        assert sorted(row["id"] for row in found) == [o.id for o in orders.values() if o.open]
        for row in found:
            check_order(row, orders[row["id"]], "open")
    every = [o.id for o in desk.sums.orders.values() if o.owner == owner and o.open]
    found = desk.ask(owner, "fetch_open_orders", None, None, None, SWAP)
    assert sorted(row["id"] for row in found) == every
    ended = desk.ask(owner, "fetch_canceled_and_closed_orders", None, None, None, SWAP)
    mine = [o.id for o in desk.sums.orders.values() if o.owner == owner and not o.open]
    assert sorted(row["id"] for row in ended) == mine


def test_orders_by_time(desk: ContractSession) -> None:
    rows = desk.ask("bob", "fetch_canceled_and_closed_orders", BTC)
    rows.sort(key=lambda row: int(row["id"]))
    since = rows[3]["timestamp"]
    found = desk.ask("bob", "fetch_canceled_and_closed_orders", BTC, since)
    expected = [row["id"] for row in rows if row["timestamp"] >= since]
    assert sorted(row["id"] for row in found) == expected
    params = {"until": since}
    found = desk.ask("bob", "fetch_canceled_and_closed_orders", BTC, None, None, params)
    expected = [row["id"] for row in rows if row["timestamp"] <= since]
    assert sorted(row["id"] for row in found) == expected
