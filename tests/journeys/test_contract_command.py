"""Contracts at the command line and in the operator's rows: list, change, index, liquidations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.command import Done, run
from support.server import Server
from venue.core.contract.collateral import FUND_UID

LISTED = {
    "baseAsset": "ETH", "quoteAsset": "BTC", "tickSize": "0.00001", "stepSize": "0.001",
    "minOrderSize": "0.001", "maxOrderSize": "1000", "marketOpenLimitSize": "100",
    "maxPositionSize": "5000", "maxOpenInterest": "50000", "maxLeverage": 50,
    "tiers": ["100:50:0.008", "1000:20:0.02"], "indexSources": ["desk", "feed"],
    "fundingTimes": ["00:00", "12:00"], "adlPolicy": "PRO_RATA",
}  # fmt: skip
OTHER = LISTED | {"baseAsset": "SOL"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Time stands: beside other work the commands between two prices take longer than a price lasts.
    stands = ("--no-agents", "--clock", "manual")
    with Server(*stands, folder=tmp_path_factory.mktemp("contracts")) as running:
        yield running
        assert running.stop() == 0


def command(server: Server, *arguments: str) -> Done:
    return run(*arguments, "--url", server.url)


def told(server: Server, *arguments: str) -> str:
    done = command(server, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def order(client: Client, side: str, position_side: str, quantity: str, price: str) -> Any:
    answer = client.post(
        "/capi/v3/order",
        {
            "symbol": "BTCUSDT", "side": side, "positionSide": position_side, "type": "LIMIT",
            "timeInForce": "GTC", "quantity": quantity, "price": price,
            "newClientOrderId": f"{side}-{position_side}-{quantity}-{price}",
        },
    )  # fmt: skip
    assert answer.status == 200, answer.body
    return answer.json


def test_the_practice_contracts_are_listed_and_their_fund_is_seeded(server: Server) -> None:
    client = server.client()
    views = {view["symbol"]: view for view in client.get("/_venue/contracts").json}
    live, demo = ["BTCUSDT", "ETHUSDT", "SOLUSDT"], ["BTCSUSDT", "ETHSUSDT", "SOLSUSDT"]
    assert list(views) == [*live, *demo, "WXBUSDT", "ACMEUSDT"]
    assert [view["maxLeverage"] for view in views.values()] == [*[100, 100, 50] * 2, 50, 10]
    assert views["BTCUSDT"]["indexSources"] == ["spot"]
    assert views["BTCSUSDT"]["indexSources"] == ["agents"]
    assert views["BTCSUSDT"]["quoteAsset"] == "SUSDT"
    names = {owner["name"]: owner["uid"] for owner in client.get("/_venue/owners").json}
    assert names["insurance-fund"] == FUND_UID
    withdrawn = {"owner": "insurance-fund", "wallet": "CONTRACT", "amount": "1"}
    for asset in ("USDT", "SUSDT"):
        moved = client.post("/_venue/withdraw", {**withdrawn, "asset": asset}).json
        assert moved["after"] == "999999.00000000"
        client.post("/_venue/deposit", {**withdrawn, "asset": asset})


def test_a_contract_is_listed_changed_and_halted(server: Server) -> None:
    client = server.client()
    made = client.post("/_venue/contracts", LISTED).json
    assert made["symbol"] == "ETHBTC"
    for field in ("tiers", "indexSources", "fundingTimes", "adlPolicy", "tickSize", "stepSize"):
        assert made[field] == LISTED[field]
    assert (made["takerFeeRate"], made["liquidationFeeRate"]) == ("0.0006", "0.005")
    assert (made["indexPrice"], made["indexIsCurrent"]) == ("0", False)
    again = client.post("/_venue/contracts", LISTED)
    assert again.json["code"] == -1142

    changed = client.post(
        "/_venue/contracts/change", {"symbol": "ETHBTC", "takerFeeRate": "0", "maxLeverage": 20,
                                     "tiers": ["500:20:0.01"]}
    ).json  # fmt: skip
    assert (made["indexNotional"], made["impactNotional"]) == ("0.5", "1")
    assert (changed["indexNotional"], changed["impactNotional"]) == ("2.5", "5")
    unchanged = {"takerFeeRate", "maxLeverage", "tiers", "indexNotional", "impactNotional"}
    assert {name for name in made if made[name] != changed[name]} == unchanged
    assert (changed["takerFeeRate"], changed["maxLeverage"]) == ("0", 20)

    assert "ETHBTC (contract) is halted" in told(
        server, "halt", "ETHBTC", "--product", "CONTRACT", "--reason", "maintenance"
    )
    assert _view(client, "ETHBTC")["haltReason"] == "maintenance"
    told(server, "resume", "ETHBTC", "--product", "CONTRACT")
    assert _view(client, "ETHBTC")["halted"] is False
    assert "ETHUSDT (spot) is halted" in told(server, "halt", "ETHUSDT")
    assert _view(client, "ETHUSDT")["halted"] is False, "the contract of that name goes on"
    told(server, "resume", "ETHUSDT")


@pytest.mark.parametrize(
    ("path", "body", "code", "words"),
    [
        ("contracts", OTHER | {"baseAsset": "NOPE"}, -1142, "'baseAsset'"),
        ("contracts", OTHER | {"quoteAsset": "nope"}, -1142, "'quoteAsset'"),
        ("contracts", OTHER | {"tiers": ["100:50"]}, -1142, "'tiers'"),
        ("contracts", OTHER | {"tiers": []}, -1142, "tier"),
        ("contracts", OTHER | {"tiers": ["1:50:0.008"] * 11}, -1140, "at most 10"),
        ("contracts", OTHER | {"maxLeverage": 501}, -3313, "maxLeverage"),
        ("contracts", OTHER | {"maxLeverage": 40}, -1142, "first tier"),
        ("contracts", OTHER | {"fundingTimes": ["24:00"]}, -1142, "'fundingTimes'"),
        ("contracts", OTHER | {"fundingTimes": ["00:00", "09:00"]}, -1142, "evenly"),
        ("contracts", OTHER | {"adlPolicy": "NONE"}, -1142, "QUEUE, PRO_RATA"),
        ("contracts", OTHER | {"minOrderSize": "0.0001"}, -1160, "'minOrderSize'"),
        ("contracts/change", {"symbol": "NOPE"}, -1121, "'symbol'"),
        ("contracts/halt", {"symbol": "NOPE"}, -1121, "'symbol'"),
        ("index", {"symbol": "NOPE", "source": "desk", "price": "1"}, -1121, "'symbol'"),
        ("index", {"symbol": "ETHUSDT", "source": "desk", "price": "1"}, -1142, "follows the spot"),
        ("index", {"symbol": "ETHUSDT", "source": "spot", "price": "1"}, -1142, "'source'"),
        ("index", {"symbol": "BTCSUSDT", "source": "x", "price": "1"}, -1142, "one of agents"),
        ("index", {"symbol": "BTCSUSDT", "source": "agents", "price": "0.001"}, -1160, "'price'"),
        ("index", {"symbol": "BTCSUSDT", "source": "agents", "price": "-1"}, -1142, "'price'"),
    ],
)
def test_what_cannot_be_is_refused(
    server: Server, path: str, body: dict[str, Any], code: int, words: str
) -> None:
    client = server.client()
    before = client.get("/_venue/contracts").json
    answer = client.post(f"/_venue/{path}", body)
    assert answer.status == 400
    assert answer.json["code"] == code
    assert words in answer.json["msg"]
    assert client.get("/_venue/contracts").json == before


def test_health_names_contracts_without_a_current_index(server: Server) -> None:
    client = server.client()
    assert "ETHSUSDT" in client.get("/_venue/health").json["staleContracts"]
    said = told(server, "index", "ETHSUSDT", "3400", "--source", "agents")
    assert said == "ETHSUSDT index 3400.00 (current), mark 3400.00\n"
    assert "ETHSUSDT" not in client.get("/_venue/health").json["staleContracts"]
    said = told(server, "index", "ETHSUSDT", "0")
    assert said == "ETHSUSDT index 3400.00 (not current), mark 3400.00\n"
    assert "ETHSUSDT" in client.get("/_venue/health").json["staleContracts"]


def test_contract_fees_are_an_owners_own(server: Server) -> None:
    rates = {"owner": "dave", "makerFeeRate": "0", "takerFeeRate": "0.0001", "product": "CONTRACT"}
    assert server.client().post("/_venue/owners/fees", rates).status == 200
    config = server.client("dave").get("/capi/v3/account/commissionRate?symbol=BTCUSDT").json
    assert (config["makerCommissionRate"], config["takerCommissionRate"]) == ("0", "0.0001")


def test_positions_and_the_story_of_a_liquidation(server: Server) -> None:
    operator = server.client()
    operator.post("/_venue/contracts/change", {"symbol": "BTCUSDT", "indexSources": ["desk"]})
    index = {"symbol": "BTCUSDT", "source": "desk", "jump": True}
    operator.post("/_venue/index", index | {"price": "64000"})
    told(server, "faucet", "carol", "CONTRACT", "USDT", "700")
    carol, bob = server.client("carol"), server.client("bob")
    leverage = {"symbol": "BTCUSDT", "marginType": "CROSSED", "crossLeverage": "100"}
    assert carol.post("/capi/v3/account/leverage", leverage).status == 200
    order(bob, "SELL", "SHORT", "1", "64000")
    order(carol, "BUY", "LONG", "1", "64000")

    head, row = told(server, "positions", "carol").splitlines()
    columns = dict(zip(head.split(), row.split(), strict=True))
    # 700 less the fee 38.4 is the equity; the mark p solves 661.6 + p - 64000 = 0.004 p.
    assert columns["liquidatePrice"] == "63592.77"
    assert {name: columns[name] for name in ("symbol", "side", "size", "entryPrice")} == {
        "symbol": "BTCUSDT", "side": "LONG", "size": "1.00000", "entryPrice": "64000.00",
    }  # fmt: skip
    assert told(server, "positions", "dave") == "dave has no open positions\n"
    assert told(server, "liquidations") == "no liquidations\n"

    _money_moves(server)
    order(bob, "BUY", "LONG", "0.4", "63500")
    operator.post("/_venue/index", index | {"price": "63500"})
    (entry,) = operator.get("/_venue/liquidations?owner=carol").json
    assert (entry["owner"], entry["symbol"], entry["position"]) == ("carol", "BTCUSDT", 0)
    assert entry["equity"] == "161.60000000"
    assert entry["maintenance"] == "254.00000000"
    assert operator.get("/_venue/liquidations?owner=bob").json == []
    assert str(entry["id"]) in told(server, "liquidations", "carol")
    assert told(server, "positions", "carol") == "carol has no open positions\n"

    story = operator.get(f"/_venue/liquidation?id={entry['id']}").json
    (step,) = story["steps"]
    assert (step["wanted"], step["filled"], step["takenOver"]) == ("1.00000", "0.40000", "0.60000")
    assert [fill["cause"] for fill in story["fills"]] == ["LIQUIDATION", "TAKEOVER"]
    text = told(server, "explain", "liquidation", str(entry["id"]))
    assert f"\nLiquidation {entry['id']} of carol (cross pool, USDT)" in text
    assert "moved the mark price of BTCUSDT from 64000.00 to 63500.00" in text
    assert "liquidation price 63592.77" in text
    # A reader adds up: the wallet and the unrealized profit are the equity.
    assert "had a wallet of 661.60000000 USDT, equity 661.60000000 USDT" in text
    assert "collateral" not in text
    assert "equity was 161.60000000 USDT and the maintenance margin 254.00000000 USDT" in text
    assert "in the book 0.40000, by the insurance fund 0.60000, deleveraged 0.00000" in text
    assert f"the fund's equity is {entry['fundEquity']}" in text

    unknown = command(server, "explain", "liquidation", "1")
    assert unknown.returncode == 2
    assert "no such liquidation" in unknown.stderr


def _money_moves(server: Server) -> None:
    """The amount of a wallet counts neither the value of a position nor its unrealized profit."""
    money = ("carol", "CONTRACT", "USDT", "1")
    assert told(server, "faucet", *money).endswith("-> 662.60000000\n")
    assert told(server, "withdraw", *money).endswith("-> 661.60000000\n")
    out = told(server, "transfer", "carol", "CONTRACT", "SPOT", "USDT", "1").splitlines()
    assert [line.split()[-1] for line in out] == ["660.60000000", "1.00000000"]
    back = told(server, "transfer", "carol", "SPOT", "CONTRACT", "USDT", "1").splitlines()
    assert [line.split()[-1] for line in back] == ["0.00000000", "661.60000000"]


def test_money_that_a_price_in_doubt_keeps_is_told_so(server: Server) -> None:
    operator, taken = server.client(), ("withdraw", "bob", "CONTRACT", "USDT", "1")
    bob = server.client("bob").get("/capi/v3/account/position/allPosition").json
    assert [found["side"] for found in bob if found["symbol"] == "BTCUSDT"], "of the story above"
    wallet = told(server, *taken).split()[-1]
    assert float(wallet) > 900_000, "less neither what positions cost nor their profits"
    assert operator.post("/_venue/clock/advance", {"by": "11s"}).status == 200
    refused = command(server, *taken)
    assert refused.returncode == 2
    assert "the price of an open position is in doubt" in refused.stderr
    index = {"symbol": "BTCUSDT", "source": "desk", "price": "63500", "jump": True}
    assert operator.post("/_venue/index", index).status == 200
    too_much = command(server, *taken[:-1], "2000000")
    assert f"of {float(wallet):.8f} in the contract wallet are free" in too_much.stderr
    told(server, *taken)


@pytest.mark.parametrize("words", [("explain", "liquidation", ""), ("snapshot", "save", "")])
def test_an_empty_name_in_a_path_is_told(server: Server, words: tuple[str, ...]) -> None:
    empty = command(server, *words)
    assert (empty.returncode, len(empty.stderr.splitlines())) == (2, 1), empty
    assert "is empty" in empty.stderr


def _view(client: Client, symbol: str) -> Any:
    views = client.get("/_venue/contracts").json
    return next(view for view in views if view["symbol"] == symbol)
