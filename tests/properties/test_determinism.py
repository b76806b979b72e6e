"""Same seed, same commands, fixed clock: one state, however and wherever it was reached."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.story import Story, told
from venue import compiled
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.state import snapshot
from venue.core.state.audit import problems
from venue.journal.journal import Snapshot
from venue.journal.opening import open_journal
from venue.journal.recovery import recover
from venue.node.market_data.views import MarketData

pytestmark = pytest.mark.core

ROOT = Path(__file__).resolve().parents[2]
STEPS = 150


def hash_elsewhere(seed: int, hash_seed: str, sources: Path) -> str:
    """The story's end in a process of its own."""
    path = os.pathsep.join([str(sources), str(ROOT / "tests")])
    run = subprocess.run(
        [sys.executable, "-m", "support.story", str(seed), str(STEPS)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return run.stdout.strip()


def test_agents_and_owners_reach_the_same_state_in_any_process() -> None:
    here = told(7, STEPS)
    this_build = Path(compiled.__file__).parents[1]
    assert hash_elsewhere(7, "1", this_build) == here
    assert hash_elsewhere(7, "2", this_build) == here
    assert hash_elsewhere(8, "1", this_build) != here


def test_the_interpreted_core_agrees_with_whichever_core_runs_here() -> None:
    assert hash_elsewhere(9, "3", ROOT / "src") == told(9, STEPS)


class Views:
    """A recovery's follower: market data only."""

    def __init__(self) -> None:
        self.market_data = MarketData()

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        if engine.sequence:
            self.market_data.restore(parts["market_data"])

    def note(self, applied: Applied) -> None:
        """Do nothing: a follower of batches is not needed here."""

    def follow(self, batch: list[Applied]) -> None:
        self.market_data.follow(batch)


def test_live_replay_and_recovery_from_a_snapshot_agree(tmp_path: Path) -> None:
    story = Story(5)
    journal = open_journal(str(tmp_path / "venue.db"))
    journal.append(story.commands)
    for number, commands in enumerate(story.steps(STEPS)):
        journal.append(commands)
        if number == STEPS // 2:
            views = Views()
            engine = recover(journal, 0, views)
            parts = {"engine": snapshot.dump(engine), "market_data": views.market_data.dump()}
            digest = snapshot.state_hash(engine)
            journal.save_snapshot(Snapshot(engine.sequence, "0.1.0", digest, parts))
    from_zero, from_snapshot = Views(), Views()
    replayed = recover(journal, 0, from_zero)
    recovered = recover(journal, 10**18, from_snapshot)
    journal.close()

    assert problems(story.engine) == []
    assert snapshot.dump(replayed) == snapshot.dump(story.engine)
    assert snapshot.dump(recovered) == snapshot.dump(story.engine)
    assert from_snapshot.market_data.dump() == from_zero.market_data.dump()
