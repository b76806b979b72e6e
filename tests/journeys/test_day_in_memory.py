"""A venue in memory keeps a day of its owners' commands while its agents trade, and little more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.server import Server

SYMBOL = "BTCUSDT"
RESTS = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
TAKES = {"symbol": SYMBOL, "side": "BUY", "type": "MARKET", "quantity": "0.01"}


@pytest.fixture
def server(tmp_path: Any) -> Iterator[Server]:
    with Server("--clock", "manual", folder=tmp_path) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


def lived(client: Client, hours: int) -> dict[str, Any]:
    """The health after so many hours in which the agents traded."""
    for _ in range(hours):
        told = client.post("/_venue/clock/advance", {"by": "1h", "sparse": True})
        assert told.status == 200, told
    return dict(client.get("/_venue/health").json)


def test_an_order_of_a_day_ago_is_explained(server: Server) -> None:
    """The agents have sent far more commands since than two snapshots leave."""
    operator, alice = server.client(), server.client("alice")
    rests = alice.post("/api/v3/order", {**RESTS, "quantity": "0.01", "price": "30000"}).json
    taken = alice.post("/api/v3/order", TAKES).json
    assert alice.delete(f"/api/v3/order?orderId={rests['orderId']}").status == 200
    health = lived(operator, 24)
    assert (health["sequence"] > 150_000, health["forgotten"]) == (True, "")
    for order, said in ((rests, "it ended as CANCELED."), (taken, "alice asked to BUY 0.01000")):
        told = operator.get(f"/_venue/explain/order/{order['orderId']}")
        assert told.status == 200, told
        assert (told.json["owner"], said in " ".join(told.json["sentences"])) == ("alice", True)
    health = lived(operator, 18)
    assert "keeps the commands of 24 hours of venue time" in health["forgotten"]
    told = operator.get(f"/_venue/explain/order/{rests['orderId']}")
    assert (told.status, health["forgotten"] in told.json["msg"]) == (400, True)
