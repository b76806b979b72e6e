"""Sums beyond 64 bits, of an asset with 18 decimals: the venue goes on, and starts again."""

from __future__ import annotations

from pathlib import Path

from support.command import run
from support.raw import Desk, ok, operate, order
from support.server import Server

ROUNDS = 14  # of 1.5 WEI: 21 x 10^18 atoms, and 2^64 is 18.4 x 10^18
TRADES = "/api/v3/rebate/affiliate/getChannelUserTradeAndAsset"


def listed(desk: Desk) -> None:
    """A market in WEI, of which there can be 4.6 at all, and an invited owner."""
    operate(desk, "assets", {"asset": "WEI", "scale": 18})
    operate(desk, "assets", {"asset": "TOY", "scale": 18})
    grid = {"tickSize": "0.01", "stepSize": "0.01", "minTradeAmount": "0.01"}
    sizes = {"maxTradeAmount": "100", "marketLimitSize": "100"}
    operate(desk, "instruments", {"baseAsset": "TOY", "quoteAsset": "WEI", **grid, **sizes})
    for owner in ("alice", "carol"):
        for asset in ("TOY", "WEI"):
            money = {"owner": owner, "wallet": "SPOT", "asset": asset, "amount": "2"}
            operate(desk, "deposit", money)
    operate(
        desk, "affiliates",
        {"owner": "bob", "code": "BOB7", "spotRate": "0.1", "contractRate": "0.25"},
    )  # fmt: skip
    operate(desk, "affiliates/invite", {"owner": "alice", "code": "BOB7"})


def traded(desk: Desk) -> None:
    """Alice and carol sell each other the same 1.5 TOY."""
    for number in range(ROUNDS):
        for seller, buyer, name in ((desk.alice, desk.carol, "a"), (desk.carol, desk.alice, "c")):
            for client, side in ((seller, "SELL"), (buyer, "BUY")):
                body = order("TOYWEI", side, "1.5", "1", newClientOrderId=f"{side}{name}{number}")
                assert client.post("/api/v3/order", body).status == 200


def test_volume_beyond_64_bits_stops_nobody(tmp_path: Path) -> None:
    """The volume of one day, promised with its commission, and paid the next day."""
    path = str(tmp_path / "venue.db")
    manual = ("--clock", "manual", "--at", "2026-11-26T23:59:50Z")
    state = ("--state", path, "--no-agents", *manual)
    with Server(*state, folder=tmp_path) as server:
        desk = Desk(server)
        listed(desk)
        traded(desk)
        before = ok(desk.anyone.get("/_venue/health"))["stateHash"]
        desk.close()
        assert server.stop() == 0
        assert server.errors.read_text() == ""
    with Server(*state, folder=tmp_path) as server:
        desk = Desk(server)
        assert ok(desk.anyone.get("/_venue/health"))["stateHash"] == before
        operate(desk, "clock/advance", {"by": "20s"})
        report = ok(desk.bob.get(TRADES))
        assert report["records"][0]["uid"] == str(desk.uid)
        desk.close()
        server.kill()
    done = run("verify", path)
    assert done.returncode == 0, done.stdout + done.stderr
