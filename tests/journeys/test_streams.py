"""Public streams against a real server: requests, first frames, changes, and their order."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from support.client import Client
from support.listening import Book, Listener, Message
from support.server import Server, flawless
from support.waits import WAIT_S

SPOT = "/spot/v3/ws/public"
CONTRACT = "/contract/v3/ws/public"
PRICE = 60_000
BURSTS = 60
LEVEL_MAX = 30  # orders of a burst
INVALID = "INVALID_ARGUMENT: "


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--no-limits", "--depth-ms", "5")
    with flawless(*options, folder=tmp_path_factory.mktemp("streams")) as found:
        yield found


@pytest.fixture
def spot(server: Server) -> Iterator[Listener]:
    with Listener(server.port, SPOT) as found:
        yield found


@pytest.fixture
def contract(server: Server) -> Iterator[Listener]:
    with Listener(server.port, CONTRACT) as found:
        yield found


def order(client: Client, symbol: str, side: str, quantity: str, price: str, **more: str) -> Any:
    body = {"symbol": symbol, "side": side, "quantity": quantity, "type": "LIMIT"}
    answer = client.post("/api/v3/order", {**body, "price": price, **more})
    assert answer.status == 200, answer
    return answer.json["orderId"]


def trade(server: Server, symbol: str, price: str, quantity: str = "0.01") -> None:
    """Alice sells to bob."""
    order(server.client("alice"), symbol, "SELL", quantity, price)
    order(server.client("bob"), symbol, "BUY", quantity, price)


# -- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/spot/v3/ws/public", "/contract/v3/ws/public", "/v3/ws/public"])
def test_greeting(server: Server, path: str) -> None:
    with Listener(server.port, path) as one, Listener(server.port, f"{path}?x=1") as other:
        assert list(one.greeting) == ["event", "cid", "time"]
        assert one.greeting["event"] == "connected"
        assert str(uuid.UUID(one.greeting["cid"])) == one.greeting["cid"]
        assert one.greeting["cid"] != other.greeting["cid"]
        assert len(one.greeting["time"]) == 13
        assert one.greeting["time"].isdigit()


@pytest.mark.parametrize("identity", [1, 0, -7, 10**19, "1", "", "a-b", "🙂"])
@pytest.mark.parametrize("method", ["PING", "PONG"])
def test_ids_come_back_as_they_were(spot: Listener, method: str, identity: Any) -> None:
    assert spot.ask({"method": method, "id": identity}) == {"result": True, "id": identity}


@pytest.mark.parametrize("sent", [{}, {"id": None}])
def test_no_id_is_no_id(spot: Listener, sent: Message) -> None:
    assert spot.ask({"method": "PING", **sent}) == {"result": True}


@pytest.mark.parametrize("identity", [1.5, True, [], {}, "x" * 65, 10**20])
def test_other_ids_are_refused(spot: Listener, identity: Any) -> None:
    answer = spot.ask({"method": "PING", "id": identity})
    assert answer["result"] is False
    assert answer["msg"].startswith(f"{INVALID}invalid id : ")
    assert "id" not in answer


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (["nopeusdt@ticker"], "invalid symbol : nopeusdt"),
        (["@ticker"], "invalid symbol : "),
        (["ſOLUSDT@ticker"], "invalid symbol : \\u017fOLUSDT"),  # its upper case is a symbol
        (["BTCUSDT@tıcker"], "invalid event : t\\u0131cker"),
        (["BTCSUSDT@ticker"], "invalid symbol : BTCSUSDT"),  # a contract only
        (["BTCUSDT@depth50"], "invalid depth level : 50"),
        (["BTCUSDT@depth"], "invalid event : depth"),
        (["BTCUSDT@nope"], "invalid event : nope"),
        (["BTCUSDT@Ticker"], "invalid event : Ticker"),
        (["BTCUSDT"], "invalid event : BTCUSDT"),
        (["BTCUSDT@kline_1m"], "invalid event : kline_1m"),
        (["BTCUSDT@kline_7m_LAST_PRICE"], "invalid event : kline_7m_LAST_PRICE"),
        (["BTCUSDT@kline_1m_MARK_PRICE"], "invalid event : kline_1m_MARK_PRICE"),
        (["orders"], "invalid event : orders"),
        (["BTCUSDT@trade", "NOPE@trade"], "invalid symbol : NOPE"),
        (
            ["NOPE@trade", "BTCUSDT@trade", "BTCUSDT@nope", "NO@trade", "NOPE@ticker"],
            "invalid symbol : NOPE; invalid event : nope; invalid symbol : NO",
        ),
        (
            [f"A{number}@trade" for number in range(1, 103)],
            "; ".join(f"invalid symbol : A{number}" for number in range(1, 101)) + "; and 2 more",
        ),
        ([], "invalid params : must be a list of channels"),
        (["BTCUSDT@trade", 1], "invalid params : must be a list of channels"),
        ("BTCUSDT@trade", "invalid params : must be a list of channels"),
        (None, "invalid params : must be a list of channels"),
        ([f"{'Ä' * 100}@ticker"], "invalid symbol : " + "\\xc4" * 15 + "\\..."),
    ],
)
@pytest.mark.parametrize("method", ["SUBSCRIBE", "UNSUBSCRIBE"])
def test_what_cannot_be_subscribed(spot: Listener, method: str, params: Any, words: str) -> None:
    answer = spot.ask({"method": method, "params": params, "id": "1"})
    assert answer == {"result": False, "id": "1", "msg": INVALID + words}


def test_the_top_of_the_book_is_a_spot_channel(contract: Listener) -> None:
    answer = contract.ask({"method": "SUBSCRIBE", "params": ["BTCUSDT@bookTicker"], "id": 1})
    assert answer["msg"] == f"{INVALID}invalid event : bookTicker"


@pytest.mark.parametrize(
    "sent", ["nope", "5", "[]", '{"id":1', "", "[" * 10_000, '{"method":"PING","id":1}x']
)
def test_what_is_no_message(spot: Listener, sent: str) -> None:
    answer = spot.ask(sent)
    assert answer["result"] is False
    assert answer["msg"].startswith(f"{INVALID}unrecognized message : {sent[:50]}")
    assert len(answer["msg"]) < 150
    assert "id" not in answer


@pytest.mark.parametrize(("method", "shown"), [("NOPE", "NOPE"), ("ping", "ping"), (None, "")])
def test_unknown_methods(spot: Listener, method: Any, shown: str) -> None:
    answer = spot.ask({"method": method, "id": 3})
    assert answer == {"result": False, "id": 3, "msg": f"{INVALID}invalid event : {shown}"}


def test_a_refused_subscription_subscribes_nothing(server: Server, spot: Listener) -> None:
    answer = spot.ask({"method": "SUBSCRIBE", "params": ["BTCUSDT@trade", "NOPE@trade"]})
    assert answer["result"] is False
    trade(server, "BTCUSDT", str(PRICE))
    assert spot.settle() == []


def test_100_channels_per_connection(contract: Listener) -> None:
    intervals = ("1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M")
    prices = ("LAST_PRICE", "MARK_PRICE")
    names = ["ticker", "trade", "depth15", "depth200"]
    names += [f"kline_{interval}_{price}" for interval in intervals for price in prices]
    symbols = ("BTCUSDT", "ETHUSDT", "SOLUSDT", "BTCSUSDT")
    channels = [f"{symbol}@{name}" for symbol in symbols for name in names]
    words = f"{INVALID}too many channels : at most 100 per connection"
    too_many = contract.ask({"method": "SUBSCRIBE", "params": channels[:101], "id": 1})
    assert too_many == {"result": False, "id": 1, "msg": words}
    contract.subscribe(*channels[:60])
    contract.subscribe(*channels[30:100])  # some of them again: they count once
    answer = contract.ask({"method": "SUBSCRIBE", "params": [channels[100]], "id": 1})
    assert answer == {"result": False, "id": 1, "msg": words}
    contract.subscribe(channels[0])
    contract.unsubscribe(channels[7])
    contract.subscribe(channels[100])


# -- frames ---------------------------------------------------------------------------------------


def test_unsubscribed_channels_are_silent(server: Server, spot: Listener) -> None:
    spot.subscribe("BTCUSDT@trade", "BTCUSDT@bookTicker")
    trade(server, "BTCUSDT", str(PRICE))
    assert "trade" in [frame["e"] for frame in spot.settle()]
    spot.unsubscribe("btcusdt@trade", "BTCUSDT@bookTicker", "BTCUSDT@ticker")
    spot.settle()
    trade(server, "BTCUSDT", str(PRICE))
    assert spot.settle() == []
    spot.unsubscribe("BTCUSDT@trade")


def test_trades(server: Server, spot: Listener) -> None:
    trade(server, "ETHUSDT", "3000.50")
    spot.subscribe("ethusdt@trade")
    first = spot.next()
    assert list(first) == ["e", "E", "s", "d"]
    assert (first["e"], first["s"]) == ("tradeSnapshot", "ETHUSDT")
    listed = server.client().get("/api/v3/market/trades?symbol=ETHUSDT&limit=50").json
    assert first["d"] == [_trade_item(row) for row in reversed(listed)]
    for price in ("3001.00", "3002.00"):
        trade(server, "ETHUSDT", price)
    told = [item for frame in spot.settle() for item in frame["d"]]
    listed = server.client().get("/api/v3/market/trades?symbol=ETHUSDT&limit=2").json
    assert told == [_trade_item(row) for row in reversed(listed)]
    assert [item["p"] for item in told] == ["3001.00", "3002.00"]


def _trade_item(row: Message) -> Message:
    return {
        "T": row["time"],
        "t": row["id"],
        "p": row["price"],
        "q": row["qty"],
        "v": row["quoteQty"],
        "m": row["isBuyerMaker"],
    }


def test_the_top_of_the_book(server: Server, spot: Listener) -> None:
    alice = server.client("alice")
    spot.subscribe("SOLUSDT@bookTicker")
    first = spot.next()
    assert list(first) == ["e", "E", "s", "u", "b", "B", "a", "A"]
    assert first["e"] == "bookTicker"
    order(alice, "SOLUSDT", "BUY", "1.5", "140.000")
    order(alice, "SOLUSDT", "BUY", "1.5", "139.000")  # below the best: nothing to tell
    order(alice, "SOLUSDT", "SELL", "2", "160.000")
    quotes = [(frame["b"], frame["B"], frame["a"], frame["A"]) for frame in spot.settle()]
    assert quotes == [
        ("140.000", "1.500", "0.000", "0.000"),
        ("140.000", "1.500", "160.000", "2.000"),
    ]
    top = server.client().get("/api/v3/market/ticker/bookTicker?symbol=SOLUSDT").json
    assert quotes[-1] == (top["bidPrice"], top["bidQty"], top["askPrice"], top["askQty"])


def test_the_ticker(server: Server, spot: Listener) -> None:
    trade(server, "BTCUSDT", "60000.00", "0.5")
    spot.subscribe("BTCUSDT@ticker")
    assert list(spot.next()["d"][0]) == list("pPwcohlvqOCn")
    trade(server, "BTCUSDT", "60300.00", "0.5")
    (item,) = spot.until(lambda frame: frame["d"][0]["c"] == "60300.00")["d"]
    row = server.client().get("/api/v3/market/ticker/24hr?symbol=BTCUSDT").json
    told = {
        "priceChange": item["p"],
        "priceChangePercent": item["P"],
        "lastPrice": item["c"],
        "openPrice": item["o"],
        "highPrice": item["h"],
        "lowPrice": item["l"],
        "volume": item["v"],
        "quoteVolume": item["q"],
        "openTime": item["O"],
        "closeTime": item["C"],
        "count": item["n"],
    }
    assert told == {name: row[name] for name in told}
    average = float(row["quoteVolume"]) / float(row["volume"])
    assert float(item["w"]) == pytest.approx(average, abs=1e-6)


def test_the_ticker_of_a_contract(contract: Listener) -> None:
    contract.subscribe("BTCUSDT@ticker")
    assert list(contract.next()["d"][0]) == list("pPwcohlvqOCnmi")


@pytest.mark.parametrize("interval", ["1m", "1h", "1M"])
def test_candles(server: Server, spot: Listener, interval: str) -> None:
    spot.subscribe(f"BTCUSDT@kline_{interval}_LAST_PRICE")
    first = spot.next()
    assert list(first) == ["e", "E", "s", "p", "d"]
    assert (first["e"], first["p"]) == ("klineSnapshot", "LAST_PRICE")
    assert len(first["d"]) == 100
    assert list(first["d"][0]) == list("tTsiochlvnqVQ")
    trade(server, "BTCUSDT", "60123.45", "0.25")
    found = spot.until(lambda frame: frame["d"][-1]["c"] == "60123.45")
    assert found["e"] == "kline"
    query = f"symbol=BTCUSDT&interval={interval}&limit=1"
    (row,) = server.client().get(f"/api/v3/market/klines?{query}").json
    item = found["d"][-1]
    assert (item["s"], item["i"]) == ("BTCUSDT", interval)
    assert [item[key] for key in "tohlcvTqnVQ"] == row
    trade(server, "BTCUSDT", "60000.00")


def test_candles_of_the_mark_price(server: Server, contract: Listener) -> None:
    spot = server.client("alice")
    kept = [order(spot, "SOLUSDT", side, "100", price) for side, price in SOL_QUOTES]
    contract.subscribe("SOLUSDT@kline_1m_MARK_PRICE", "SOLUSDT@ticker")
    found = contract.until(lambda frame: frame["e"] == "kline" and bool(frame["d"]))
    assert found["p"] == "MARK_PRICE"
    assert float(found["d"][-1]["c"]) > 0
    for number in kept:
        assert spot.delete(f"/api/v3/order?orderId={number}").status == 200


SOL_QUOTES = (("BUY", "149.000"), ("SELL", "151.000"))


# -- depth ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [15, 200])
def test_a_book_kept_from_frames_is_the_book(server: Server, level: int) -> None:
    """Orders come in bursts of random ones; each ends with a level that only depth frames show."""
    rng = random.Random(level)
    alice, anyone = server.client("alice"), server.client()
    asked = f"/api/v3/market/depth?symbol=BTCUSDT&limit={level}"
    channel = f"BTCUSDT@depth{level}"
    with Listener(server.port, SPOT) as early, Listener(server.port, SPOT) as late:
        early.subscribe(channel)
        book = Book(early.next())
        newcomer = None
        for burst in range(BURSTS):
            placed = _burst(rng, alice, burst)
            expected = anyone.get(asked).json
            _reach(early, book, expected)
            if burst == BURSTS // 2:  # in the middle of the stream
                late.subscribe(channel)
                newcomer = Book(late.next())
            if newcomer is not None:
                _reach(late, newcomer, expected)
            if burst % 5 == 4:
                assert alice.delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200
            assert placed
    assert book.update_id > BURSTS


def _burst(rng: random.Random, client: Client, burst: int) -> int:
    """Random orders around the price, the last of them better than every other: in every window.

    It takes all that is for sale, and more: a burst that left the book as it was would bring no
    frame.
    """
    count = rng.randint(1, LEVEL_MAX)
    for _ in range(count):
        side = rng.choice(("BUY", "SELL"))
        price = PRICE + rng.randint(-200, 200) / 4
        kind = rng.choice(("GTC", "GTC", "GTC", "IOC"))
        quantity = f"0.000{rng.randint(1, 9)}"
        order(client, "BTCUSDT", side, quantity, f"{price:.2f}", timeInForce=kind)
    order(client, "BTCUSDT", "BUY", "0.1", f"{PRICE + 100 + burst / 100:.2f}")
    return count


def _reach(listener: Listener, book: Book, expected: Message) -> None:
    """Take frames up to the update id of `expected`: there the two books are the same."""
    while book.update_id < expected["lastUpdateId"]:
        book.take(listener.next())
    assert book.shown() == expected


def test_a_repeated_subscription_shows_the_book_again(server: Server, spot: Listener) -> None:
    spot.subscribe("BTCUSDT@depth15")
    book = Book(spot.next())
    spot.subscribe("btcusdt@depth15")
    again = Book(spot.next())
    assert again.shown() == book.shown()
    order(server.client("alice"), "BTCUSDT", "BUY", "0.001", "50000")
    frame = spot.next()
    again.take(frame)
    assert spot.settle() == []
    assert server.client("alice").delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200


def test_an_unused_symbol_has_an_empty_book(contract: Listener) -> None:
    contract.subscribe("BTCSUSDT@depth15")
    book = Book(contract.next())
    assert book.shown() == {"lastUpdateId": 0, "bids": [], "asks": []}


# -- the server -----------------------------------------------------------------------------------


def test_sockets_close_when_the_venue_stops(server: Server, tmp_path: Any) -> None:
    with Server("--no-agents", folder=tmp_path) as other:
        with Listener(other.port, SPOT) as spot:
            spot.subscribe("BTCUSDT@trade")
            spot.next()
            assert other.stop() == 0
            with pytest.raises(ConnectionClosed) as closed:
                spot.socket.recv(WAIT_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert other.errors.read_text() == ""


def test_an_upgrade_of_another_path_is_a_request(server: Server) -> None:
    headers: dict[str, str | None] = {"Connection": "Upgrade", "Upgrade": "websocket"}
    answer = server.client().get("/api/v3/ping", headers=headers)
    assert (answer.status, answer.body) == (200, b"{}")
    assert server.client().get("/nope/ws/public", headers=headers).status == 404
    # A socket's path without the rest of the handshake says what is missing.
    broken = server.client().get(SPOT, headers=headers)
    assert (broken.status, broken.headers["content-type"]) == (400, "application/json")
    assert server.client().get(SPOT).status == 404


def test_the_document(server: Server) -> None:
    answer = server.client().get("/asyncapi.json")
    assert answer.status == 200
    document = answer.json
    assert document["asyncapi"] == "3.0.0"
    addresses = {channel["address"] for channel in document["channels"].values()}
    bases = ("/spot/v3/ws", "/contract/v3/ws", "/v3/ws")
    assert addresses == {f"{base}/{kind}" for base in bases for kind in ("public", "private")}
    references = [text for text in _references(document) if _found(document, text) is None]
    assert references == []


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from _references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _references(inner)


def _found(document: Any, reference: str) -> Any:
    for step in reference.removeprefix("#/").split("/"):
        document = document.get(step) if isinstance(document, dict) else None
    return document
