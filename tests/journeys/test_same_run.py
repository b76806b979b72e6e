"""The same seed and the same requests: byte-identical journals, frames and pages of history; and
time that is moved is the same as time lived through."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from support.client import Answer
from support.lived import SYMBOL, Life, packed
from support.moved import BEGIN_MS
from venue.compiled import COMPILED, ENGINE, INTERPRETED
from venue.core.messages.commands import ChangeSetting
from venue.node.clock_modes import SETTING

BUILT: Final = Path(__file__).resolve().parents[2] / "build" / "fast"
INTERVAL_MS: Final = 10 * 60_000  # of funding 144 times a day
TIMES: Final = [f"{n // 6:02}:{n % 6}0" for n in range(144)]


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Processes started now have these variables."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _agents_run(folder: Path, environment: Mapping[str, str]) -> tuple[Any, list[bytes]]:
    """All that a practice venue tells in two minutes and twenty sparse ones, and its journal."""
    with _environment(environment), Life(folder) as life:
        life.venue.advance(by="30s")
        order = {"side": "BUY", "quantity": "0.2", "type": "MARKET"}
        life.order(life.alice, "/api/v3/order", **order)
        life.order(life.alice, "/capi/v3/order", **order, positionSide="LONG")
        life.venue.advance(by="90s250ms")
        life.venue.advance(by="20m", sparse=True)
        told = life.told()
        return told, packed(life.journal())


def test_two_processes_live_the_same(tmp_path: Path) -> None:
    first, second = (_agents_run(tmp_path / seed, {"PYTHONHASHSEED": seed}) for seed in ("1", "2"))
    _same(first, second)
    (_, _, frames), journal = first
    assert len(journal) > 2_500
    assert all(len(texts) > 5 for texts in frames.values()), {k: len(v) for k, v in frames.items()}


@pytest.mark.skipif(not BUILT.is_dir(), reason="make fast has not been run")
def test_interpreted_and_compiled_live_the_same(tmp_path: Path) -> None:
    sources, build = str(BUILT.parents[1] / "src"), str(BUILT)
    plain = _agents_run(tmp_path / "p", {ENGINE: INTERPRETED, "PYTHONPATH": sources})
    built = _agents_run(tmp_path / "b", {ENGINE: COMPILED, "PYTHONPATH": build})
    _same(plain, built)


def _lived_life(folder: Path, by_itself: bool) -> tuple[Any, list[bytes], list[Any]]:
    """Three fundings, a countdown and what follows from it; moved, or at a rate of 1,000."""
    with Life(folder, "--no-agents") as life:
        change = {"symbol": SYMBOL, "fundingTimes": TIMES}
        assert life.venue.anyone.post("/_venue/contracts/change", change).status == 200
        life.venue.advance(by="6m")  # nothing happens yet
        life.begin()
        settled: list[Any] = []
        if by_itself:
            post = life.venue.anyone.post
            assert post("/_venue/clock", {"mode": "rate", "rate": 1000}).status == 200
            own = life.sockets["/contract/v3/ws/private"]  # told of the third funding
            own.until(lambda frame: int(frame.get("E", 0)) >= BEGIN_MS + 3 * INTERVAL_MS)
            assert post("/_venue/clock", {"mode": "manual"}).status == 200
        else:
            settled += life.venue.advance(to=str(BEGIN_MS + 3 * INTERVAL_MS + 60_000))["settled"]
        settled += life.venue.advance(to=str(BEGIN_MS + 3 * INTERVAL_MS + 300_000))["settled"]
        told = life.told()
        commands = [
            command
            for command in life.journal()
            if not (isinstance(command, ChangeSetting) and command.name == SETTING)
        ]
        return told, packed(commands), settled


def test_an_advance_is_the_same_time_lived_through(tmp_path: Path) -> None:
    *moved, settled = _lived_life(tmp_path / "moved", by_itself=False)
    *lived, _ = _lived_life(tmp_path / "lived", by_itself=True)
    _same(moved, lived)
    kinds = [(row["kind"], (row["at"] - BEGIN_MS) / INTERVAL_MS) for row in settled if row["count"]]
    assert [kind for kind, _ in kinds if kind != "funding"] == ["countdown", "trigger"]
    assert [at for kind, at in kinds if kind == "funding"] == [1, 2, 3]


MINUTE_MS: Final = 60_000
EACH_MINUTE: Final = [f"{n // 60:02}:{n % 60:02}" for n in range(1440)]


def _market_life(folder: Path, by_itself: bool) -> tuple[Any, list[bytes], list[Any]]:
    """Three fundings among the agents; moved, or at a rate of 1,000."""
    with Life(folder) as life:
        post = life.venue.anyone.post
        change = {"symbol": SYMBOL, "fundingTimes": EACH_MINUTE}
        assert post("/_venue/contracts/change", change).status == 200
        life.venue.advance(by="5s")
        life.begin_among_agents()
        third, end = BEGIN_MS + 3 * MINUTE_MS, BEGIN_MS + 4 * MINUTE_MS - 5_000
        settled: list[Any] = []
        if by_itself:
            assert post("/_venue/clock", {"mode": "rate", "rate": 1000}).status == 200
            stand = {"mode": "manual", "at": str(end)}
            assert life.reading(lambda: _once(life, third, stand)).status == 200
        else:
            settled = life.reading(lambda: life.venue.advance(to=str(end)))["settled"]
        for client in (life.alice, life.bob):
            client.at_ms = end
        told = life.told()
        commands = [
            command
            for command in life.journal()
            if not (isinstance(command, ChangeSetting) and command.name == SETTING)
        ]
        return told, packed(commands), settled


def _once(life: Life, time_ms: int, setting: dict[str, Any]) -> Answer:
    """Change the mode when time has come to an instant."""
    while life.venue.clock()["time"] < time_ms:
        continue
    return life.venue.anyone.post("/_venue/clock", setting)


def test_an_advance_among_agents_is_the_same_time_lived_through(tmp_path: Path) -> None:
    *moved, settled = _market_life(tmp_path / "moved", by_itself=False)
    *lived, _ = _market_life(tmp_path / "lived", by_itself=True)
    _same(moved, lived)
    (_, _, frames), journal = moved
    assert len(journal) > 2_500
    assert all(len(texts) > 5 for texts in frames.values()), {k: len(v) for k, v in frames.items()}
    of_symbol = [row for row in settled if row["symbol"] in (SYMBOL, "") and row["count"]]
    kinds = [row["kind"] for row in of_symbol]
    assert kinds.count("funding") == 3
    assert kinds.count("countdown") == 1
    assert "trigger" in kinds


def _same(first: Any, second: Any) -> None:
    """Compare piece by piece: a difference is shown alone."""
    (answers, pages, frames), journal = first[:2]
    (other_answers, other_pages, other_frames), other_journal = second[:2]
    assert answers == other_answers
    for command, other in zip(journal, other_journal, strict=False):
        assert command == other
    assert len(journal) == len(other_journal)
    for page, other in zip(pages, other_pages, strict=True):
        assert page == other
    for name, texts in frames.items():
        for text, other_text in zip(texts, other_frames[name], strict=False):
            assert text == other_text, name
        assert len(texts) == len(other_frames[name])
