"""After a restart everything goes on where it was: market data, candles, history's process."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from venue.candles import INTERVALS


def trade(server: Server, count: int, start: int) -> None:
    """Alice sells to bob, at several prices; parts of her orders stay."""
    alice, bob = server.client("alice"), server.client("bob")
    for number in range(start, start + count):
        price = str(60_000 + number % 7)
        for client, side in ((alice, "SELL"), (bob, "BUY")):
            order = {
                "symbol": "BTCUSDT", "side": side, "type": "LIMIT", "price": price,
                "quantity": "0.002" if side == "SELL" else "0.0015",
                "newClientOrderId": f"{side}-{number}",
            }  # fmt: skip
            assert client.post("/api/v3/order", order).status == 200


def seen(client: Client) -> dict[str, Any]:
    """The public data of a market without agents, which changes by trades only."""
    ticker = client.get("/api/v3/market/ticker/24hr?symbol=BTCUSDT").json
    candles = {
        interval: client.get(f"/api/v3/market/klines?symbol=BTCUSDT&interval={interval}").json
        for interval in INTERVALS
        if interval not in ("1m", "5m", "15m", "30m")  # a next one of these may begin while we look
    }
    return {
        "ticker": ticker,
        "depth": client.get("/api/v3/market/depth?symbol=BTCUSDT&limit=200").json,
        "trades": client.get("/api/v3/market/trades?symbol=BTCUSDT&limit=1000").json,
        "candles": {interval: rows[:-1] for interval, rows in candles.items()},
        "now": candles["1M"][-1],
    }


def test_market_data_goes_on_after_stop_and_after_kill(tmp_path: Path) -> None:
    # Time stands: the 24 hours of a ticker begin a minute later with each minute.
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents", "--clock", "manual")
    with Server(*state, folder=tmp_path) as server:
        trade(server, 12, 0)
        before = seen(server.client())
        assert server.stop() == 0
    with Server(*state, folder=tmp_path) as server:
        assert seen(server.client()) == before
        trade(server, 9, 100)
        middle = seen(server.client())
        server.kill()
    with Server(*state, folder=tmp_path) as server:
        after = seen(server.client())
        assert after == middle
        assert after["ticker"]["count"] > before["ticker"]["count"]
        assert after["depth"]["lastUpdateId"] > before["depth"]["lastUpdateId"]
        assert (
            after["now"][8]
            == before["now"][8] + after["ticker"]["count"] - (before["ticker"]["count"])
        )
        assert server.stop() == 0


def test_a_failed_projection_is_shown(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    with Server(*state, folder=tmp_path) as server:
        trade(server, 1, 0)
        alice, operator = server.client("alice"), server.client()
        assert alice.get("/api/v3/myTrades?symbol=BTCUSDT").status == 200
        assert operator.get("/_venue/health").json["status"] == "ok"
        with closing(sqlite3.connect(tmp_path / "venue.db.history")) as history, history:
            history.execute("DROP TABLE fills")
        trade(server, 1, 10)
        assert alice.get("/api/v3/myTrades?symbol=BTCUSDT").status == 503
        # The first line of what the database says: no statement, and nobody's orders.
        told = operator.get("/_venue/health").json["status"]
        assert told == "history failed: SQLError: no such table: fills; it is started again"
        assert server.stop() == 0


def test_a_damaged_log_never_starts_a_shorter_venue(tmp_path: Path) -> None:
    """One flipped byte: all acknowledged orders are there, or a sentence says what to do."""
    first = tmp_path / "first"
    with Server("--state", str(first / "venue.db"), "--no-agents", folder=first) as server:
        trade(server, 4, 0)
        server.kill()
    log = (first / "venue.db-wal").read_bytes()
    for at in (len(log) // 3, 2 * len(log) // 3, len(log) - 100):
        folder = tmp_path / str(at)
        folder.mkdir()
        for name in ("venue.db", "venue.db-wal", "venue.db.acknowledged"):
            shutil.copy(first / name, folder)
        damaged = bytearray(log)
        damaged[at] ^= 1
        (folder / "venue.db-wal").write_bytes(damaged)
        with pytest.raises(RuntimeError, match=r"acknowledged.*put back whole copies") as refused:
            Server("--state", str(folder / "venue.db"), "--no-agents", folder=folder)
        assert "Traceback" not in str(refused.value)
        assert (folder / "venue.db-wal").read_bytes() == damaged
