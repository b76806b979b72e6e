"""Details that stock clients stumbled over: ids, times, repeated keys, words of another version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.listening import Listener, login
from support.raw import Desk, ok, operate, order, priced, refused
from support.server import Server
from support.stock import Stock

V3, SPOT = "/capi/v3", "/api/v3"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--state", "state.db")
    with Server(*options, folder=tmp_path_factory.mktemp("small")) as server:
        yield server


@pytest.fixture(scope="module")
def desk(server: Server) -> Iterator[Desk]:
    with priced(server) as desk:
        yield desk


def with_herself(desk: Desk, path: str, sides: dict[str, dict[str, str]]) -> None:
    for side, more in sides.items():
        ok(desk.alice.post(path, order("BTCUSDT", side, "0.01", "60000", **more)))


PRODUCTS = [
    pytest.param(
        f"{SPOT}/order", {"BUY": {}, "SELL": {}}, f"{SPOT}/myTrades?symbol=BTCUSDT",
        "BTC/USDT", id="spot",
    ),
    pytest.param(
        f"{V3}/order",
        {
            "BUY": {"positionSide": "LONG", "timeInForce": "GTC"},
            "SELL": {"positionSide": "SHORT", "timeInForce": "GTC"},
        },
        f"{V3}/userTrades?symbol=BTCUSDT", "BTC/USDT:USDT", id="contract",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "sides", "list_path", "symbol"), PRODUCTS)
def test_both_sides_of_a_trade_with_oneself_have_ids(
    server: Server, desk: Desk, path: str, sides: Any, list_path: str, symbol: str
) -> None:
    product = "spot" if symbol == "BTC/USDT" else "contract"
    account = server.account("alice")
    socket = Listener(server.port, f"/{product}/v3/ws/private", login(account))
    with socket as private, Stock(server, account) as stock:
        assert private.ask({"method": "SUBSCRIBE", "params": ["fill"], "id": 1})["result"]
        with_herself(desk, path, sides)
        maker, taker = ok(desk.alice.get(list_path))
        assert int(maker["id"]) - int(taker["id"]) == 4 * 10**15
        assert int(maker["id"]) < 2**53
        assert (maker["qty"], maker["time"]) == (taker["qty"], taker["time"])
        rows = stock("fetch_my_trades", symbol)
        assert {row["id"] for row in rows} == {maker["id"], taker["id"]}
        told: list[Any] = []
        while len(told) < 2:
            told += private.next()["d"]
        directions = {"TAKER": taker["id"], "MAKER": maker["id"]}
        assert {row["direction"]: row["id"] for row in told} == directions
    ok(desk.bob.post(path, order("BTCUSDT", "BUY", "0.01", "60000", **sides["BUY"])))
    ok(desk.alice.post(path, order("BTCUSDT", "SELL", "0.01", "60000", **sides["SELL"])))
    (mine,) = ok(desk.alice.get(f"{list_path}&limit=1"))
    (theirs,) = ok(desk.bob.get(f"{list_path}&limit=1"))
    assert mine["id"] == theirs["id"]  # of a trade between two owners both know the same


def test_the_account_says_when_it_changed(server: Server, desk: Desk) -> None:
    def changed(who: Any) -> int:
        return int(ok(who.get(f"{SPOT}/account"))["updateTime"])

    assert changed(desk.carol) == 0
    placed = ok(desk.alice.post(f"{SPOT}/order", order("ETHUSDT", "BUY", "1", "3000")))
    held = changed(desk.alice)
    assert held == int(placed["transactTime"])
    ok(desk.bob.post(f"{SPOT}/order", order("ETHUSDT", "BUY", "1", "2999")))
    assert changed(desk.alice) == held
    ok(desk.alice.delete(f"{SPOT}/openOrders?symbol=ETHUSDT"))
    freed = changed(desk.alice)
    assert freed >= held
    money = {"owner": "carol", "wallet": "SPOT", "asset": "USDT", "amount": "5"}
    operate(desk, "deposit", money)
    given = changed(desk.carol)
    (bill,) = ok(desk.carol.post(f"{SPOT}/account/bills", {}))
    assert given == int(bill["cTime"])
    operate(desk, "deposit", money | {"wallet": "CONTRACT"})
    assert changed(desk.carol) == given
    del server


def test_it_is_known_after_a_restart(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--state", "venue.db")
    with Server(*arguments, folder=tmp_path) as server:
        bob = server.client("bob")
        ok(bob.post(f"{SPOT}/order", order("BTCUSDT", "BUY", "0.01", "50000")))
        before = ok(bob.get(f"{SPOT}/account"))["updateTime"]
        assert server.stop() == 0
    with Server(*arguments, folder=tmp_path) as server:
        assert ok(server.client("bob").get(f"{SPOT}/account"))["updateTime"] == before
        carol = ok(server.client("carol").get(f"{SPOT}/account"))
        assert carol["updateTime"] == "0"


def test_repeated_symbols_are_a_list(desk: Desk) -> None:
    for which in ("24hr", "price", "bookTicker"):
        path = f"{SPOT}/market/ticker/{which}"
        listed = ok(desk.anyone.get(f"{path}?symbols=BTCUSDT,SOLUSDT"))
        repeated = ok(desk.anyone.get(f"{path}?symbols=BTCUSDT&symbols=solusdt"))
        assert [row["symbol"] for row in repeated] == [row["symbol"] for row in listed]
    info = ok(desk.anyone.get(f"{SPOT}/exchangeInfo?symbols=BTCUSDT&symbols=ETHUSDT"))
    assert [row["symbol"] for row in info["symbols"]] == ["BTCUSDT", "ETHUSDT"]
    path = f"{SPOT}/market/ticker/price"
    refused(desk.anyone.get(f"{path}?symbols=BTCUSDT&symbols=NOPE"), -1142, "'symbols'", "NOPE")
    refused(desk.anyone.get(f"{path}?symbols=BTCUSDT&symbols=BTCUSDT"), -1142, "named twice")
    refused(desk.anyone.get(f"{path}?symbols=BTCUSDT&symbols="), -1142, "empty")
    refused(desk.anyone.get(f"{path}?symbol=BTCUSDT&symbol=ETHUSDT"), -1142, "more than once")
    many = "&".join(f"symbols=S{number}" for number in range(101))
    refused(desk.anyone.get(f"{path}?{many}"), -1140, "'symbols'", "at most 100")
    refused(desk.anyone.get(f"{path}?{many}&{many}"), -1140, "'query'")
    odd = "&".join(f"a{number}=1" for number in range(21))
    refused(desk.anyone.get(f"{path}?{odd}"), -1140, "'query'", "at most 20")
    refused(desk.anyone.get(f"{SPOT}/market/depth?symbols=A&symbols=B"), -1142, "more than once")


def test_funding_times_are_named(desk: Desk) -> None:
    body = {"symbol": "BTCUSDT"}
    for bad, words in (
        (["08:00", "00:00"], "must ascend and be evenly spaced"),
        (["00:00", "09:00"], "evenly spaced"),
        (["00:00"] * 2, "evenly spaced"),
    ):
        answer = desk.anyone.post("/_venue/contracts/change", body | {"fundingTimes": bad})
        refused(answer, -1142, "'fundingTimes'", words)


def test_messages_of_another_version_are_told_so(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/public") as listener:
        for sent in (
            {"event": "subscribe", "channel": "ticker.cmt_btcusdt"},
            {"op": "subscribe", "args": [{"channel": "ticker", "instId": "BTCUSDT"}]},
        ):
            assert listener.ask(sent | {"id": 7}) == {
                "result": False,
                "id": 7,
                "msg": "INVALID_ARGUMENT: this is V3: use method SUBSCRIBE",
            }
        unknown = listener.ask({"method": "subscribe", "id": 8})
        assert unknown["msg"] == "INVALID_ARGUMENT: invalid event : subscribe"
