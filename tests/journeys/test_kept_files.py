"""Files of each version from 0.2.0 on: this one goes on with them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import venue
from support.former import KINDS
from support.kept import archives, unpack
from support.server import Server
from venue.cli.verify import verify

SPOT_BID = "63590.40"  # of alice, from then
POSITIONS = 202  # bob's: all but two of them in separated mode


def test_this_version_has_its_files() -> None:
    """A version that is released without them could not be held to them later."""
    names = [path.name.partition("-") for path in archives()]
    assert {
        kind.partition(".")[0] for version, _, kind in names if version == venue.__version__
    } == (set(KINDS))


@pytest.mark.parametrize("archive", archives(), ids=lambda path: path.name.partition(".tar")[0])
def test_a_venue_goes_on_with_the_files_of_a_version(archive: Path, tmp_path: Path) -> None:
    path = unpack(archive, tmp_path)
    assert verify(str(path)).problems == []
    for number in range(2):
        with Server("--state", str(path), "--no-agents", "--no-limits", folder=tmp_path) as server:
            alice, bob = server.client("alice"), server.client("bob")
            open_orders = alice.get("/api/v3/openOrders?symbol=BTCUSDT").json
            assert SPOT_BID in {row["price"] for row in open_orders}
            assert len(bob.get("/capi/v3/account/position/allPosition").json) == POSITIONS
            assert "kept" in {key["label"] for key in server.client().get("/_venue/keys").json}
            before = alice.get("/api/v3/myTrades?symbol=BTCUSDT").json
            if number == 0:
                sold = bob.post(
                    "/api/v3/order",
                    {"symbol": "BTCUSDT", "side": "SELL", "type": "LIMIT", "timeInForce": "GTC",
                     "quantity": "0.02", "price": SPOT_BID},
                )  # fmt: skip
                assert sold.status == 200, sold
                after = alice.get("/api/v3/myTrades?symbol=BTCUSDT").json
                assert len(after) > len(before)
                assert Decimal(after[0]["price"]) == Decimal(SPOT_BID)
                server.kill()
            else:
                assert after == before
    assert verify(str(path)).problems == []
