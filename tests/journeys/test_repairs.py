"""A venue whose journal was damaged says what is lost and what to do; repaired it goes on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from support.command import run_in
from support.server import Server

NAME = "venue.db"
PAGES = ("/api/v3/openOrders?symbol=BTCUSDT", "/api/v3/account/")


def start(folder: Path) -> Server:
    return Server("--state", str(folder / NAME), "--no-agents", folder=folder)


def place(server: Server, *names: str) -> None:
    for name in names:
        order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01"}
        order |= {"price": "60000", "newClientOrderId": name}
        assert server.client("alice").post("/api/v3/order", order).status == 200


def told(server: Server) -> list[Any]:
    return [server.client("alice").get(page).json for page in PAGES]


def lived(folder: Path) -> list[Any]:
    """A venue that was stopped once, which left a snapshot, and then killed."""
    with start(folder) as server:
        place(server, *(f"early-{number}" for number in range(90)))
        assert server.stop() == 0
    with start(folder) as server:
        place(server, *(f"late-{number}" for number in range(5)))
        pages = told(server)
        server.kill()
    return pages


def spoiled(path: Path) -> bytes:
    """The bytes of a journal in which one order was overwritten, also where SQLite left it."""
    data = path.read_bytes()
    assert b"early-71" in data
    path.write_bytes(data.replace(b"early-71", random.Random(1).randbytes(8)))
    return path.read_bytes()


def refused(folder: Path) -> str:
    with pytest.raises(RuntimeError) as problem:
        start(folder)
    assert "Traceback" not in str(problem.value)
    return str(problem.value)


def sound(folder: Path) -> list[str]:
    """The facts that verify tells of files that hold."""
    done = run_in(folder, "verify", NAME)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_lost_row_is_stood_for_by_the_snapshot(tmp_path: Path) -> None:
    pages = lived(tmp_path)
    path = tmp_path / NAME
    data = spoiled(path)
    sequence = next(iter(tmp_path.glob(f"{NAME}.snapshot-*"))).name.rpartition("-")[2]
    for text in (refused(tmp_path), run_in(tmp_path, "verify", NAME).stderr):
        assert f"{NAME}.snapshot-{sequence} stands for them: `venue repair " in text
        assert "damaged" in text
    assert path.read_bytes() == data
    repaired = run_in(tmp_path, "repair", NAME)
    assert repaired.returncode == 0, repaired.stderr
    assert f"goes on from the snapshot at command {sequence}" in repaired.stdout
    assert (tmp_path / f"{NAME}.damaged").read_bytes() == data
    facts = sound(tmp_path)
    assert any(f"from the snapshot at command {sequence}" in fact for fact in facts)
    assert any("missing since a repair" in fact for fact in facts)
    with start(tmp_path) as server:
        assert told(server) == pages
        place(server, "after")
        assert server.stop() == 0
    sound(tmp_path)


def test_a_changed_bit_after_the_newest_snapshot_is_put_back(tmp_path: Path) -> None:
    pages = lived(tmp_path)
    log = tmp_path / f"{NAME}-wal"
    data = bytearray(log.read_bytes())
    data[data.rindex(b"late-3")] ^= 4
    log.write_bytes(data)
    assert "can be read in" in refused(tmp_path)
    repaired = run_in(tmp_path, "repair", NAME)
    assert repaired.returncode == 0, repaired.stderr
    assert (tmp_path / f"{NAME}.damaged-wal").read_bytes() == data
    sound(tmp_path)
    with start(tmp_path) as server:
        assert told(server) == pages
        assert server.stop() == 0


def test_what_no_snapshot_stands_for_is_refused_in_words(tmp_path: Path) -> None:
    lived(tmp_path)
    for snapshot in tmp_path.glob(f"{NAME}.snapshot-*"):
        snapshot.unlink()
    path = tmp_path / NAME
    data = spoiled(path)
    for text in (refused(tmp_path), run_in(tmp_path, "repair", NAME).stderr):
        assert "no intact snapshot of a later state stands for them" in text
        assert " could be kept: put back a whole copy" in text
    assert path.read_bytes() == data


def test_a_whole_journal_is_not_changed(tmp_path: Path) -> None:
    with start(tmp_path) as server:
        place(server, "one")
        running = run_in(tmp_path, "repair", NAME)
        assert running.returncode != 0
        assert "in use" in running.stderr
        assert server.stop() == 0
    before = (tmp_path / NAME).read_bytes()
    assert "is whole" in run_in(tmp_path, "repair", NAME).stdout
    assert (tmp_path / NAME).read_bytes() == before


def test_damaged_snapshots_and_missing_files_are_told(tmp_path: Path) -> None:
    lived(tmp_path)
    (snapshot,) = tmp_path.glob(f"{NAME}.snapshot-*")
    intact = snapshot.read_bytes()
    for damaged in (b"", intact[: len(intact) // 2], intact[:-1] + b"!", intact[:99] + b"!!!"):
        snapshot.write_bytes(damaged + intact[102:] if damaged.endswith(b"!!!") else damaged)
        done = run_in(tmp_path, "verify", NAME)
        assert done.returncode == 1
        assert f"{snapshot.name} is damaged" in done.stderr
    with start(tmp_path) as server:
        (told,) = server.client().get("/_venue/health").json["warnings"]
        assert f"{snapshot.name} is damaged" in told
        assert f"{snapshot.name} is damaged" in server.errors.read_text()
        server.kill()
    snapshot.unlink()
    ending = tmp_path / f"{NAME}.acknowledged"
    acknowledged = ending.read_bytes()
    ending.unlink()
    assert "venue.db.acknowledged is missing" in run_in(tmp_path, "verify", NAME).stderr
    ending.write_bytes(acknowledged)
    (tmp_path / f"{NAME}-wal").unlink()
    for text in (refused(tmp_path), run_in(tmp_path, "verify", NAME).stderr):
        assert f"{NAME}-wal is missing, or it or" in text
