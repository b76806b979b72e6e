"""A checkpoint that ended at its second page: the file is whole only together with its log."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from support.command import run_in
from support.disk import Disk
from support.real_venue import list_market, real_venue
from support.server import Server

OPEN = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def cut_short(path: Path) -> None:
    """Have a killed venue's journal be as a checkpoint left it that wrote its first page only."""
    folder = path.parent / "copy"
    folder.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        shutil.copy(path.with_name(name), folder)
    disk = Disk()
    try:
        connection = apsw.Connection(str(folder / path.name))
        connection.execute("SELECT * FROM meta").fetchall()
        connection.wal_checkpoint()
        connection.close()
    finally:
        disk.unregister()
    pages = [
        (at, data) for what, file, at, data in disk.log if (what, file) == ("write", path.name)
    ]
    assert len(pages) > 1
    at, data = pages[0]
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
    shutil.rmtree(folder)
    with pytest.raises(apsw.CorruptError):  # alone
        apsw.Connection(f"file:{path}?immutable=1", flags=OPEN).execute("SELECT * FROM meta")


def test_a_practice_venue_starts_after_it(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    with Server(*state, folder=tmp_path) as server:
        order = {
            "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "price": "60000",
            "quantity": "0.01", "newClientOrderId": "known",
        }  # fmt: skip
        assert server.client("alice").post("/api/v3/order", order).status == 200
        server.kill()
    cut_short(tmp_path / "venue.db")
    verified = run_in(tmp_path, "verify", "venue.db")
    assert verified.returncode == 0, verified.stderr
    with Server(*state, folder=tmp_path) as server:
        (known,) = server.client("alice").get("/api/v3/openOrders").json
        assert known["clientOrderId"] == "known"
        assert server.stop() == 0
    assert run_in(tmp_path, "verify", "venue.db").returncode == 0


def test_a_real_venue_starts_after_it(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        list_market(server.client())
        listed = server.client().get("/api/v3/exchangeInfo").json["symbols"]
        server.kill()
    cut_short(tmp_path / "real.db")
    with real_venue(tmp_path) as server:
        assert server.client().get("/api/v3/exchangeInfo").json["symbols"] == listed
        assert server.stop() == 0
