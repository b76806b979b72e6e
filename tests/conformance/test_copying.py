"""Copy trading on a live venue, raw: rows 91 to 100, a lead's key, and refusals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.client import Client
from support.contract_desk import V3, place
from support.contract_raw import exact, posted
from support.raw import UNKNOWN_ID, Desk, ok, operate, order, refused
from support.server import Server
from support.shapes import (
    LONG_ID,
    MS,
    Check,
    Number,
    Shape,
    decimal,
    is_flag,
    is_list,
    is_null,
    signed,
    text,
)

COPY = f"{V3}/copy"
SYMBOL = "BTCUSDT"
LONG = {"positionSide": "LONG"}
SHORT = {"positionSide": "SHORT"}
DAY_MS = 86_400_000
CONFIG = {
    "symbol": SYMBOL, "traceType": "amount", "traceValue": "500", "maxHoldQty": "20000",
    "stopProfitRatio": "1.5", "stopLossRatio": "0.5", "slippageRatio": "0.005",
    "marginType": "cross", "leverageType": "specify", "fixedLongLeverage": 20,
    "fixedShortLeverage": "5", "customLeverages": [
        {"symbol": SYMBOL, "longLeverage": 8, "shortLeverage": 9},
    ],
}  # fmt: skip


class Room:
    """Alice leads, carol copies her, bob trades with both."""

    def __init__(self, server: Server) -> None:
        self.desk = Desk(server)
        self.uid = {name: server.account(name)["uid"] for name in ("alice", "bob", "carol")}
        self.lead = self.key(server, "alice", ["READ", "COPY_TRADE"])
        self.reader = self.key(server, "carol", ["READ"])

    def key(self, server: Server, owner: str, permissions: list[str]) -> Client:
        body = {"owner": owner, "permissions": permissions}
        answer = self.desk.anyone.post("/_venue/keys", body)
        assert answer.status == 200, answer
        return Client(server.port, answer.json)

    def follow(self, config: dict[str, Any]) -> Any:
        body = {"traderId": self.uid["alice"], "settingType": "unified"}
        return self.desk.carol.post(
            f"{COPY}/follower/settings", body | {"unifiedTraceConfig": config}
        )

    def close(self) -> None:
        self.lead.connection.close()
        self.reader.connection.close()
        self.desk.close()


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("copying")
    with Server("--no-agents", "--no-history", "--no-limits", folder=folder) as server:
        room = Room(server)
        desk = room.desk
        operate(desk, "contracts/change", {"symbol": SYMBOL, "indexSources": ["desk"]})
        operate(desk, "index", posted(SYMBOL, "desk", "60000"))
        money = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT", "amount": "10000"}
        operate(desk, "deposit", money)
        operate(desk, "leads", {"owner": "alice", "thirdParty": "bob", "thirdPartyShare": "0.25"})
        assert room.follow(CONFIG).status == 200
        for side, price, way in (("BUY", "59990", LONG), ("SELL", "60010", SHORT)):
            body = order(SYMBOL, side, "5", price, timeInForce="GTC")
            place(desk, "bob", body | way)
        place(desk, "alice", order(SYMBOL, "BUY", "0.1") | LONG)
        place(desk, "alice", order(SYMBOL, "SELL", "0.05") | LONG)
        place(desk, "alice", order(SYMBOL, "SELL", "0.02") | SHORT)
        place(desk, "alice", order(SYMBOL, "BUY", "0.02") | SHORT)
        yield room
        room.close()


def just(number: int) -> Check:
    """This JSON integer."""
    return lambda value: type(value) is Number and value == str(number)


def is_count(value: object) -> bool:
    """The JSON integer 0 or 1."""
    return type(value) is Number and value in ("0", "1")


MONEY = decimal(8)
SIGNED = signed(8)
TRACKED: Shape = {
    "trackingNo": LONG_ID, "symbol": text(SYMBOL), "openOrderId": LONG_ID, "openLeverage": just(20),
    "openPriceAvg": decimal(2), "openTime": MS, "openSize": decimal(5), "openFee": MONEY,
    "openMarginAmount": MONEY, "openFillSize": decimal(5), "positionSide": text("LONG|SHORT"),
    "status": text("HAVE_OPEN|CLOSED"), "tpTriggerPrice": is_null, "slTriggerPrice": is_null,
    "realizedPnl": SIGNED, "profitRate": signed(6), "netProfit": SIGNED, "followCount": is_count,
    "createdTime": MS, "updateTime": MS,
}  # fmt: skip


def test_open_copies(room: Room) -> None:
    answer = room.desk.carol.get(f"{COPY}/follower/openOrders")
    (copy,) = ok(answer)
    price = decimal(2)
    exact(
        copy,
        {
            "traderID": just(room.uid["alice"]), "traderName": text("alice"),
            "symbol": text(SYMBOL),
            "clientOrderId": text("v-[0-9]{16}"), "orderId": LONG_ID, "trackingNo": LONG_ID,
            "origQty": decimal(5), "price": text("0"), "reduceOnly": is_flag, "side": text("BUY"),
            "positionSide": text("LONG"), "status": text("HAVE_OPEN"), "avgPrice": price,
            "tpTriggerPrice": price, "slTriggerPrice": price, "time": MS,
            "timeInForce": text("IOC"), "type": text("MARKET"), "unrealizePnl": SIGNED,
            "roi": signed(6), "updateTime": MS, "workingType": text("MARK_PRICE"),
        },
    )  # fmt: skip
    # 500 x 8 / 60,300 (the mark and its slippage of 0.005) are 0.06633; half of it is closed.
    assert (copy["origQty"], copy["avgPrice"]) == ("0.03316", "60010.00")
    assert int(copy["traderID"]) == room.uid["alice"]
    same = room.desk.carol.get(f"{COPY}/follower/openOrders?traderUserId={room.uid['alice']}")
    assert ok(same) == [copy]
    assert ok(room.desk.carol.get(f"{COPY}/follower/openOrders?page=1")) == []
    assert ok(room.desk.carol.get(f"{COPY}/follower/openOrders?symbol=ETHUSDT")) == []


def test_settings(room: Room) -> None:
    target = f"{COPY}/follower/settings?traderId={room.uid['alice']}"
    (config,) = ok(room.desk.carol.get(target))
    exact(
        config,
        {
            "copyEnable": is_flag, "symbol": is_null, "symbols": is_list,
            "productType": text("USDT-FUTURES"), "settingMode": text("unified"),
            "traceType": text("amount"), "traceValue": text("500"), "maxHoldSize": text("20000"),
            "marginType": text("cross"), "marginCoin": text("USDT"),
            "leverageType": text("specify"), "longLeverage": just(20), "shortLeverage": just(5),
            "customLeverages": is_list, "takeProfitRatio": text("1.5"),
            "stopLossRatio": text("0.5"), "slippageRatio": text("0.005"),
        },
    )  # fmt: skip
    assert config["symbols"] == [SYMBOL]
    (custom,) = config["customLeverages"]
    exact(custom, {"symbol": text(SYMBOL), "longLeverage": just(8), "shortLeverage": just(9)})


def test_open_tracks_are_the_leads_own(room: Room) -> None:
    (track,) = ok(room.lead.get(f"{COPY}/trader/openOrders"))
    exact(track, TRACKED)
    assert (track["openSize"], track["openFillSize"], track["followCount"]) == (
        "0.05000", "0.10000", "1",
    )  # fmt: skip
    assert ok(room.lead.get(f"{COPY}/trader/openOrders?page=2")) == []
    assert SYMBOL in ok(room.lead.get(f"{COPY}/trader/pairs"))


def test_what_has_ended(room: Room) -> None:
    for client, side in ((room.lead, "trader"), (room.desk.carol, "follower")):
        page = ok(client.get(f"{COPY}/{side}/historyOrders"))
        exact(page, {"list": is_list, "nextFlag": is_flag, "nextKey": is_null})
        (ended,) = page["list"]
        exact(ended, TRACKED | {"openLeverage": just(20 if side == "trader" else 8)})
        assert (ended["status"], ended["positionSide"]) == ("CLOSED", "SHORT")
        assert Decimal(ended["realizedPnl"]) < 0


def test_my_traders(room: Room) -> None:
    page = ok(room.desk.carol.get(f"{COPY}/follower/myTraders"))
    (trader,) = page["list"]
    exact(
        trader,
        {
            "traderID": just(room.uid["alice"]), "traderName": text("alice"), "copyEnable": is_flag,
            "copyCount": is_count, "netProfit": SIGNED, "preDeducted": MONEY,
            "profitShareRatio": text("0.1"), "marginCoin": text("USDT"), "createTime": MS,
        },
    )  # fmt: skip
    assert page["nextFlag"] is False
    assert ok(room.desk.bob.get(f"{COPY}/follower/myTraders"))["list"] == []


def test_a_leads_key_closes_at_market_and_sets_exits_and_nothing_else(room: Room) -> None:
    lead = room.lead
    closing = order(SYMBOL, "SELL", "0.01") | LONG
    for body in (
        order(SYMBOL, "BUY", "0.01") | LONG,
        order(SYMBOL, "SELL", "0.01") | SHORT,
        order(SYMBOL, "SELL", "0.01", "70000", timeInForce="GTC") | LONG,
        closing | {"symbol": "ETHUSDT"},
    ):
        answer = lead.post(f"{V3}/order", body)
        assert (answer.status, answer.json["code"]) == (403, -1052), (body, answer)
    exit_ = {
        "symbol": SYMBOL, "clientAlgoId": "lead-exit", "planType": "TAKE_PROFIT",
        "triggerPrice": "90000", **LONG,
    }  # fmt: skip
    partly = lead.post(f"{V3}/placeTpSlOrder", exit_ | {"quantity": "0.01"})
    assert (partly.status, partly.json["code"]) == (403, -1052)
    for target, body in (
        (f"{V3}/account/leverage", {"symbol": SYMBOL, "crossLeverage": "5"}),
        (f"{V3}/algoOrder", {}),
        (f"{COPY}/follower/stopCopy", {"traderId": 1}),
        ("/api/v3/order", order("BTCUSDT", "BUY", "0.01")),
    ):
        answer = lead.post(target, body)
        assert (answer.status, answer.json["code"]) == (403, -1052), (target, answer)
    assert lead.delete(f"{V3}/allOpenOrders").status == 403
    (set_,) = ok(lead.post(f"{V3}/placeTpSlOrder", exit_))
    change = {"orderId": int(set_["orderId"]), "triggerPrice": "91000"}
    assert lead.post(f"{V3}/modifyTpSlOrder", change).status == 200
    assert lead.post(f"{V3}/order", closing).status == 200
    (left,) = ok(lead.get(f"{COPY}/trader/openOrders"))
    assert left["openSize"] == "0.04000"
    assert room.desk.alice.delete(f"{V3}/algoOpenOrders?symbol={SYMBOL}").status == 200


def test_the_traders_rows_want_a_leads_key(room: Room) -> None:
    for row in ("openOrders", "historyOrders", "pairs"):
        answer = room.desk.alice.get(f"{COPY}/trader/{row}")
        assert (answer.status, answer.json["code"]) == (403, -1052)
    body = {"owner": "bob", "permissions": ["COPY_TRADE", "CONTRACT_TRADE"]}
    refused(room.desk.anyone.post("/_venue/keys", body), -1128)


@pytest.mark.parametrize("row", ["settings", "closePos", "stopCopy"])
def test_a_key_that_only_reads_changes_nothing(room: Room, row: str) -> None:
    answer = room.reader.post(f"{COPY}/follower/{row}", {})
    assert (answer.status, answer.json["code"]) == (403, -1052)


SETTINGS = f"{COPY}/follower/settings"


@pytest.mark.parametrize(
    ("change", "code", "word"),
    [
        ({"traceType": None}, -1141, "traceType"),
        ({"traceType": "all"}, -1142, "traceType"),
        ({"traceValue": None}, -1141, "traceValue"),
        ({"traceValue": ""}, -1141, "traceValue"),
        ({"traceValue": "0"}, -1142, "traceValue"),
        ({"traceValue": "-1"}, -1142, "traceValue"),
        ({"traceType": "percent", "traceValue": "100.1"}, -1140, "traceValue"),
        ({"traceType": "percent", "traceValue": "1.00001"}, -1160, "traceValue"),
        ({"maxHoldQty": "9.99"}, -1140, "maxHoldQty"),
        ({"maxHoldQty": "100000.1"}, -1140, "maxHoldQty"),
        ({"stopProfitRatio": "4.1"}, -1140, "stopProfitRatio"),
        ({"stopLossRatio": "4.1"}, -1140, "stopLossRatio"),
        ({"slippageRatio": "0.0009"}, -1140, "slippageRatio"),
        ({"slippageRatio": "0.011"}, -1140, "slippageRatio"),
        ({"marginType": "CROSSED"}, -1142, "marginType"),
        ({"leverageType": "max"}, -1142, "leverageType"),
        ({"fixedLongLeverage": 0}, -3313, "fixedLongLeverage"),
        ({"fixedShortLeverage": "x"}, -3313, "fixedShortLeverage"),
        ({"symbol": "NOPEUSDT"}, -1121, "symbol"),
        ({"symbol": "BTCSUSDT"}, -1121, "symbol"),
        ({"customLeverages": {}}, -1142, "customLeverages"),
        ({"customLeverages": [1]}, -1142, "customLeverages"),
        ({"customLeverages": [{"symbol": SYMBOL}]}, -1141, "longLeverage"),
    ],
)
def test_settings_that_are_refused(
    room: Room, change: dict[str, Any], code: int, word: str
) -> None:
    config = {name: value for name, value in (CONFIG | change).items() if value is not None}
    refused(room.follow(config), code, word)
    assert (
        ok(room.desk.carol.get(f"{SETTINGS}?traderId={room.uid['alice']}"))[0]["traceValue"]
        == "500"
    )


@pytest.mark.parametrize(
    ("change", "code", "word"),
    [
        ({"traderId": None}, -1141, "traderId"),
        ({"traderId": 0}, -1140, "traderId"),
        ({"traderId": 999}, -1142, "traderId"),
        ({"traderUserId": 5}, -1128, "traderUserId"),
        ({"settingType": None}, -1141, "settingType"),
        ({"settingType": "both"}, -1142, "settingType"),
        ({"unifiedTraceConfig": None}, -1141, "unifiedTraceConfig"),
        ({"unifiedTraceConfig": []}, -1142, "unifiedTraceConfig"),
        ({"symbolTraceConfigs": [CONFIG]}, -1128, "symbolTraceConfigs"),
        ({"settingType": "per_symbol"}, -1141, "symbolTraceConfigs"),
    ],
)
def test_requests_to_follow_that_are_refused(
    room: Room, change: dict[str, Any], code: int, word: str
) -> None:
    whole_one = {
        "traderId": room.uid["alice"], "settingType": "unified", "unifiedTraceConfig": CONFIG,
    }  # fmt: skip
    body = {name: value for name, value in (whole_one | change).items() if value is not None}
    refused(room.desk.carol.post(SETTINGS, body), code, word)


def test_who_cannot_follow(room: Room) -> None:
    body = {"settingType": "unified", "unifiedTraceConfig": CONFIG}
    alice, carol = room.uid["alice"], room.uid["carol"]
    refused(room.desk.bob.post(SETTINGS, body | {"traderId": carol}), -1142, "traderId")
    refused(room.desk.alice.post(SETTINGS, body | {"traderId": alice}), -1142, "traderId")
    operate(room.desk, "leads", {"owner": "bob"})
    refused(room.desk.alice.post(SETTINGS, body | {"traderId": room.uid["bob"]}), -1054, "lead")
    answer = room.desk.anyone.post("/_venue/leads", {"owner": "carol"})
    refused(answer, -1054, "lead")


def test_what_is_another_owners_is_not_found(room: Room) -> None:
    (copy,) = ok(room.desk.carol.get(f"{COPY}/follower/openOrders"))
    alice = room.uid["alice"]
    for target in (f"{COPY}/follower/openOrders", SETTINGS):
        refused(room.desk.bob.get(f"{target}?traderId={alice}"), -1142, "traderId")
    refused(room.desk.carol.get(SETTINGS), -1141, "traderId")
    body = {"symbol": SYMBOL, "copyNo": int(copy["trackingNo"])}
    for client, change in (
        (room.desk.bob, {}), (room.desk.carol, {"copyNo": UNKNOWN_ID}),
        (room.desk.carol, {"symbol": "ETHUSDT"}),
    ):  # fmt: skip
        refused(client.post(f"{COPY}/follower/closePos", body | change), -3200)
    refused(room.desk.bob.post(f"{COPY}/follower/stopCopy", {"traderId": alice}), -1142)
    refused(room.desk.carol.post(f"{COPY}/follower/closePos", {"symbol": SYMBOL}), -1141, "copyNo")


def test_spans_pages_and_keys_out_of_range(room: Room) -> None:
    now = time.time_ns() // 1_000_000
    for client, side in ((room.lead, "trader"), (room.desk.carol, "follower")):
        target = f"{COPY}/{side}/historyOrders"
        long_ago = now - 91 * DAY_MS
        refused(client.get(f"{target}?startTime={long_ago}&endTime={now}"), -1170, "endTime")
        refused(client.get(f"{target}?startTime={now}&endTime={now - 1}"), -1171)
        refused(client.get(f"{target}?nextKeyId=5"), -1141, "nextKeyTime")
        refused(client.get(f"{target}?limit=101"), -1140, "limit")
        refused(client.get(f"{target}?symbol=NOPE"), -1121)
        end = now - DAY_MS
        page = ok(client.get(f"{target}?endTime={end}"))
        assert (page["list"], page["nextFlag"]) == ([], False)


def test_a_follower_closes_and_stops_and_the_bills_tell_of_the_share(room: Room) -> None:
    """The last one: it ends what the others look at."""
    desk = room.desk
    operate(desk, "index", posted(SYMBOL, "desk", "61000"))
    assert desk.bob.delete(f"{V3}/allOpenOrders?symbol={SYMBOL}").status == 200
    place(desk, "bob", order(SYMBOL, "BUY", "1", "60990", timeInForce="GTC") | LONG)
    (copy,) = ok(desk.carol.get(f"{COPY}/follower/openOrders"))
    body = {"symbol": SYMBOL, "copyNo": int(copy["trackingNo"])}
    answer = ok(desk.carol.post(f"{COPY}/follower/closePos", body))
    exact(answer, {"code": text("200"), "msg": text("success"), "requestTime": MS})
    assert ok(desk.carol.get(f"{COPY}/follower/openOrders")) == []
    stopped = desk.carol.post(f"{COPY}/follower/stopCopy", {"traderUserId": room.uid["alice"]})
    exact(ok(stopped), {"code": text("200"), "msg": text("success"), "requestTime": MS})
    asked = {"incomeType": "tracking_follow_pay"}
    (item,) = ok(desk.carol.post(f"{V3}/account/income", asked))["items"]
    assert Decimal(item["income"]) < 0
    (trader,) = ok(desk.carol.get(f"{COPY}/follower/myTraders"))["list"]
    assert Decimal(trader["preDeducted"]) == -Decimal(item["income"])
    assert trader["copyEnable"] is False
    pages = [ok(desk.carol.get(f"{COPY}/follower/historyOrders?limit=1"))]
    key = pages[0]["nextKey"]
    more = f"&nextKeyId={key['nextKeyId']}&nextKeyTime={key['nextKeyTime']}"
    pages.append(ok(desk.carol.get(f"{COPY}/follower/historyOrders?limit=1{more}")))
    assert [page["nextFlag"] for page in pages] == [True, False]
    assert len({page["list"][0]["trackingNo"] for page in pages}) == 2
