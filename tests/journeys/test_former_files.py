"""Files of a venue with other rules: this one goes on with them, or leaves them as they are."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.former import OTHER_RULES, Former
from support.server import Server
from venue.cli.verify import verify
from venue.core.rules import RULES
from venue.history.sql import transaction
from venue.history.store import open_history
from venue.journal.journal import OtherRules
from venue.journal.opening import open_readonly
from venue.recompute.history import rebuild_history

SPOT_BID = "63590.40"  # of alice, from then
POSITIONS = 202  # bob's: all but two of them in separated mode


@pytest.fixture(scope="module")
def former(tmp_path_factory: pytest.TempPathFactory) -> Former:
    return Former(tmp_path_factory.mktemp("former"))


def start(path: Path) -> Server:
    return Server("--state", str(path), "--no-agents", "--no-limits", folder=path.parent)


def names(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(str(row["orderId"]) for row in rows)


def order(price: str, side: str = "BUY") -> dict[str, str]:
    return {
        "symbol": "BTCUSDT",
        "side": side,
        "type": "LIMIT",
        "timeInForce": "GTC",
        "quantity": "0.01",
        "price": price,
    }


def bytes_of(folder: Path) -> dict[str, bytes]:
    """A venue's files, apart from locks; a log without anything in it may come and go."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.glob("venue.db*"))
        if not path.name.endswith(".lock") and path.stat().st_size
    }


def test_files_of_a_clean_stop_go_on(tmp_path: Path, former: Former) -> None:
    path = former.at("clean", tmp_path)
    assert verify(str(path)).problems == []
    with start(path) as server:
        alice, bob = server.client("alice"), server.client("bob")
        before = alice.get("/api/v3/openOrders?symbol=BTCUSDT").json
        assert SPOT_BID in {row["price"] for row in before}
        (filled,) = alice.get("/api/v3/myTrades?symbol=BTCUSDT").json
        held = bob.get("/capi/v3/account/position/allPosition").json
        assert len(held) == POSITIONS
        placed = bob.post("/api/v3/order", order("60000"))
        assert placed.status == 200, placed
        sold = bob.post("/api/v3/order", order(SPOT_BID, "SELL"))
        assert sold.status == 200, sold
        trades = alice.get("/api/v3/myTrades?symbol=BTCUSDT").json
        assert {trade["id"] for trade in trades} > {filled["id"]}
        server.kill()
    findings = verify(str(path))
    assert findings.problems == []
    assert any(f"from the snapshot at command {former.last}" in fact for fact in findings.facts)
    for _ in range(3):  # so many snapshots that the first would be gone
        with start(path) as server:
            bob = server.client("bob")
            assert str(placed.json["orderId"]) in names(
                bob.get("/api/v3/openOrders?symbol=BTCUSDT").json
            )
            assert bob.post("/api/v3/order", order("59000")).status == 200
            assert len(bob.get("/capi/v3/account/position/allPosition").json) == POSITIONS
            assert server.stop() == 0
    journal = open_readonly(str(path))
    assert [one.sequence for one in journal.snapshots()][-1] == former.last
    assert [(one.first_sequence, one.rules) for one in journal.segments()] == [
        (1, OTHER_RULES),
        (former.last + 1, RULES),
    ]
    journal.close()
    assert verify(str(path)).problems == []


def test_older_rows_are_dropped_only_when_it_is_said(tmp_path: Path, former: Former) -> None:
    path = former.at("clean", tmp_path)
    with start(path) as server:
        bob = server.client("bob")
        assert bob.post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
        assert server.stop() == 0
    before = bytes_of(tmp_path)
    with pytest.raises(OtherRules, match=rf"up to command {former.last} .* --drop-older"):
        rebuild_history(str(path))
    assert bytes_of(tmp_path) == before
    begin, reached = rebuild_history(str(path), drop_older=True)
    assert begin == former.last < reached
    assert verify(str(path)).problems == []
    with start(path) as server:
        alice = server.client("alice")
        (trade,) = alice.get("/api/v3/myTrades?symbol=BTCUSDT").json
        assert Decimal(trade["price"]) == Decimal(SPOT_BID)
        (maker,) = [
            row
            for row in alice.get("/api/v3/allOrders?symbol=BTCUSDT").json
            if row["orderId"] == trade["orderId"]
        ]
        assert Decimal(maker["executedQty"]) == Decimal("0.01")
        assert server.stop() == 0
    assert verify(str(path)).problems == []


def test_a_history_that_is_gone_begins_with_the_rules(tmp_path: Path, former: Former) -> None:
    path = former.at("clean", tmp_path)
    Path(f"{path}.history").unlink()
    with start(path) as server:
        bob = server.client("bob")
        assert bob.post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
        assert len(bob.get("/api/v3/myTrades?symbol=BTCUSDT").json) == 1
        assert server.stop() == 0
    assert verify(str(path)).problems == []


@pytest.mark.parametrize("taken_over", [False, True])
def test_a_damaged_history_begins_with_the_rules_and_says_so(
    tmp_path: Path, taken_over: bool, former: Former
) -> None:
    path = former.at("clean", tmp_path)
    history = Path(f"{path}.history")
    if taken_over:
        with start(path) as server:
            assert server.client("bob").post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
            assert server.stop() == 0
    whole = history.read_bytes()
    spoiled = whole[: len(whole) // 2]
    history.write_bytes(spoiled)
    (problem,) = verify(str(path)).problems
    assert "venue.db.history is damaged" in problem
    with start(path) as server:
        bob = server.client("bob")
        if not taken_over:
            assert bob.post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
        (trade,) = bob.get("/api/v3/myTrades?symbol=BTCUSDT").json
        assert Decimal(trade["price"]) == Decimal(SPOT_BID)
        assert len(bob.get("/capi/v3/account/position/allPosition").json) == POSITIONS
        assert bob.get("/_venue/health").json["status"] == "ok"
        told = server.errors.read_text()
        assert server.stop() == 0
    assert "venue.db.history is damaged: " in told
    assert "it was moved to " in told
    assert f"rows of commands up to {former.last} were made under former rules" in told
    assert f"begins after command {former.last}" in told
    assert "Traceback" not in told
    assert Path(f"{history}.damaged").read_bytes() == spoiled
    assert verify(str(path)).problems == []


def test_verify_compares_rows_from_where_the_rules_began(tmp_path: Path, former: Former) -> None:
    path = former.at("clean", tmp_path)
    with start(path) as server:
        assert server.client("bob").post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
        assert server.stop() == 0
    change(Path(f"{path}.history"), "UPDATE fills SET fee = fee + 1")
    problems = verify(str(path)).problems
    assert len(problems) == 2  # both sides of the one trade since; the former trade is not known
    assert all(problem.startswith("fills ") for problem in problems), problems
    change(Path(f"{path}.history"), "UPDATE fills SET fee = fee - 1")
    assert verify(str(path)).problems == []
    change(Path(f"{path}.history"), f"INSERT INTO opening VALUES ({former.last + 1}, 1)")
    problems = verify(str(path)).problems
    assert any(
        problem.startswith(f"history begins after command {former.last + 1}")
        for problem in problems
    )


def test_a_history_that_is_behind_catches_up_from_where_the_rules_began(
    tmp_path: Path, former: Former
) -> None:
    path = former.at("clean", tmp_path)
    older = Path(f"{path}.history").read_bytes()
    with start(path) as server:
        bob = server.client("bob")
        assert bob.post("/api/v3/order", order(SPOT_BID, "SELL")).status == 200
        server.kill()
    for end in ("", "-wal", "-shm"):
        Path(f"{path}.history{end}").unlink(missing_ok=True)
    Path(f"{path}.history").write_bytes(older)
    with start(path) as server:
        trades = server.client("bob").get("/api/v3/myTrades?symbol=BTCUSDT").json
        assert Decimal(trades[0]["price"]) == Decimal(SPOT_BID)
        assert len(trades) == 2
        assert server.stop() == 0
    assert verify(str(path)).problems == []


def test_a_history_that_lacks_commands_of_former_rules_is_refused(
    tmp_path: Path, former: Former
) -> None:
    path = former.at("clean", tmp_path)
    with start(path) as server:
        assert server.stop() == 0
    history = Path(f"{path}.history")
    change(history, "UPDATE progress SET sequence = 100")  # as a copy of an earlier day
    assert any(
        f"up to {former.last} were answered" in problem for problem in verify(str(path)).problems
    )
    with pytest.raises(
        RuntimeError, match=rf"ends at command 100; .* up to {former.last} .* move it away"
    ):
        start(path)
    assert history.exists()


def change(history: Path, statement: str) -> None:
    """Write as history writes, with right checksums."""
    store = open_history(str(history))
    with transaction(store.connection):
        store.connection.execute(statement)
    store.close()


@pytest.mark.parametrize("kind", ["killed", "late"])
def test_files_of_a_killed_venue_are_refused_and_left_as_they_are(
    tmp_path: Path, kind: str, former: Former
) -> None:
    last = former.last
    first, end = (1, last) if kind == "killed" else (last + 1, last + 5)
    path = former.at(kind, tmp_path)
    before = bytes_of(tmp_path)
    told = (
        rf"commands {first} to {end} were answered under rules {OTHER_RULES} "
        ".* stop it cleanly"
    )
    with pytest.raises(RuntimeError, match=told) as refused:
        start(path)
    assert "Traceback" not in str(refused.value)
    (problem,) = verify(str(path)).problems
    assert "stop it cleanly" in problem
    for drop_older in (False, True):
        with pytest.raises(OtherRules, match=told):
            rebuild_history(str(path), drop_older=drop_older)
    assert bytes_of(tmp_path) == before
    shutil.rmtree(tmp_path)
