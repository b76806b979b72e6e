"""Raw answers of both profiles: what the live exchange does where the document says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from support.client import Client
from support.command import run
from support.contract_desk import V3
from support.listening import Listener, login
from support.raw import UNKNOWN_ID, Desk, operate, order, priced
from support.server import Server
from support.socket_desk import CONTRACT, PRODUCTS, price_contracts
from venue import Venue
from venue.client.errors import Misused

PROFILES = ("document", "live")
MONEY = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT", "amount": "100000000"}
BACK = {"side": "BUY", "positionSide": "SHORT", "price": "60000"}  # a bid that closes a short


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """A venue of each profile."""
    folder = tmp_path_factory.mktemp("profiles")
    with (
        Server("--no-agents", "--profile", "document", folder=folder / "document") as document,
        Server("--no-agents", "--profile", "live", folder=folder / "live") as live,
    ):
        yield {"document": document, "live": live}


@pytest.fixture(scope="module")
def document(servers: dict[str, Server]) -> Iterator[Desk]:
    with priced(servers["document"]) as desk:
        yield desk


@pytest.fixture(scope="module")
def live(servers: dict[str, Server]) -> Iterator[Desk]:
    with priced(servers["live"]) as desk:
        yield desk


def test_the_profile_is_told(servers: dict[str, Server]) -> None:
    for profile in PROFILES:
        client = servers[profile].client()
        assert client.get("/_venue/health?stateHash=false").json["profile"] == profile
        told = client.get("/openapi.json").json["info"]["description"]
        assert told.startswith(f"Profile {profile}: ")
        said = run("status", "--url", servers[profile].url)
        assert f"  profile     {profile}\n" in said.stdout
        assert client.post("/_venue/worlds", {"name": "w"}).status == 200
        world = client.get("/w/w/_venue/health?stateHash=false").json
        assert world["profile"] == profile


def test_an_unknown_profile_is_refused() -> None:
    for command in ("dev", "serve"):
        done = run(command, "--profile", "true", "--port", "0")
        assert done.returncode == 2
        assert 'for --profile. Choose from: "document", "live"' in done.stderr
    with pytest.raises(Misused, match="profile 'true': must be document or live"):
        Venue(profile="true")


def test_a_venue_in_the_process_has_a_profile() -> None:
    for profile in PROFILES:
        with Venue(profile=profile, agents=False) as venue:
            assert venue.call("health").profile == profile


def test_a_batch_cancel_tells_unknown_orders_in_live_words(document: Desk, live: Desk) -> None:
    words = {
        "document": (document, {"status": "EXPIRED", "errorMsg": "order not found"}),
        "live": (live, {"status": "FAILED", "errorMsg": "FAILED_ORDER_NOT_FOUND"}),
    }
    for profile, (desk, told) in words.items():
        answer = desk.bob.delete("/api/v3/order/batch", {"orderIds": [UNKNOWN_ID]})
        (item,) = answer.json["orderList"]
        assert {name: item[name] for name in told} == told
        body = {"orderIdList": [UNKNOWN_ID]}
        (item,) = desk.bob.delete("/capi/v3/batchOrders", body).json["orderList"]
        assert item["errorMessage"] == told["errorMsg"]
        settings = desk.anyone.get("/_venue/settings").json
        assert settings["batchCancelWording"] == profile


@pytest.mark.parametrize("profile", PROFILES)
def test_the_contract_balance_moves_with_the_profit(
    profile: str, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(profile)
    limit = {"symbol": "BTCUSDT", "type": "LIMIT", "price": "60000", "timeInForce": "GTC"}
    for client, way in (
        (desk.bob, {"side": "SELL", "positionSide": "SHORT"}),
        (desk.alice, {"side": "BUY", "positionSide": "LONG"}),
    ):
        assert client.post(f"{V3}/order", {**limit, **way, "quantity": "0.5"}).status == 200
    wallets: dict[str, Decimal] = {}
    for price, profit in (("60000", "0"), ("60100", "50"), ("59900", "-50")):
        moved = {"symbol": "BTCUSDT", "source": "desk", "price": price, "jump": True}
        operate(desk, "index", moved)
        for name, client, sign in (("alice", desk.alice, 1), ("bob", desk.bob, -1)):
            (row,) = client.get(f"{V3}/account/balance").json
            assert Decimal(row["unrealizePnl"]) == sign * Decimal(profit)
            wallet = Decimal(row["balance"]) - Decimal(row["unrealizePnl"])
            assert wallets.setdefault(name, wallet) == wallet
    for client in (desk.alice, desk.bob):
        client.post(f"{V3}/closePositions", {})


def test_income_without_a_symbol_has_none_in_live_words(document: Desk, live: Desk) -> None:
    for desk, told in ((document, b'"symbol":""'), (live, b'"symbol":null')):
        moved = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT", "amount": "7"}
        operate(desk, "deposit", moved)
        answer = desk.carol.post("/capi/v3/account/income", {"incomeType": "deposit"})
        assert told in answer.body


NO_TIME_IN_FORCE = "Parameter 'timeInForce' cannot be empty."


@pytest.mark.parametrize("profile", PROFILES)
def test_a_contract_limit_order_needs_a_time_in_force(
    profile: str, servers: dict[str, Server], request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(profile)
    operate(desk, "settings", {"contractBatchPlace": True})
    body = order("BTCUSDT", "BUY", "0.01", "50000", positionSide="LONG")
    for gap in ({}, {"timeInForce": ""}, {"timeInForce": None}):
        answer = desk.alice.post(f"{V3}/order", body | gap)
        assert (answer.status, answer.json["code"]) == (400, -1141)
        assert answer.json["msg"] == NO_TIME_IN_FORCE
        (item,) = desk.alice.post(f"{V3}/batchOrders", {"batchOrders": [body | gap]}).json
        assert (item["errorCode"], item["errorMessage"]) == ("PARAM_EMPTY", NO_TIME_IN_FORCE)
    demo = desk.alice.post(f"{V3}/sim/order", body | {"symbol": "BTCSUSDT"})
    assert demo.json["msg"] == NO_TIME_IN_FORCE
    server = servers[profile]
    with Listener(server.port, CONTRACT.socket, login(server.account("alice"))) as listener:
        told = listener.ask({"id": 1, "method": "ORDER.PLACE", "params": body})
        assert told["error"]["msg"] == NO_TIME_IN_FORCE
    placed = desk.alice.post(f"{V3}/order", body | {"timeInForce": "GTC"})
    assert placed.status == 200
    desk.alice.delete(f"{V3}/allOpenOrders")
    market = order("BTCUSDT", "BUY", "0.01", positionSide="LONG")
    assert desk.alice.post(f"{V3}/order", market).json["code"] != -1141


def test_crossed_leverage_needs_its_own_field_where_it_is_as_live(
    document: Desk, live: Desk
) -> None:
    modes = {"symbol": "ETHUSDT", "marginType": "CROSSED"}
    isolated = {"isolatedLongLeverage": "7", "isolatedShortLeverage": "7"}
    for desk in (document, live):
        changed = desk.alice.post(f"{V3}/account/leverage", modes | {"crossLeverage": "9"})
        assert changed.json["crossLeverage"] == "9"
    taken = document.alice.post(f"{V3}/account/leverage", modes | isolated)
    assert (taken.status, taken.json["isolatedLongLeverage"]) == (200, "7")
    before = live.alice.get(f"{V3}/account/symbolConfig?symbol=ETHUSDT").json
    for gap in ({}, {"crossLeverage": ""}, {"crossLeverage": None}):
        answer = live.alice.post(f"{V3}/account/leverage", modes | isolated | gap)
        assert (answer.status, answer.json["code"]) == (400, -1141)
        assert answer.json["msg"] == "Parameter 'crossLeverage' cannot be empty."
    assert live.alice.get(f"{V3}/account/symbolConfig?symbol=ETHUSDT").json == before
    changed = live.alice.post(f"{V3}/account/leverage", {"symbol": "ETHUSDT"} | isolated)
    assert (changed.status, changed.json["isolatedLongLeverage"]) == (200, "7")


BOUND = re.compile(r"FAILED_PRECONDITION: If order is filled, may lead to position exceed max size")
SIZE = re.compile(r"exceed max size ([0-9.]+) for leverage '([0-9]+)'")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_size_beyond_the_leverage_is_told(profile: str, request: pytest.FixtureRequest) -> None:
    desk: Desk = request.getfixturevalue(profile)
    operate(desk, "settings", {"contractBatchPlace": True})
    operate(desk, "deposit", MONEY)
    modes = {"symbol": "BTCUSDT", "marginType": "CROSSED", "crossLeverage": "100"}
    assert desk.carol.post(f"{V3}/account/leverage", modes).status == 200
    body = order("BTCUSDT", "BUY", "900", "60000", positionSide="LONG", timeInForce="GTC")
    answer = desk.carol.post(f"{V3}/order", body)
    assert (answer.status, answer.json["code"]) == (400, -1054)
    assert BOUND.match(answer.json["msg"])
    (size, leverage) = SIZE.findall(answer.json["msg"])[0]
    assert leverage == "100"
    (item,) = desk.carol.post(f"{V3}/batchOrders", {"batchOrders": [body]}).json
    assert item["errorCode"] == "CONTRACT_LEVERAGE_ERROR"
    assert SIZE.findall(item["errorMessage"]) == [(size, leverage)]
    # Open orders count; the size is the greatest that is taken.
    first, step = Decimal("1.5"), Decimal("0.00001")
    assert desk.carol.post(f"{V3}/order", body | {"quantity": f"{first}"}).status == 200
    rest = Decimal(size) - first
    beyond = desk.carol.post(f"{V3}/order", body | {"quantity": f"{rest + step}"})
    assert SIZE.findall(beyond.json["msg"]) == [(size, leverage)]
    assert desk.carol.post(f"{V3}/order", body | {"quantity": f"{rest}"}).status == 200
    assert len(desk.carol.delete(f"{V3}/allOpenOrders").json) == 2


@pytest.mark.parametrize("profile", PROFILES)
def test_premium_prices_stand_for_a_minute_where_it_is_as_live(
    profile: str, tmp_path: Path
) -> None:
    """The first instant of a minute decides; `time` moves each second, and a revert shows its own
    state's prices."""
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:00Z")
    with Server(*options, "--profile", profile, folder=tmp_path) as server:
        client = server.client()

        def operate(path: str, **body: Any) -> None:
            assert client.post(f"/_venue/{path}", body).status == 200

        def premium() -> dict[str, Any]:
            (row,) = client.get(f"{V3}/market/premiumIndex?symbol=BTCUSDT").json
            return dict(row)

        def hold(price: str) -> None:
            operate("index/hold", symbol="BTCUSDT", price=price, jump=True)
            operate("clock/advance", by="1s")

        hold("60000")
        operate("clock/advance", by="60s")
        first = premium()
        assert Decimal(first["indexPrice"]) == Decimal(first["markPrice"]) == 60_000
        assert client.call("PUT", "/_venue/snapshots/kept", {}).status == 200
        for price in ("60100", "60200"):
            hold(price)
            now = premium()
            assert now["time"] > first["time"]
            moving = ("markPrice", "indexPrice", "forecastFundingRate")
            changed = {name for name in moving if now[name] != first[name]}
            assert bool(changed) == (profile == "document")
        operate("clock/advance", by="56s")
        assert Decimal(premium()["indexPrice"]) == (60_200 if profile == "document" else 60_000)
        operate("clock/advance", by="1s")
        assert Decimal(premium()["indexPrice"]) == 60_200
        operate("snapshots/kept/revert")
        assert Decimal(premium()["indexPrice"]) == 60_000


def test_a_resting_close_is_told_as_live(document: Desk, live: Desk) -> None:
    """In COMBINED mode it says reduceOnly=false, in SEPARATED mode true."""
    for profile, desk in (("document", document), ("live", live)):
        for mode in ("COMBINED", "SEPARATED"):
            modes = {"symbol": "BTCUSDT", "marginType": "CROSSED", "separatedType": mode}
            assert desk.carol.post(f"{V3}/account/marginType", modes).status == 200
            rest = {"symbol": "BTCUSDT", "type": "LIMIT", "quantity": "0.1", "timeInForce": "GTC"}
            maker = rest | {"side": "SELL", "positionSide": "SHORT", "price": "60000"}
            assert desk.bob.post(f"{V3}/order", maker).status == 200
            operate(desk, "deposit", MONEY)
            taker = rest | {"side": "BUY", "positionSide": "LONG", "price": "60000"}
            assert desk.carol.post(f"{V3}/order", taker).status == 200
            (held,) = desk.carol.get(f"{V3}/account/position/singlePosition?symbol=BTCUSDT").json
            close = rest | {"side": "SELL", "positionSide": "LONG", "price": "61000"}
            if mode == "SEPARATED":
                refused = desk.carol.post(f"{V3}/order", close)
                assert (refused.status, refused.json["code"]) == (400, -1054)
                assert "Position ID missing in separated mode" in refused.json["msg"]
                close["positionId"] = str(held["id"])
            number = desk.carol.post(f"{V3}/order", close).json["orderId"]
            (row,) = desk.carol.get(f"{V3}/openOrders?symbol=BTCUSDT").json
            one = desk.carol.get(f"{V3}/order?orderId={number}").json
            told = profile == "document" or mode == "SEPARATED"
            assert row["reduceOnly"] is one["reduceOnly"] is told
            desk.carol.delete(f"{V3}/allOpenOrders")
            assert desk.bob.post(f"{V3}/order", rest | BACK).status == 200
            desk.carol.post(f"{V3}/closePositions", {})
            assert desk.carol.get(f"{V3}/account/position/singlePosition?symbol=BTCUSDT").json == []
            desk.bob.post(f"{V3}/closePositions", {})


def over_ipv6(server: Server, account: dict[str, Any] | None = None) -> Client:
    """A client of a server that listens there, closed with it."""
    made = server.client()
    made.account = account
    made.connection = HTTPConnection("::1", server.port)
    return made


def test_address_lists_of_keys_are_ipv4_where_it_is_as_live(tmp_path: Path) -> None:
    for profile in PROFILES:
        folder = tmp_path / profile
        with Server("--no-agents", "--host", "::1", "--profile", profile, folder=folder) as server:
            operator = over_ipv6(server)
            body = {"owner": "alice", "permissions": ["READ"], "ips": ["127.0.0.1", "::1"]}
            made = operator.post("/_venue/keys", body)
            if profile == "live":
                assert (made.status, made.json["code"]) == (400, -1142)
                assert "IPv4" in made.json["msg"]
                made = operator.post("/_venue/keys", body | {"ips": ["127.0.0.1"]})
            answer = over_ipv6(server, made.json).get("/api/v3/account/")
            assert answer.json.get("code") == (-1056 if profile == "live" else None)
            free = operator.post("/_venue/keys", body | {"ips": []}).json
            assert over_ipv6(server, free).get("/api/v3/account/").status == 200


def test_a_broker_names_conditional_orders_by_its_prefix(document: Desk, live: Desk) -> None:
    """32 characters with the prefix, and the 35 that ccxt sends."""
    stop = {"symbol": "BTCUSDT", "side": "SELL", "positionSide": "LONG", "type": "STOP_MARKET",
            "quantity": "0.1", "triggerPrice": "50000"}  # fmt: skip
    for desk in (document, live):
        for length in (32, 35):
            name = "b-WEEX111125-".ljust(length, "x")
            answer = desk.alice.post(f"{V3}/algoOrder", stop | {"clientAlgoId": name})
            assert (answer.status, answer.json["clientOrderId"]) == (200, name)
        assert len(desk.alice.delete(f"{V3}/algoOpenOrders").json) == 2


def test_ended_orders_lack_their_fills_for_a_while(tmp_path: Path) -> None:
    """Under the fault `sparse`, until an order has ended so long ago."""
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:00Z")
    with Server(*options, folder=tmp_path) as server:
        operator, alice = server.client(), server.client("alice")
        held = {"symbol": "BTCUSDT", "price": "60000", "jump": True}
        for path, body in (("index/hold", held), ("clock/advance", {"by": "2s"})):
            assert operator.post(f"/_venue/{path}", body).status == 200
        alice.at_ms = 1_767_225_602_000
        body = order("BTCUSDT", "BUY", "0.1", "50000", positionSide="LONG", timeInForce="GTC")
        number = alice.post(f"{V3}/order", body).json["orderId"]
        assert alice.delete(f"{V3}/order?orderId={number}").status == 200
        (whole,) = alice.get(f"{V3}/order/history").json
        assert (whole["executedQty"], whole["cumQuote"]) == ("0.00000", "0.00000000")
        rule = {"effect": {"kind": "sparse", "ms": 2_000}}
        assert operator.post("/_venue/faults", rule).status == 200
        lacking = {name: whole[name] for name in whole if name not in ("executedQty", "cumQuote")}
        assert alice.get(f"{V3}/order/history").json == [lacking]
        assert alice.get(f"{V3}/order?orderId={number}").json == lacking
        assert operator.post("/_venue/clock/advance", {"by": "2s"}).status == 200
        assert alice.get(f"{V3}/order/history").json == [whole]


def test_empty_order_frames_come_before_others(servers: dict[str, Server]) -> None:
    """Under the fault `ws.empty`: in these bytes, on `orders` alone, and without a number."""
    server = servers["document"]
    alice = server.client("alice")
    price_contracts(server.client())
    for product in PRODUCTS:
        at = (server.port, product.socket, login(server.account("alice")))
        with Listener(*at) as listener:
            listener.subscribe("orders", "account")
            rule = {"effect": {"kind": "ws.empty"}}
            assert server.client().post("/_venue/faults", rule).status == 200
            for client in (alice, alice):
                number = client.post(product.order, product.plain).json["orderId"]
                assert client.delete(f"{product.order}?orderId={number}").status == 200
            told = [listener.until(lambda frame: frame.get("e") == "orders") for _ in range(8)]
            assert [len(frame["d"]) for frame in told] == [0, 1] * 4
            numbers = [frame["v"] for frame in told if frame["d"]]
            assert numbers == sorted(set(numbers))
            assert listener.texts.count('{"e":"orders","d":[]}') == 4
        assert server.client().delete("/_venue/faults").status == 200


def test_income_with_one_time_is_refused_where_it_is_as_live(document: Desk, live: Desk) -> None:
    for time in ("startTime", "endTime"):
        body = {time: 1_700_000_000_000}
        assert document.alice.post(f"{V3}/account/income", body).status == 200
        answer = live.alice.post(f"{V3}/account/income", body)
        assert (answer.status, answer.json["code"]) == (400, -1142)
        assert live.alice.post(f"{V3}/account/income", {time: None}).status == 200
    both = {"startTime": 1_700_000_000_000, "endTime": 1_700_000_001_000}
    assert live.alice.post(f"{V3}/account/income", both).status == 200
