"""Affiliates' questions and transfers, and the operator's posts, on a venue whose time is moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer
from support.moved import BEGIN_MS, Moved
from support.raw import order
from support.server import Server
from support.shapes import MS, check, decimal, is_flag, is_list, parsed, text, whole

AFFILIATE, AGENCY, CONTENT = "/api/v3/rebate/affiliate", "/api/v3/agency", "/api/v3/content"
SEND, STATUS = f"{AFFILIATE}/internalWithdrawal", f"{AFFILIATE}/getInternalWithdrawalStatus"
BILLS = "/api/v3/account/bills"
ZERO = "0.00000000"
USDT = decimal(8)
MONEY = {"coin": "USDT", "amount": "1.25"}
DAY_MS = 86_400_000
DAYS = "startTime=2026-01-01&endTime=2026-01-02"
PAGED = {"pages": whole(), "pageSize": whole(), "total": whole()}


class Desk:
    """Bob invited alice and dave, alice invited carol; a day of trades has passed."""

    def __init__(self, venue: Moved) -> None:
        self.venue = venue
        self.uids = {
            name: int(self.told(self.anyone.get(f"/_venue/benefits?owner={name}"))[0]["uid"])
            for name in venue.clients
        }

    @property
    def anyone(self) -> Any:
        return self.venue.anyone

    def client(self, name: str) -> Any:
        return self.venue.clients[name]

    def told(self, answer: Answer) -> Any:
        assert answer.status == 200, answer
        return parsed(answer.body)

    def ask(self, path: str, who: str = "bob") -> Any:
        return self.told(self.client(who).get(path))

    def send(self, who: str = "bob", **body: Any) -> Answer:
        found: Answer = self.client(who).post(SEND, MONEY | {"toUserId": self.uids["carol"]} | body)
        return found

    def operate(self, path: str, **body: Any) -> Any:
        return self.told(self.anyone.post(f"/_venue/{path}", body))

    def free(self, name: str, asset: str = "USDT") -> float:
        rows = self.ask("/api/v3/account/", name)["balances"]
        return sum(float(row["free"]) for row in rows if row["asset"] == asset)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Moved(tmp_path_factory.mktemp("reports"), "--no-agents", "--no-history") as venue:
        desk = Desk(venue)
        shares = {"spotRate": "0.2", "contractRate": "0.25"}
        desk.operate("affiliates", owner="bob", code="BOB7", **shares)
        desk.operate("affiliates", owner="alice", code="ALICE7", spotRate="0.5")
        for who, code in (("alice", "BOB7"), ("dave", "BOB7"), ("carol", "ALICE7")):
            desk.operate("affiliates/invite", owner=who, code=code)
        desk.operate("deposit", owner="alice", wallet="FUNDING", asset="BTC", amount="2")
        desk.operate("withdraw", owner="alice", wallet="SPOT", asset="USDT", amount="40")
        desk.operate("deposit", owner="carol", wallet="SPOT", asset="USDT", amount="9000")
        for who, side in (("alice", "SELL"), ("carol", "BUY")):
            made = desk.client(who).post("/api/v3/order", order("BTCUSDT", side, "0.1", "50000"))
            assert made.status == 200, made
        venue.advance(to="2026-01-02T00:00:01Z")
        yield desk


def test_what_the_invited_brought_and_traded(desk: Desk) -> None:
    page = desk.ask(f"{AFFILIATE}/getChannelUserTradeAndAsset")
    check(page, {"records": is_list, **PAGED})
    assert (page["pages"], page["pageSize"], page["total"]) == ("1", "100", "2")
    dave, alice = page["records"]
    assert alice == {
        "uid": str(desk.uids["alice"]),
        "depositAmount": alice["depositAmount"],
        "withdrawalAmount": "40.00000000",
        "spotTradingAmount": "5000.00000000",
        "futuresTradingAmount": ZERO,
        "commission": alice["commission"],
    }
    paid = desk.ask(f"{AFFILIATE}/getAffiliateCommission")["channelCommissionInfoItems"]
    assert alice["commission"] == paid[0]["commission"] != ZERO
    assert float(alice["depositAmount"]) >= 100_000  # two BTC at 50,000
    assert (dave["uid"], dave["spotTradingAmount"]) == (str(desk.uids["dave"]), ZERO)
    path = f"{AFFILIATE}/getChannelUserTradeAndAsset?uid="
    assert desk.ask(f"{path}{desk.uids['alice']}")["records"] == [alice]
    for uid in (desk.uids["carol"], desk.uids["bob"], 1, 999):  # somebody else's, and nobody's
        assert desk.ask(f"{path}{uid}") == {
            "records": [], "pages": "0", "pageSize": "100", "total": "0",
        }  # fmt: skip
    assert desk.ask(f"{AFFILIATE}/getChannelUserTradeAndAsset?page=2")["records"] == []
    before = f"startTime={BEGIN_MS - 9 * DAY_MS}&endTime={BEGIN_MS - 8 * DAY_MS}"
    records = desk.ask(f"{AFFILIATE}/getChannelUserTradeAndAsset?{before}")["records"]
    assert [row["spotTradingAmount"] for row in records] == [ZERO, ZERO]


def test_commissions_one_by_one(desk: Desk) -> None:
    page = desk.ask(f"{AFFILIATE}/getAffiliateCommission")
    check(page, {"channelCommissionInfoItems": is_list, **PAGED})
    (item,) = page["channelCommissionInfoItems"]
    check(
        item,
        {
            "uid": whole(8), "date": MS, "coin": text("USDT"), "productType": text("SPOT"),
            "fee": USDT, "commission": USDT, "rate": text("0.2"), "symbol": text(""),
            "takerAmount": USDT, "makerAmount": USDT, "sourceType": whole(1),
        },
    )  # fmt: skip
    assert (item["uid"], item["date"]) == (str(desk.uids["alice"]), str(BEGIN_MS))
    assert (item["makerAmount"], item["takerAmount"]) == ("5000.00000000", ZERO)
    assert float(item["commission"]) == pytest.approx(float(item["fee"]) * 0.2)
    (bill, *_) = desk.told(desk.client("bob").post(BILLS, {"bizType": "order_fill_fee_income"}))
    assert bill["deltaAmount"] == item["commission"]
    path = f"{AFFILIATE}/getAffiliateCommission"
    for more in ("uid=999", "coin=BTC", "productType=FUTURES", "page=2"):
        assert desk.ask(f"{path}?{more}")["channelCommissionInfoItems"] == [], more
    assert desk.ask(f"{path}?coin=usdt&productType=SPOT&uid={item['uid']}") == page


def test_what_invited_affiliates_earned(desk: Desk) -> None:
    path = f"{AFFILIATE}/querySubChannelTransactions"
    page = desk.ask(f"{path}?productType=SPOT")
    check(
        page,
        {name: whole() for name in ("total", "size", "current", "pages")} | {"records": is_list},
    )
    (record,) = page["records"]
    check(
        record,
        {
            "subAffiliateUid": whole(8), "productType": text("SPOT"),
            "date": MS, "tradingVolume": text("5000.00000000"), "netTradingFee": USDT,
            "paidCommission": USDT,
        },
    )  # fmt: skip
    assert record["subAffiliateUid"] == str(desk.uids["alice"])
    fee, paid = float(record["netTradingFee"]), float(record["paidCommission"])
    assert fee > 0
    assert paid == pytest.approx(fee / 2)
    assert desk.told(desk.client("bob").post(path, {"productType": "SPOT"})) == page
    assert desk.ask(f"{path}?productType=FUTURES")["records"] == []
    assert desk.ask(f"{path}?productType=SPOT&subUid={desk.uids['carol']}")["records"] == []
    assert desk.ask(f"{path}?productType=SPOT", "alice")["records"] == []  # carol is none


def test_what_an_invited_owner_has(desk: Desk) -> None:
    found = desk.ask(f"{AGENCY}/getAssert?userId={desk.uids['alice']}&{DAYS}")
    names = ("availableBalance", "fundingTotalUsdt", "spotProTotalUsdt", "unimarginTotalUsdt")
    check(
        found,
        dict.fromkeys(names, USDT) | {"depositTotalAmount": USDT, "depositList": is_list},
    )
    assert found["fundingTotalUsdt"] == "100000.00000000"
    for item in found["depositList"]:
        check(item, {"coin": text(), "amount": USDT, "time": MS})
    assert ("BTC", "2.00000000") in [(one["coin"], one["amount"]) for one in found["depositList"]]
    later = f"userId={desk.uids['alice']}&startTime=2026-01-02&endTime=2026-01-02"
    assert desk.ask(f"{AGENCY}/getAssert?{later}")["depositList"] == []


def test_what_invited_owners_dealt(desk: Desk) -> None:
    alice, dave, carol = (desk.uids[name] for name in ("alice", "dave", "carol"))
    traded = {
        "userId": str(alice),
        "spotDealAmountUsdt": "5000.00000000",
        "futuresProDealAmountUsdt": ZERO,
        "spotProDealAmountUsdtTemp": "5000.00000000",
        "startTime": "2026-01-01",
        "endTime": "2026-01-02",
    }
    idle = dict.fromkeys(traded, ZERO) | {"userId": str(dave)}
    idle |= {name: traded[name] for name in ("startTime", "endTime")}
    path = f"{AGENCY}/getDealData?{DAYS}"
    assert desk.ask(path) == {"data": [idle, traded]}
    each = f"{path}&userIds={alice}&userIds={carol}&userIds={alice}&userIds=999"
    assert desk.ask(each) == desk.ask(f"{path}&userIds={alice},{carol}") == {"data": [traded]}
    told = desk.ask(f"{AGENCY}/getDealData")
    assert (told["data"][1]["startTime"], told["data"][1]["endTime"]) == (
        "2025-12-04", "2026-01-02",
    )  # fmt: skip


def test_money_is_sent_once_and_shown_to_the_sender_alone(desk: Desk) -> None:
    before = desk.free("bob"), desk.free("carol")
    told = desk.send(clientTranId="t-1")
    number = desk.told(told)
    assert type(number) is str
    assert text("[0-9]{16}")(number)
    assert desk.told(desk.send(clientTranId="t-1")) == number
    other = desk.send(clientTranId="t-1", amount="1.26")
    assert (other.status, other.json["code"]) == (400, -1180)
    assert number in other.json["msg"]
    after = desk.free("bob"), desk.free("carol")
    assert (before[0] - after[0], after[1] - before[1]) == pytest.approx((1.25, 1.25))
    page = desk.ask(f"{STATUS}?withdrawID={number}")
    paging = {name: whole() for name in ("total", "pageSize", "page", "pages")}
    check(page, {"items": is_list, "hasNextPage": is_flag, **paging})
    (item,) = page["items"]
    check(
        item,
        {
            "fromUserId": whole(8), "toUserId": whole(8), "withdrawId": text(number),
            "coin": text("USDT"), "status": text("SUCCESS"), "amount": text("1.25000000"),
            "createTime": MS, "updateTime": MS,
        },
    )  # fmt: skip
    assert (item["fromUserId"], item["toUserId"]) == (
        str(desk.uids["bob"]), str(desk.uids["carol"]),
    )  # fmt: skip
    assert desk.ask(f"{STATUS}?withdrawID={number}", "alice")["items"] == []  # another's
    for more in ("coin=BTC", "fromAccountType=FUND", "toAccountType=FUND", "page=2"):
        assert desk.ask(f"{STATUS}?withdrawID={number}&{more}")["items"] == [], more
    for who, amount in (("bob", "-1.25000000"), ("carol", "1.25000000")):
        (bill, *_) = desk.told(desk.client(who).post(BILLS, {}))
        assert bill["deltaAmount"] == amount


def test_the_same_bytes_sent_twice_have_one_effect(desk: Desk) -> None:
    """Without a client id too: a signed request is answered once."""
    bob, raw = desk.client("bob"), b'{"toUserId":%d,"coin":"BTC","amount":"0.000001"}'
    raw %= desk.uids["carol"]
    headers = bob.headers("POST", SEND, raw)
    answers = []
    for _ in range(2):
        connection = bob.awake()
        connection.request("POST", SEND, raw, headers)
        reply = connection.getresponse()
        answers.append((reply.status, reply.read()))
    assert answers[0] == answers[1]
    assert answers[0][0] == 200
    newest = desk.ask(f"{STATUS}?coin=BTC&pageSize=200")["items"]
    assert [row["amount"] for row in newest] == ["0.00000100"]


def test_a_funding_account_is_another(desk: Desk) -> None:
    desk.told(desk.send(toAccountType="FUND", amount="3"))
    page = desk.ask(f"{STATUS}?toAccountType=FUND")
    assert [row["amount"] for row in page["items"]] == ["3.00000000"]
    bills = desk.told(desk.client("carol").post("/api/v3/account/fundingBills", {}))
    assert bills["items"][0]["deltaAmount"] == "3.00000000"
    poor = desk.send(fromAccountType="FUND", amount="3")
    assert (poor.status, poor.json["code"]) == (400, -1054)


def test_articles_and_banners(desk: Desk) -> None:
    first = desk.operate("articles", title="One", content="a\nb", coins=["btc", "BTC", "ETH"])
    second = desk.operate("articles", title="Two", content="c")
    banner = desk.operate(
        "banners", title="Look", imageUrl="https://venue.test/a.png", linkUrl="http://venue.test"
    )
    page = desk.ask(f"{CONTENT}/articles/list")
    paging = {name: whole() for name in ("total", "pageSize", "page", "pages")}
    check(page, {"items": is_list, "hasNextPage": is_flag, **paging})
    head = {"id": whole(), "title": text(), "coins": is_list, "createTime": MS}
    for item in page["items"]:
        check(item, head)
    assert [item["title"] for item in page["items"]] == ["Two", "One"]
    assert page["items"][1]["coins"] == ["BTC", "ETH"]
    about = desk.ask(f"{CONTENT}/articles/listByCoin?coin=eth")
    assert [item["id"] for item in about["items"]] == [first["id"]]
    assert desk.ask(f"{CONTENT}/articles/listByCoin?coin=SOL")["items"] == []
    small = desk.ask(f"{CONTENT}/articles/list?pageSize=1", "alice")
    assert ([item["title"] for item in small["items"]], small["hasNextPage"]) == (["Two"], True)
    whole_one = desk.ask(f"{CONTENT}/articles/detail?id={first['id']}")
    check(whole_one, {**head, "content": text("a\nb")})
    shown = desk.ask(f"{CONTENT}/banners/latest")["items"]
    check(
        shown[0],
        {
            "id": text(banner["id"]), "title": text("Look"),
            "imageUrl": text("https://venue.test/a.png"), "linkUrl": text("http://venue.test"),
            "createTime": MS,
        }
        | {"id": whole()},
    )  # fmt: skip
    for one in (first, second, banner):
        assert desk.operate("content/remove", id=int(one["id"])) == one
    assert desk.ask(f"{CONTENT}/articles/list")["items"] == []
    assert desk.ask(f"{CONTENT}/banners/latest") == {"items": []}


def test_a_tier_is_shown_where_rates_are(desk: Desk) -> None:
    tiers = ["1000:0.0008:0.0009", "5000:0.00015:0.0006"]
    told = desk.operate("fee-tiers", product="SPOT", tiers=tiers)
    assert told == [{"product": "SPOT", "asset": "USDT", "tiers": tiers}]
    assert desk.told(desk.anyone.get("/_venue/fee-tiers")) == told
    desk.operate("deposit", owner="carol", wallet="SPOT", asset="USDT", amount="9000")
    for who, side in (("alice", "SELL"), ("carol", "BUY")):
        made = desk.client(who).post("/api/v3/order", order("BTCUSDT", side, "0.1", "50000"))
        assert made.status == 200, made
    before = desk.ask("/api/v3/account/", "alice")["commissionRates"]
    spot, _ = desk.told(desk.anyone.get("/_venue/owners/fee-tier?owner=alice"))
    assert (spot["tier"], spot["today"]) == ("0", "5000.00000000")
    desk.venue.advance(to="2026-01-03T00:00:01Z")
    spot, contract = desk.told(desk.anyone.get("/_venue/owners/fee-tier?owner=alice"))
    assert spot == {
        "product": "SPOT", "tier": "2", "volume": "5000.00000000", "today": "0.00000000",
        "makerFeeRate": "0.00015", "takerFeeRate": "0.0006",
    }  # fmt: skip
    assert contract == {
        "product": "CONTRACT", "tier": "0", "volume": "0", "today": "0", "makerFeeRate": "",
        "takerFeeRate": "",
    }  # fmt: skip
    shown = desk.ask("/api/v3/account/", "alice")
    assert shown["commissionRates"] == {"maker": "0.00015000", "taker": "0.00060000"} != before
    assert (shown["makerCommission"], shown["takerCommission"]) == ("1", "6")
    assert desk.ask("/api/v3/account/", "bob")["commissionRates"] == before


def test_a_killed_venue_knows_what_was_sent(tmp_path: Path) -> None:
    """Answered is durable: both balances and the client id are there after a kill -9."""
    state = str(tmp_path / "state")
    body = MONEY | {"clientTranId": "once"}
    with Server("--no-agents", "--state", state, folder=tmp_path) as server:
        made = server.client().post("/_venue/affiliates", {"owner": "bob", "code": "BOB7"})
        assert made.status == 200, made
        body["toUserId"] = str(server.account("carol")["uid"])
        sent = server.client("bob").post(SEND, body)
        assert sent.status == 200, sent
        before = [_spot(server, name) for name in ("bob", "carol")]
        server.kill()
    with Server("--no-agents", "--state", state, folder=tmp_path) as server:
        assert [_spot(server, name) for name in ("bob", "carol")] == before
        assert server.client("bob").post(SEND, body).body == sent.body
        assert [_spot(server, name) for name in ("bob", "carol")] == before
        page = server.client("bob").get(STATUS).json
        assert [row["withdrawId"] for row in page["items"]] == [sent.json]


def _spot(server: Server, name: str) -> Any:
    told = server.client(name).get("/api/v3/account/").json
    return told["balances"]
