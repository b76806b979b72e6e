"""Raw contract income and leverage of a live venue: keys and their order, types, decimals, bounds.

Sections 2.4, 2.7, 4.2 and 4.10 of the interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from support.client import Client
from support.contract_desk import ACCOUNT
from support.contract_raw import DAY_MS, INCOME_BULK, everything, exact
from support.raw import Desk, ok, operate, refused
from support.shapes import LONG_ID, MS, Shape, decimal, is_flag, is_list, text

INCOME, LEVERAGE = f"{ACCOUNT}/income", f"{ACCOUNT}/leverage"
MONEY = decimal(8)
CHANGE = text(r"(?!-0\.0*$)-?(0|[1-9][0-9]*)\.[0-9]{8}")  # signed, without a negative zero
MOVED = ("deposit", "withdraw", "transfer_in", "transfer_out")  # these concern no contract
KINDS = (
    *MOVED,
    "margin_move_in", "margin_move_out", "position_open_long", "position_open_short",
    "position_close_long", "position_close_short", "position_funding", "order_fill_fee_income",
    "order_liquidate_fee_income", "start_liquidate", "finish_liquidate", "order_fix_margin_amount",
    "tracking_follow_pay", "tracking_system_pre_receive", "tracking_follow_back",
    "tracking_trader_income", "tracking_third_party_share",
)  # fmt: skip
NEXT_KEY: Shape = {"nextKeyId": LONG_ID, "nextKeyTime": MS}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with everything(tmp_path_factory.mktemp("contract-raw-account")) as desk:
        yield desk


@pytest.fixture(scope="module")
def house(desk: Desk) -> Iterator[list[Client]]:
    """The fee account's client and the insurance fund's."""
    found = []
    for owner in ("fees", "insurance-fund"):
        key = desk.anyone.post("/_venue/keys", {"owner": owner, "permissions": ["READ"]})
        found.append(Client(desk.anyone.port, key.json))
    yield found
    for client in found:
        client.close()


# -- income (sections 2.4, 4.2) -------------------------------------------------------------------


def income(client: Client, **asked: Any) -> Any:
    return ok(client.post(INCOME, asked))


def check_page(page: Any) -> None:
    more = page["hasNextPage"]
    exact(page, {"hasNextPage": is_flag, "items": is_list, "nextKey": lambda value: (
        type(value) is dict if more else value is None)})  # fmt: skip
    if more:
        exact(page["nextKey"], NEXT_KEY)


def check_item(item: Any, *, house: bool = False) -> None:
    kind = item["incomeType"]
    reason = "UNKNOWN_TRANSFER_REASON"
    if kind.startswith("transfer"):  # no user moves a liquidation fee to the fund
        reason = "USER_TRANSFER|UNKNOWN_TRANSFER_REASON" if house else "USER_TRANSFER"
    shape: Shape = {
        "billId": LONG_ID,
        "asset": text("S?USDT"),
        "symbol": text("") if kind in MOVED else text("(BTC|ETH|SOL)S?USDT"),
        "income": CHANGE,
        "incomeType": text("|".join(KINDS)),
        "balance": CHANGE,
        "fillFee": MONEY,
        "time": MS,
        "transferReason": text(reason),
    }
    exact(item, shape)


def walk(client: Client, **asked: Any) -> list[Any]:
    """Every item that answers, page by page to the end."""
    told: list[Any] = []
    page = income(client, **asked)
    while True:
        check_page(page)
        told += page["items"]
        if not page["hasNextPage"]:
            return told
        assert len(page["items"]) == asked.get("limit", 20)
        last = page["items"][-1]
        assert page["nextKey"] == {"nextKeyId": last["billId"], "nextKeyTime": last["time"]}
        page = income(client, **asked, **page["nextKey"])


def in_order(items: list[Any]) -> bool:
    """Whether no item comes twice, the newest first."""
    ids = [int(item["billId"]) for item in items]
    times = [int(item["time"]) for item in items]
    return ids == sorted(set(ids), reverse=True) and times == sorted(times, reverse=True)


def newest_first(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: int(item["billId"]), reverse=True)


def test_income_items_of_everybody(desk: Desk, house: list[Client]) -> None:
    reached = set()
    for client in (desk.alice, desk.bob, desk.carol, *house):
        real, demo = walk(client, limit=100), walk(client, limit=100, asset="SUSDT")
        assert {item["asset"] for item in real} <= {"USDT"}  # demo money only where it is named
        assert in_order(real)
        assert in_order(demo)
        items = newest_first(real + demo)
        for item in items:
            check_item(item, house=client in house)
            reached.add(item["incomeType"])
        # A balance is its pool's: of one that holds no isolated position, the running sum.
        for asset in ("USDT", "SUSDT") if client is not desk.alice else ():
            total = Decimal(0)
            for item in (item for item in reversed(items) if item["asset"] == asset):
                total += Decimal(item["income"])
                assert item["balance"] == f"{total:.8f}"
    assert reached == set(KINDS[:10]) | set(KINDS[11:16])  # no funding was due, nobody copies


def test_income_to_the_byte(desk: Desk) -> None:
    answer = desk.carol.post(INCOME, {"asset": "SUSDT", "incomeType": "position_open_long"})
    (item,) = ok(answer)["items"]
    assert answer.body.decode() == (
        f'{{"hasNextPage":false,"items":[{{"billId":{item["billId"]},"asset":"SUSDT",'
        '"symbol":"BTCSUSDT","income":"-60036.00000000","incomeType":"position_open_long",'
        f'"balance":"-59336.00000000","fillFee":"36.00000000","time":{item["time"]},'
        '"transferReason":"UNKNOWN_TRANSFER_REASON"}],"nextKey":null}'
    )
    given = desk.carol.post(INCOME, {"asset": "SUSDT", "incomeType": "deposit"})
    (item,) = ok(given)["items"]
    assert given.body.decode() == (
        f'{{"hasNextPage":false,"items":[{{"billId":{item["billId"]},"asset":"SUSDT",'
        '"symbol":"","income":"700.00000000","incomeType":"deposit",'
        f'"balance":"700.00000000","fillFee":"0.00000000","time":{item["time"]},'
        '"transferReason":"UNKNOWN_TRANSFER_REASON"}],"nextKey":null}'
    )
    nothing = desk.bob.post(INCOME, {"incomeType": "tracking_follow_pay"})
    assert nothing.body == b'{"hasNextPage":false,"items":[],"nextKey":null}'


def test_income_defaults(desk: Desk) -> None:
    every = walk(desk.carol, limit=100)
    default = desk.carol.post(INCOME, {})
    assert ok(default)["items"] == every[:20]
    # The document's own example sends empty fields; they mean the same as no fields.
    unset = b'{"asset":"","symbol":"","incomeType":"","startTime":null,"endTime":null,"limit":null}'
    for body in (b"{}", unset, {"limit": 20}, {"limit": "20"}):
        assert desk.carol.post(INCOME, body).body == default.body
    assert len(every) > INCOME_BULK > 100
    page = income(desk.carol, limit=100)
    assert (page["items"], page["hasNextPage"]) == (every[:100], True)
    assert income(desk.carol, limit=1)["items"] == every[:1]
    for bad in (0, 101):
        refused(desk.carol.post(INCOME, {"limit": bad}), -1140, "'limit'", "1 to 100")


def test_income_goes_on_without_gap_or_double(desk: Desk) -> None:
    every = walk(desk.carol, limit=100)
    assert in_order(every)
    assert len({item["time"] for item in every}) < len(every)  # some of one ms, too
    for limit in (1, 7, 99):
        assert walk(desk.carol, limit=limit) == every
    assert walk(desk.carol) == every
    kind = {"incomeType": "transfer_out", "limit": 9}
    assert walk(desk.carol, **kind) == [row for row in every if row["incomeType"] == "transfer_out"]
    # An item that comes meanwhile stands before the first page, and moves no later page.
    first = income(desk.carol, limit=50)
    moved = {"owner": "carol", "asset": "USDT", "amount": "0.5", "from": "CONTRACT", "to": "SPOT"}
    operate(desk, "transfer", moved)
    second = income(desk.carol, limit=50, **first["nextKey"])
    assert first["items"] + second["items"] == every[:100]
    (newest,) = income(desk.carol, limit=1)["items"]
    assert (newest["income"], newest["incomeType"]) == ("-0.50000000", "transfer_out")
    for name in NEXT_KEY:
        half = {name: first["nextKey"][name]}
        missing = "nextKeyTime" if name == "nextKeyId" else "nextKeyId"
        refused(desk.carol.post(INCOME, half), -1141, missing)


def test_income_filters(desk: Desk) -> None:
    found = 0
    for client in (desk.alice, desk.carol):
        every = newest_first(walk(client, limit=100) + walk(client, limit=100, asset="SUSDT"))
        assets, symbols = ("", "USDT", "SUSDT"), ("", "BTCUSDT", "ETHUSDT", "BTCSUSDT")
        for asset, symbol, kind in product(assets, symbols, ("", *KINDS)):
            expected = [
                row
                for row in every
                if (asset or symbol or row["asset"] != "SUSDT")
                and asset in ("", row["asset"])
                and symbol in ("", row["symbol"])
                and kind in ("", row["incomeType"])
            ]
            asked = {"asset": asset, "symbol": symbol, "incomeType": kind}
            assert income(client, **asked, limit=100)["items"] == expected[:100]
            found += bool(expected)
    assert found > 50
    assert income(desk.carol, asset="susdt") == income(desk.carol, asset="SUSDT")
    refused(desk.carol.post(INCOME, {"asset": "NOPE"}), -1142, "'asset'")
    refused(desk.carol.post(INCOME, {"symbol": "NOPEUSDT"}), -1121, "'symbol'")
    refused(desk.carol.post(INCOME, {"incomeType": "DEPOSIT!"}), -1142, "'incomeType'")


def test_income_spans(desk: Desk) -> None:
    every = walk(desk.alice, limit=100)
    times = [int(item["time"]) for item in every]
    middle = times[len(times) // 2]
    after = [item for item in every if int(item["time"]) >= middle]
    before = [item for item in every if int(item["time"]) <= middle]
    assert len(after) < len(every) > len(before)

    def ask(**asked: Any) -> Any:
        return income(desk.alice, **asked, limit=100)["items"]

    # A lone end reaches back for 30 days, to the ms; a lone start reaches up to now.
    assert ask(endTime=middle) == before
    assert ask(endTime=middle + 30 * DAY_MS) == after
    assert ask(endTime=times[0] + 30 * DAY_MS + 1) == []
    assert ask(startTime=middle) == after
    assert ask(startTime=times[-1] - 1_000 * DAY_MS) == every
    # Both: at most 100 days, both ends included.
    assert ask(startTime=middle, endTime=middle) == [row for row in after if row in before]
    assert ask(startTime=middle - 100 * DAY_MS, endTime=middle) == before
    assert ask(startTime=str(middle), endTime=str(middle + 100 * DAY_MS)) == after
    for start, end in ((middle - 100 * DAY_MS - 1, middle), (middle, middle + 100 * DAY_MS + 1)):
        body = {"startTime": start, "endTime": end}
        refused(desk.alice.post(INCOME, body), -1170, "'endTime'", "100 days")
    reversed_ = {"startTime": middle, "endTime": middle - 1}
    refused(desk.alice.post(INCOME, reversed_), -1171, "'startTime'")


# -- leverage (sections 2.7, 4.10) ----------------------------------------------------------------

LEVERAGES = ("crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage")
ETH = {"symbol": "ETHUSDT"}


def change(desk: Desk, body: dict[str, Any]) -> bytes:
    """Carol's change, which must succeed: the raw answer, its form checked."""
    answer = desk.carol.post(LEVERAGE, body)
    shape: Shape = {
        "symbol": text(body["symbol"]),
        "marginType": text("CROSSED|ISOLATED"),
        **dict.fromkeys(LEVERAGES, text("0|[1-9][0-9]{0,2}")),
    }
    exact(ok(answer), shape)
    return answer.body


def setting(mode: str, cross: str, long: str, short: str) -> bytes:
    """The bytes of a leverage setting."""
    return (
        f'{{"symbol":"ETHUSDT","marginType":"{mode}","crossLeverage":"{cross}",'
        f'"isolatedLongLeverage":"{long}","isolatedShortLeverage":"{short}"}}'
    ).encode()


def modes(client: Client, symbol: str) -> tuple[str, ...]:
    """Margin mode and leverages as they are kept, in use or not."""
    (found,) = ok(client.get(f"{ACCOUNT}/symbolConfig?symbol={symbol}"))
    return tuple(found[name] for name in ("marginType", *LEVERAGES))


def test_any_one_leverage_in_either_mode(desk: Desk) -> None:
    """Carol trades no ETHUSDT. A leverage neither in use nor sent is told as 0, and kept."""
    assert modes(desk.carol, "ETHUSDT") == ("CROSSED", "20", "20", "20")
    cross, long, short = LEVERAGES
    rows: list[tuple[dict[str, Any], tuple[str, str, str, str], tuple[str, ...]]] = [
        ({cross: "10"}, ("CROSSED", "10", "0", "0"), ("10", "20", "20")),
        ({long: "15"}, ("CROSSED", "10", "15", "0"), ("10", "15", "20")),
        ({short: 7}, ("CROSSED", "10", "0", "7"), ("10", "15", "7")),
        ({cross: 100, long: 1}, ("CROSSED", "100", "1", "0"), ("100", "1", "7")),
        ({"marginType": "ISOLATED", cross: 3}, ("ISOLATED", "3", "1", "7"), ("3", "1", "7")),
        ({long: "100"}, ("ISOLATED", "0", "100", "7"), ("3", "100", "7")),
        ({short: "2", long: "", cross: None}, ("ISOLATED", "0", "100", "2"), ("3", "100", "2")),
        ({cross: 4, long: 5, short: 6}, ("ISOLATED", "4", "5", "6"), ("4", "5", "6")),
        ({"marginType": "CROSSED", short: 8}, ("CROSSED", "4", "0", "8"), ("4", "5", "8")),
    ]
    for sent, answered, kept in rows:
        assert change(desk, ETH | sent) == setting(*answered)
        assert modes(desk.carol, "ETHUSDT") == (answered[0], *kept)


def test_leverage_needs_at_least_one(desk: Desk) -> None:
    before = modes(desk.carol, "ETHUSDT")
    for sent in (
        {},
        {"marginType": "ISOLATED"},
        dict.fromkeys(LEVERAGES, ""),
        {LEVERAGES[0]: None},
    ):
        refused(desk.carol.post(LEVERAGE, ETH | sent), -1141, *LEVERAGES)
    refused(desk.carol.post(LEVERAGE, {"crossLeverage": "5"}), -1141, "'symbol'")
    assert modes(desk.carol, "ETHUSDT") == before


def test_leverages_are_applied_together_or_not_at_all(desk: Desk) -> None:
    before = modes(desk.carol, "ETHUSDT")
    for name in LEVERAGES:
        sent: dict[str, Any] = dict.fromkeys(LEVERAGES, "9") | {"marginType": "ISOLATED"}
        refused(desk.carol.post(LEVERAGE, ETH | sent | {name: "101"}), -3313, f"'{name}'")
        assert modes(desk.carol, "ETHUSDT") == before
    # With a position in the symbol the mode stays, and so does all that came with it.
    before = modes(desk.alice, "BTCUSDT")
    asked = {"symbol": "BTCUSDT", "marginType": "ISOLATED"} | dict.fromkeys(LEVERAGES, "9")
    refused(desk.alice.post(LEVERAGE, asked), -1054, "FAILED_PRECONDITION")
    assert modes(desk.alice, "BTCUSDT") == before == ("CROSSED", "20", "20", "20")


def test_leverages_that_are_too_dear_change_nothing(desk: Desk) -> None:
    """Carol's 101 bids for 0.1 SOL need 75.75 and fees at leverage 20, and 1,515 at 1."""
    money = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT", "amount": "9000"}
    operate(desk, "withdraw", money)
    before = modes(desk.carol, "SOLUSDT")
    sent = {"symbol": "SOLUSDT", "crossLeverage": "1", "isolatedLongLeverage": "5"}
    refused(desk.carol.post(LEVERAGE, sent), -1054, "amount not enough")
    assert modes(desk.carol, "SOLUSDT") == before == ("CROSSED", "20", "20", "20")
    operate(desk, "deposit", money)
    assert ok(desk.carol.post(LEVERAGE, sent | {"isolatedShortLeverage": 3})) == {
        **sent, "marginType": "CROSSED", "isolatedShortLeverage": "3",
    }  # fmt: skip
