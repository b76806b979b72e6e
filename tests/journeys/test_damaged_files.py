"""A venue whose files were damaged or opened to others."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from support.command import Done, run_in
from support.server import Server
from venue.history.pages import PAGE, damaged_by_pieces
from venue.history.sql import transaction
from venue.history.store import open_history

ASKED = (
    "/api/v3/myTrades?symbol=BTCUSDT",
    "/api/v3/allOrders?symbol=BTCUSDT",
)
FILES = {
    "venue.db", "venue.db-wal", "venue.db.acknowledged", "venue.db.history",
    "venue.db.history-wal", "venue.db.history-shm", "venue.db.history.lock", "venue.db.keys",
    "venue.db.keys.master",
}  # fmt: skip


@contextmanager
def venue(folder: Path) -> Iterator[Server]:
    with Server("--state", str(folder / "venue.db"), "--no-agents", folder=folder) as server:
        yield server
        assert server.stop() == 0


def trade(server: Server, count: int) -> None:
    alice, bob = server.client("alice"), server.client("bob")
    for number in range(count):
        order = {"symbol": "BTCUSDT", "type": "LIMIT", "quantity": "0.01", "price": "60000"}
        for client, side in ((alice, "SELL"), (bob, "BUY")):
            named = {**order, "side": side, "newClientOrderId": f"{side}{number}"}
            assert client.post("/api/v3/order", named).status == 200


def answers(server: Server) -> list[Any]:
    client = server.client("alice")
    given = [client.get(path) for path in ASKED]
    given.append(client.post("/api/v3/account/bills", {"limit": "100"}))
    assert [answer.status for answer in given] == [200] * len(given), given
    return [answer.json for answer in given]


def command(folder: Path, *arguments: str) -> Done:
    return run_in(folder, *arguments)


def last_told(server: Server) -> str:
    return server.errors.read_text()


def flipped(data: bytes) -> bytes:
    """One bit of the last page's."""
    changed = bytearray(data)
    changed[-100] ^= 1
    return bytes(changed)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flipped": flipped,
    "header": lambda data: b"\1" + data[1:],
    "truncated": lambda data: data[: len(data) // 2 // PAGE * PAGE],
    "garbage": lambda _: os.urandom(10_000),
    "text": lambda _: b"no history\n",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[Any]]:
    """The files of a venue that was stopped, and its answers."""
    folder = tmp_path_factory.mktemp("whole")
    with venue(folder) as server:
        _a_key(server)
        trade(server, 6)
        moved = {"owner": "alice", "from": "SPOT", "to": "FUNDING", "asset": "USDT", "amount": "5"}
        assert server.client().post("/_venue/transfer", moved).status == 200
        given = answers(server)
    found = {file.name: file.read_bytes() for file in folder.glob("venue.db*")}
    (snapshot,) = (name for name in found if name.startswith("venue.db.snapshot-"))
    assert set(found) == {snapshot, *(name for name in FILES if name[-4:] not in ("-wal", "-shm"))}
    return found, given


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)
    return folder / "venue.db.history"


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_history_is_moved_aside_and_built_again(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]], damage: str
) -> None:
    files, given = whole
    history = laid_out(tmp_path, files)
    spoiled = DAMAGES[damage](history.read_bytes())
    history.write_bytes(spoiled)
    verified = command(tmp_path, "verify", "venue.db")
    assert verified.returncode == 1
    assert "PROBLEM venue.db.history is damaged: " in verified.stderr
    assert "venue rebuild-history venue.db" in verified.stderr
    assert "Traceback" not in verified.stderr
    with venue(tmp_path) as server:
        assert answers(server) == given
        assert server.client().get("/_venue/health").json["status"] == "ok"
        told = last_told(server)
    assert "it was moved to " in told
    assert "is built again from the journal" in told
    assert "Traceback" not in told
    assert (tmp_path / "venue.db.history.damaged").read_bytes() == spoiled
    assert command(tmp_path, "verify", "venue.db").returncode == 0


def test_an_empty_history_is_filled_again(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]]
) -> None:
    files, given = whole
    laid_out(tmp_path, files).write_bytes(b"")
    with venue(tmp_path) as server:
        assert answers(server) == given
        assert "venue.db.history is empty: it is built again" in last_told(server)


def test_rebuild_history_builds_what_is_damaged(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]]
) -> None:
    files, _ = whole
    history = laid_out(tmp_path, files)
    history.write_bytes(flipped(history.read_bytes()))
    rebuilt = command(tmp_path, "rebuild-history", "venue.db")
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert "history rebuilt up to command" in rebuilt.stdout
    assert list(chain.from_iterable(damaged_by_pieces(history))) == []
    assert command(tmp_path, "verify", "venue.db").returncode == 0


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE bills SET fee = fee + 1", "bills .*history says .*, the journal "),
        ("UPDATE transfers SET transfer_id = 5", "transfers 5: not in the journal"),
        ("DELETE FROM orders WHERE status = 2", "orders .*: missing"),
        ("UPDATE fills SET price = price - 1", "fills .*history says"),
    ],
)
def test_verify_compares_every_row_with_the_journal(
    tmp_path: Path,
    whole: tuple[dict[str, bytes], list[Any]],
    statement: str,
    words: str,
) -> None:
    """Also what has right checksums, because it was written as history writes."""
    files, _ = whole
    store = open_history(str(laid_out(tmp_path, files)))
    with transaction(store.connection):
        store.connection.execute(statement)
    store.close()
    verified = command(tmp_path, "verify", "venue.db")
    assert verified.returncode == 1
    problems = [line for line in verified.stderr.splitlines() if line.startswith("PROBLEM ")]
    assert any(re.match(f"PROBLEM {words}", line) for line in problems), problems


def test_a_history_without_checksums_is_made_again(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]]
) -> None:
    """SQLite's own means leave the checksums out: nothing vouches for its rows."""
    files, given = whole
    history = laid_out(tmp_path, files)
    history.unlink()
    with closing(sqlite3.connect(history)) as connection, connection:
        connection.execute("CREATE TABLE progress (sequence INTEGER)")
    history.chmod(0o600)
    with venue(tmp_path) as server:
        assert answers(server) == given
        assert "venue.db.history is damaged: " in last_told(server)
    assert command(tmp_path, "verify", "venue.db").returncode == 0


@pytest.mark.parametrize("content", [b"", b"no keys\n", b"\xff\xfe\0", b'{"version":2}'])
def test_a_key_store_that_is_none_ends_in_a_sentence(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]], content: bytes
) -> None:
    files, given = whole
    laid_out(tmp_path, files)
    keys = tmp_path / "venue.db.keys"
    keys.write_bytes(content)
    keys.chmod(0o600)
    ended = command(tmp_path, "dev", "--state", "venue.db", "--port", "0")
    assert ended.returncode == 2
    assert ended.stderr.startswith("venue: venue.db.keys is not a key store: ")
    assert ended.stderr.strip().endswith("or move both away and make new keys")
    assert "Traceback" not in ended.stderr
    for name in ("venue.db.keys", "venue.db.keys.master"):
        (tmp_path / name).unlink()  # as it was told
    with venue(tmp_path) as server:
        assert answers(server) == given


# -- rights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_all_files_are_their_owners_alone(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with venue(tmp_path / "state" if mask != 0o777 else tmp_path) as server:
            os.umask(before)
            _a_key(server)
            trade(server, 2)
            answers(server)
            rights = _rights(server.folder)
            assert rights.keys() >= FILES
            rights["ready.json"] = (server.folder / "ready.json").stat().st_mode & 0o777
            assert set(rights.values()) == {0o600}, rights
    finally:
        os.umask(before)


def test_wider_rights_are_narrowed_at_the_start(
    tmp_path: Path, whole: tuple[dict[str, bytes], list[Any]]
) -> None:
    files, given = whole
    laid_out(tmp_path, files)
    (snapshot,) = (name for name in files if name.startswith("venue.db.snapshot-"))
    wide = ("venue.db", "venue.db.history", "venue.db.history.lock", snapshot)
    for name in wide:
        (tmp_path / name).chmod(0o664)
    with venue(tmp_path) as server:
        assert answers(server) == given
        assert set(_rights(tmp_path).values()) == {0o600}
        told = last_told(server)
    for name in wide:
        assert f"{name} had mode 0664: others could use it; it is 0600 now" in told


def _a_key(server: Server) -> None:
    body = {"owner": "alice", "label": "bot", "permissions": ["READ"]}
    answer = server.client().post("/_venue/keys", body)
    assert answer.status == 200, answer


def _rights(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.glob("venue.db*")}
