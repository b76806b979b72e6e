"""Random sessions: the frames of both traders equal the public trades, and REST's trades, bills,
orders and money. `make soak-streams` has them last for 50,000 commands."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import pytest

from support.client import Client
from support.listening import Listener, Message, login
from support.server import Server
from support.watch import RAW_POSITION, quoted_venue
from venue.texts import SECOND_SIDE

TRADERS = ("alice", "bob")
BURST, PAGE = 40, 100
ROUNDS = int(os.environ.get("STREAM_ROUNDS", "80"))  # 82 commands each, on each product

CANCEL_ALL = {"method": "ORDER.CANCEL_ALL", "id": 1, "params": {"symbol": "SOLUSDT"}}

Items = dict[str, dict[str, list[dict[str, Any]]]]  # of each trader, by channel, as told
Fill = tuple[str, str, str, Decimal, Decimal, Decimal, str]
# trade id, order id, side, size, value, fee, time
Bill = tuple[str, str, Decimal, Decimal, str]  # asset, kind, amount, fee, time


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with quoted_venue(tmp_path_factory.mktemp("random-streams")) as found:
        yield found


def test_random_contract_session(server: Server) -> None:
    # The first test, as the next one takes the quotes that the index is made of.
    told = _random_session(server, "contract")
    for name in TRADERS:
        client, items = server.client(name), told[name]["fill"]
        rows = _paged(client, "/capi/v3/userTrades?symbol=SOLUSDT")
        fills = [
            (*_fill(item), Decimal(item["realizePnl"]), item["positionSide"]) for item in items
        ]
        assert sorted(fills) == sorted(map(_contract_trade, rows))
        bills = [
            (row["asset"], row["incomeType"], Decimal(row["income"]), Decimal(row["fillFee"]),
             str(row["time"]))
            for row in _income(client)
        ]  # fmt: skip
        assert sorted(bills) == sorted(map(_contract_bill, items))
        _check_orders(told[name])
        newest = {item["id"]: item for item in told[name]["positions"]}
        held = [item for item in newest.values() if Decimal(item["size"])]
        rows = client.get("/capi/v3/account/position/singlePosition?symbol=SOLUSDT").json
        told_rows = sorted([item["id"], *_plain(item, RAW_POSITION)] for item in held)
        assert told_rows == sorted([str(row["id"]), *_plain(row, RAW_POSITION)] for row in rows)
        (balance,) = client.get("/capi/v3/account/balance?asset=USDT").json
        wallet = Decimal(balance["balance"]) - Decimal(balance["unrealizePnl"])
        assert Decimal(told[name]["account"][-1]["legacyAmount"]) == wallet


def test_random_spot_session(server: Server) -> None:
    told = _random_session(server, "spot")
    for name in TRADERS:
        client, items = server.client(name), told[name]["fill"]
        rows = _paged(client, "/api/v3/myTrades?symbol=SOLUSDT")
        assert sorted(map(_fill, items)) == sorted(map(_spot_trade, rows))
        expected = [bill for item in items for bill in _spot_bills(item)]
        bills = [
            (row["coinName"], row["bizType"], Decimal(row["deltaAmount"]), Decimal(row["fees"]),
             row["cTime"])
            for row in _bills(client, min(item["createdTime"] for item in items))
        ]  # fmt: skip
        assert sorted(bills) == sorted(expected)
        _check_orders(told[name])
        coins = {row["asset"]: row for row in client.get("/api/v3/account/").json["balances"]}
        for item in {item["coin"]: item for item in told[name]["account"]}.values():
            row = coins[item["coin"]]
            assert (item["available"], item["frozen"]) == (row["free"], row["locked"])
            assert Decimal(item["equity"]) == Decimal(row["free"]) + Decimal(row["locked"])


def _plain(row: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    return [str(row[name]) for name in names]


def _check_orders(told: dict[str, list[dict[str, Any]]]) -> None:
    """Check that the executed sums of orders are the sums of their fills."""
    sums: dict[str, list[Decimal]] = {}
    for item in told["fill"]:
        own = sums.setdefault(item["orderId"], [Decimal(0)] * 3)
        for place, name in enumerate(("fillSize", "fillValue", "fillFee")):
            own[place] += Decimal(item[name])
    newest = {item["id"]: item for item in told["orders"]}
    assert not set(sums) - set(newest)
    for key, item in newest.items():
        names = ("cumFillSize", "cumFillValue", "cumFillFee")
        assert [Decimal(item[name]) for name in names] == sums.get(key, [Decimal(0)] * 3)
        assert item["status"] in ("FILLED", "CANCELED", "EXPIRED")


def _random_session(server: Server, product: str) -> Items:
    """Both traders place at random and cancel; all items that they are told of it."""
    rng = random.Random(product)
    channels = ("fill", "orders", "account", *(("positions",) if product == "contract" else ()))
    told: Items = {name: {channel: [] for channel in channels} for name in TRADERS}
    versions: dict[str, int] = {}
    with ExitStack() as stack:
        path = f"/{product}/v3/ws/private"
        listeners = {
            name: stack.enter_context(Listener(server.port, path, login(server.account(name))))
            for name in TRADERS
        }
        for listener in listeners.values():
            listener.subscribe(*channels)
        public = stack.enter_context(Listener(server.port, f"/{product}/v3/ws/public"))
        public.subscribe("SOLUSDT@trade")
        assert public.next()["d"] == []
        for _ in range(ROUNDS):
            for listener in listeners.values():
                orders = [_random_order(rng, product) for _ in range(BURST)]
                for answer in listener.ask_all([*map(_place, orders), CANCEL_ALL]):
                    refused = answer.get("error", {"code": -1054})
                    assert refused["code"] == -1054, answer
            for name, listener in listeners.items():
                for frame in listener.settle():
                    told[name][frame["e"]] += frame["d"]
                    assert frame["v"] == versions.get(name, frame["v"] - 1) + 1
                    versions[name] = frame["v"]
        traded = [item for frame in public.settle() for item in frame["d"]]
    _check_trades(traded, told, _carols(server, product))
    assert all(len(told[name]["fill"]) > ROUNDS * BURST // 4 for name in TRADERS)
    return told


def _place(order: dict[str, str]) -> Message:
    return {"method": "ORDER.PLACE", "id": 1, "params": order}


def _carols(server: Server, product: str) -> list[Fill]:
    """The trades of who quotes far from the price, which a MARKET order may reach."""
    path, trade = {
        "spot": ("/api/v3/myTrades", _spot_trade),
        "contract": ("/capi/v3/userTrades", _contract_trade),
    }[product]
    return [trade(row)[:7] for row in _paged(server.client("carol"), f"{path}?symbol=SOLUSDT")]


def _check_trades(traded: list[Message], told: Items, others: list[Fill]) -> None:
    """Each trade was told to its taker and its maker, with the same size, value and time."""
    expected = sorted(
        (int(item["t"].replace("-", ""), 16), Decimal(item["q"]), Decimal(item["v"]), item["T"])
        for item in traded
    )
    assert len({trade_id for trade_id, *_ in expected}) == len(expected)
    fills = [_fill(item) for name in TRADERS for item in told[name]["fill"]]
    sides = [(trade_of(fill[0]), fill[3], fill[4], int(fill[6])) for fill in fills + others]
    assert sorted(sides) == sorted(expected * 2)


def _random_order(rng: random.Random, product: str) -> dict[str, str]:
    side = rng.choice(("BUY", "SELL"))
    body = {"symbol": "SOLUSDT", "side": side, "quantity": f"{rng.randint(100, 3000) / 1000:.3f}"}
    if product == "contract":
        body["positionSide"] = rng.choice(("LONG", "SHORT"))
    if rng.random() < 0.1:
        return {**body, "type": "MARKET"}
    tif = rng.choice(("GTC", "GTC", "GTC", "IOC", "FOK"))
    price = f"{150 + rng.randint(-40, 40) / 1000:.3f}"
    return {**body, "type": "LIMIT", "timeInForce": tif, "price": price}


def trade_of(number: str) -> int:
    """The trade of a fill's id; the maker's side of a trade with oneself has another one."""
    return int(number) - SECOND_SIDE if int(number) >= SECOND_SIDE else int(number)


def _fill(item: dict[str, Any]) -> Fill:
    assert item["symbol"] == "SOLUSDT"
    return (
        item["id"], item["orderId"], item["orderSide"], Decimal(item["fillSize"]),
        Decimal(item["fillValue"]), Decimal(item["fillFee"]), item["createdTime"],
    )  # fmt: skip


def _spot_trade(row: dict[str, Any]) -> Fill:
    return _trade(row, "BUY" if row["isBuyer"] else "SELL")


def _trade(row: dict[str, Any], side: str) -> Fill:
    size, value, fee = (Decimal(row[name]) for name in ("qty", "quoteQty", "commission"))
    return str(row["id"]), str(row["orderId"]), side, size, value, fee, str(row["time"])


def _contract_trade(row: dict[str, Any]) -> tuple[Any, ...]:
    profit = Decimal(row["realizedPnl"])
    return (*_trade(row, row["side"]), profit, row["positionSide"])


def _spot_bills(item: dict[str, Any]) -> list[Bill]:
    """The bills of a fill: the amount it takes, and the amount it brings less its fee."""
    time, size = item["createdTime"], Decimal(item["fillSize"])
    value, fee = Decimal(item["fillValue"]), Decimal(item["fillFee"])
    if item["orderSide"] == "BUY":
        gone, came = ("USDT", value), ("SOL", size)
    else:
        gone, came = ("SOL", size), ("USDT", value)
    return [
        (gone[0], "trade_out", -gone[1], Decimal(0), time),
        (came[0], "trade_in", came[1] - fee, fee, time),
    ]


def _contract_bill(item: dict[str, Any]) -> Bill:
    """The bill of a fill: its notional less the fee."""
    buys, side = item["orderSide"] == "BUY", item["positionSide"]
    act = "open" if buys == (side == "LONG") else "close"
    fee = Decimal(item["fillFee"])
    amount = Decimal(item["fillValue"]) * (-1 if buys else 1) - fee
    return item["coin"], f"position_{act}_{side.lower()}", amount, fee, item["createdTime"]


def _paged(client: Client, target: str) -> list[dict[str, Any]]:
    """All trades, newest first; a page begins in the ms in which the one before it ended."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    until = ""
    while True:
        rows = client.get(f"{target}&limit={PAGE}{until}").json
        fresh = {(row["id"], row["orderId"]): row for row in rows}.keys() - found.keys()
        found |= {(row["id"], row["orderId"]): row for row in rows}
        if len(rows) < PAGE:
            return list(found.values())
        assert fresh, "more trades in a ms than a page has"
        until = f"&endTime={rows[-1]['time']}"


def _bills(client: Client, since: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        rows = client.post("/api/v3/account/bills", {"limit": PAGE, **cursor}).json
        found += [row for row in rows if row["cTime"] >= since]
        if len(rows) < PAGE or rows[-1]["cTime"] < since:
            return found
        cursor = {"before": rows[-1]["billId"]}


def _income(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    key: dict[str, Any] = {}
    while True:
        body = {"symbol": "SOLUSDT", "limit": PAGE, **key}
        page = client.post("/capi/v3/account/income", body).json
        found += page["items"]
        if not page["hasNextPage"]:
            return found
        key = page["nextKey"]
