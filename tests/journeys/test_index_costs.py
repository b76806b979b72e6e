"""The cost of moving an index by 1 %, as operators read it: health, contracts, `venue status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.client import Client
from support.command import run
from support.server import Server


def spot(client: Client, side: str, price: str) -> None:
    order = {
        "symbol": "BTCUSDT", "side": side, "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": price, "newClientOrderId": f"spot-{side}",
    }  # fmt: skip
    assert client.post("/api/v3/order", order).status == 200


def pair(server: Server, quantity: str) -> None:
    """alice is long against bob at 64,000."""
    for name, side, position in (("bob", "SELL", "SHORT"), ("alice", "BUY", "LONG")):
        order = {
            "symbol": "BTCUSDT", "side": side, "positionSide": position, "type": "LIMIT",
            "timeInForce": "GTC", "quantity": quantity, "price": "64000",
            "newClientOrderId": f"{side}-{quantity}",
        }  # fmt: skip
        assert server.client(name).post("/capi/v3/order", order).status == 200


def costs(server: Server) -> dict[str, Any]:
    """BTCUSDT in health, and in its row alike."""
    operator = server.client()
    health = operator.get("/_venue/health").json
    rows = operator.get("/_venue/contracts").json
    assert [row["indexCost"] for row in rows] == health["indexCosts"]
    (found,) = [told for told in health["indexCosts"] if told["symbol"] == "BTCUSDT"]
    return {**found, "warnings": health["warnings"]}


def test_an_index_that_costs_less_than_it_moves_is_a_warning(tmp_path: Path) -> None:
    """A coin at 63,999, one at 64,001, an index notional of 10,000, a fee of 0.1 %. Down it costs
    1 for the way, 63.999 of fee, and 100 that rest."""
    with Server("--no-agents", "--clock", "manual", folder=tmp_path) as server:
        none = {"symbol": "BTCUSDT", "cost": "", "notional": "", "gain": "0.00000000"}
        assert costs(server) == {**none, "cheap": False, "warnings": []}
        spot(server.client("bob"), "BUY", "63999")
        spot(server.client("bob"), "SELL", "64001")
        server.client().post("/_venue/clock/advance", {"by": "2s"})
        told = {"symbol": "BTCUSDT", "cost": "164.99900000", "notional": "73999.00000000"}
        pair(server, "0.25")
        assert costs(server) == {**told, "gain": "160.00000000", "cheap": False, "warnings": []}
        said = run("status", "--url", server.url).stdout
        line = "BTCUSDT costs 164.99900000 to move by 1 %, which moves"
        assert f"  index       {line} 160.00000000\n" in said
        assert "  index       BTCSUSDT is moved by no order\n" in said
        pair(server, "0.01")
        cheap = (
            "BTCUSDT: to move the index by 1 % costs 164.99900000 now, less than 1 % of the open"
            " interest, 166.40000000"
        )
        found = costs(server)
        assert (found["cheap"], found["warnings"]) == (True, [cheap])
        assert f"  warning: {cheap}\n" in run("status", "--url", server.url).stdout
        assert server.stop() == 0
