"""How long the disk lasts, in the health answer and by the growth of files."""

from __future__ import annotations

from pathlib import Path
from signal import SIGUSR2

import pytest

from support.clocked import AHEAD
from support.server import Server
from venue.candles import HOUR_US
from venue.gateway.health import LOOK_US, SAMPLE_US, DiskWatch

SIZE = 1_000_000
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01"}


class Steady:
    """A machine's time."""

    def __init__(self) -> None:
        self.time = HOUR_US

    def now(self) -> int:
        return self.time


def test_the_rate_is_that_of_the_last_hour(tmp_path: Path) -> None:
    """Files that belong to others do not count."""
    steady = Steady()
    file = tmp_path / "venue.db"
    file.write_bytes(b"1" * SIZE)
    (tmp_path / "venue.db2").write_bytes(b"1" * SIZE)
    watch = DiskWatch(file, steady.now)
    found = watch.look()
    assert found is not None
    assert (found.used, found.hourly, found.hours) == (SIZE, None, None)
    (tmp_path / "venue.db-wal").write_bytes(b"1" * SIZE)
    (tmp_path / "venue.db.history").write_bytes(b"1" * SIZE)
    steady.time += LOOK_US - 1
    assert watch.look() is found
    steady.time += SAMPLE_US
    found = watch.look()
    assert found is not None
    assert found.used == 3 * SIZE
    assert found.hourly == 2 * SIZE * HOUR_US // (LOOK_US - 1 + SAMPLE_US)
    assert found.hours == found.free // found.hourly
    for _ in range(61):  # nothing more is written: after an hour it does not grow
        steady.time += SAMPLE_US
        found = watch.look()
    assert found is not None
    assert (found.used, found.hourly, found.hours) == (3 * SIZE, None, None)
    assert watch.warning() == ""


def test_less_than_a_day_is_a_warning(tmp_path: Path) -> None:
    steady = Steady()
    watch = DiskWatch(tmp_path / "venue.db", steady.now)
    watch.look()
    with (tmp_path / "venue.db").open("wb") as file:
        file.truncate(1 << 40)  # takes no room
    steady.time += SAMPLE_US
    found = watch.look()
    assert found is not None
    assert found.hours == 0
    assert watch.warning().startswith(f"the disk of {tmp_path} lasts for 0 hours: the venue writes")


@pytest.mark.parametrize("kept", [True, False], ids=["file", "memory"])
def test_health_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, kept: bool) -> None:
    """Of a venue in memory, whose history is a temporary file, as well."""
    options = ("--state", str(tmp_path / "state")) if kept else ()
    program = ("support.clocked",)
    monkeypatch.setenv(AHEAD, "0")
    with Server("--no-agents", *options, folder=tmp_path, program=program) as server:
        operator, alice = server.client(), server.client("alice")
        before = operator.get("/_venue/health").json
        assert (before["diskHourly"], before["diskHours"]) == (None, None)
        for number in range(100):
            placed = alice.post("/api/v3/order", {**ORDER, "price": str(50_000 + number)})
            assert placed.status == 200, placed
        assert len(alice.get("/api/v3/allOrders?symbol=BTCUSDT").json) == 100  # history has them
        server.process.send_signal(SIGUSR2)
        told = operator.get("/_venue/health").json
        while told["serverTime"] < before["serverTime"] + 3_000_000:
            told = operator.get("/_venue/health").json
        assert told["diskUsed"] > before["diskUsed"]
        assert told["diskHours"] == told["diskFree"] // told["diskHourly"]
        assert told["warnings"] == before["warnings"]
        made = operator.post("/_venue/worlds", {"name": "one"})
        assert made.status == 200, made
        assert operator.get("/w/one/_venue/health").json["diskUsed"] is None
