"""`venue preview`, `venue delist` and `venue settle` on a live server (rules 1.7 and 1.8)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.command import Done, run
from support.server import Server, flawless
from support.socket_desk import CONTRACT, price_contracts

SYMBOL = CONTRACT.plain["symbol"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:10Z")
    with flawless(*options, folder=tmp_path_factory.mktemp("ends")) as found:
        price_contracts(found.client())
        yield found


def venue(server: Server, *words: str) -> Done:
    return run(*words, "--url", f"http://127.0.0.1:{server.port}")


def test_a_change_is_previewed_and_a_contract_ends(server: Server) -> None:
    operator, alice = server.client(), server.client("alice")
    (mark,) = [row["markPrice"] for row in operator.get("/_venue/contracts").json
               if row["symbol"] == SYMBOL]  # fmt: skip
    body = {"symbol": SYMBOL, "side": "BUY", "positionSide": "LONG", "type": "LIMIT",
            "timeInForce": "GTC", "quantity": "0.1",
            "price": str(int(float(mark) * 0.99))}  # fmt: skip
    number = alice.post(CONTRACT.order, body).json["orderId"]
    tiers = 'tiers:=["1000000:5:0.02"]'
    done = venue(server, "preview", SYMBOL, tiers, "maxLeverage:=5")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            f"{SYMBOL}: 1 open order of 1 owner would end",
            f"orders: {number}",
            "0 positions would take the new tiers, 0 would keep the former ones",
        ],
    ), done
    refused = venue(server, "preview", SYMBOL, "takerFeeRate=0.9")
    assert refused.returncode == 2
    assert "'takerFeeRate' is out of range" in refused.stderr
    assert "which change?" in venue(server, "preview", SYMBOL).stderr
    early = venue(server, "settle", SYMBOL, mark)
    assert (early.returncode, "not delisted yet" in early.stderr) == (2, True)
    assert f"{SYMBOL} is delisted" in venue(server, "delist", SYMBOL).stdout
    slip = venue(server, "settle", SYMBOL, str(int(float(mark) * 10)))
    assert (slip.returncode, "'price' is out of range" in slip.stderr) == (2, True)
    last = venue(server, "settle", SYMBOL, mark)
    assert last.stdout == f"{SYMBOL} settles at {mark}\n", last
