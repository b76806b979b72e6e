"""Every number of every operation, at the bounds of 31 to 64 bits and beyond: nobody is disturbed.

A witness trades beside it, in a market of its own, and hears of it over a socket.
"""

from __future__ import annotations

from pathlib import Path

from support.client import Answer, Client
from support.listening import Listener, login
from support.raw import order
from support.rows_of_numbers import ATOMS, FRACTIONS, GRIDS, NUMBERS, SCALES, Asked, requests
from support.server import Server
from support.socket_desk import PRODUCTS, place

EVERY = 500  # requests between two acts of the witness


def operate(client: Client, what: str, **body: object) -> None:
    answer = client.post(f"/_venue/{what}", body)
    assert answer.status == 200, (what, body, answer)


def prepare(server: Server) -> None:
    """Markets of both products whose assets have 0, 6 and 18 decimals, money in all of them."""
    operator = server.client()
    for scale, grid in zip(SCALES, GRIDS, strict=True):
        for asset in (grid.asset, grid.quote):
            operate(operator, "assets", asset=asset, scale=scale)
            for owner in ("alice", "bob"):
                for wallet in ("SPOT", "CONTRACT"):
                    money = {"owner": owner, "wallet": wallet, "asset": asset, "amount": "1"}
                    operate(operator, "deposit", **money)
        least, most, part = ("1", "4000", "1000") if scale == 0 else ("0.001", "4", "0.02")
        market = {"baseAsset": grid.asset, "quoteAsset": grid.quote, "tickSize": least,
                  "stepSize": least}  # fmt: skip
        operate(
            operator, "instruments", **market, minTradeAmount=least, maxTradeAmount="1000",
            marketLimitSize="1000",
        )  # fmt: skip
        operate(
            operator, "contracts", **market, minOrderSize=least, maxOrderSize="1000",
            marketOpenLimitSize="1000", maxPositionSize="2", maxOpenInterest="10",
            maxLeverage=20, tiers=[f"{most}:20:0.02"], indexSources=["feed"],
            indexNotional=part, impactNotional=part,
        )  # fmt: skip
        operate(operator, "index", symbol=grid.symbol, source="feed", price="1", jump=True)
    for owner, code in (("alice", "ALICE7"), ("bob", "BOB7")):
        operate(
            operator, "affiliates", owner=owner, code=code, spotRate="0.1", contractRate="0.1"
        )  # fmt: skip


class Witness:
    """Bob trades with himself in a market that nothing else touches, and hears of it."""

    def __init__(self, server: Server) -> None:
        self.client = server.client("bob")
        self.number = 0
        self.listener = Listener(server.port, "/spot/v3/ws/private", login(server.account("bob")))
        self.listener.subscribe("fill")

    def act(self) -> None:
        self.number += 1
        for side in ("SELL", "BUY"):
            body = order("ETHUSDT", side, "0.01", "3000", newClientOrderId=f"{side}{self.number}")
            answer = self.client.post("/api/v3/order", body)
            assert answer.status == 200, answer
        told = self.listener.until(lambda frame: frame.get("e") == "fill")
        assert told["d"][0]["symbol"] == "ETHUSDT"


def sent(client: Client, asked: Asked) -> Answer:
    answer = client.call(asked.method, asked.target, asked.body)
    assert answer.status < 500, (asked, answer)
    assert isinstance(answer.json, dict | list | str | int), (asked, answer)
    return answer


def over_sockets(server: Server) -> int:
    """Orders over both private sockets; how many were answered."""
    count = 0
    for product in PRODUCTS:
        with Listener(server.port, product.socket, login(server.account("alice"))) as listener:
            for grid in GRIDS:
                for name in ("quantity", "price"):
                    for number in [*NUMBERS, *ATOMS, *FRACTIONS]:
                        message = place(product, **{"symbol": grid.symbol, name: str(number)})
                        answer = listener.ask(message)
                        assert answer["id"] == 1
                        assert answer.get("status", 400) < 500, (message, answer)
                        count += 1
    return count


def test_no_number_of_any_operation_disturbs_anybody(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--batch-place", "--no-limits", "--state", str(tmp_path / "state"))
    with Server(*arguments, folder=tmp_path) as server:
        prepare(server)
        alice, operator, witness = server.client("alice"), server.client(), Witness(server)
        statuses: dict[int, int] = {}
        for number, asked in enumerate(requests()):
            answer = sent(operator if asked.operator else alice, asked)
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            if number % EVERY == 0:
                witness.act()
        assert over_sockets(server) > 700
        witness.act()
        witness.listener.close()
        assert statuses.keys() <= {200, 400, 403, 404}, statuses
        assert statuses[200] > 1_000, statuses
        assert operator.get("/_venue/health").json["status"] == "ok"
        assert server.stop() == 0
        assert server.errors.read_text() == ""
    with Server(*arguments, folder=tmp_path) as server:  # and what they left can be read
        assert server.client().get("/_venue/health").json["status"] == "ok"
        assert server.stop() == 0
