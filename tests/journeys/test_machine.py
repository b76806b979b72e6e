"""The state machine for Hypothesis: the example's bots, and a leak of the venue's that it sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from journeys.test_pytest_plugin import run
from venue.testing import Machine

ROOT = Path(__file__).resolve().parents[2]
FEW = settings(
    max_examples=10,
    stateful_step_count=8,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.generate, Phase.shrink),
)


def leak(self: Machine) -> None:
    """One atom too much."""
    ledger = self.venue._node.engine.ledger
    ledger.accounts[ledger.names["alice"]].spot[0].free += 1


def test_the_example(tmp_path: Path) -> None:
    done = run(tmp_path, str(ROOT / "examples" / "test_my_market.py"))
    assert "2 passed" in done.stdout, done.stdout


def test_money_from_nowhere_is_seen() -> None:
    leaking = type("Leaking", (Machine,), {"leak": rule()(leak)})
    with pytest.raises(AssertionError, match="the sum over all accounts is 1, not zero") as found:
        run_state_machine_as_test(leaking, settings=FEW)
    told = "\n".join(found.value.__notes__)
    assert told.count("state.leak()") == 1
    assert "state.place" not in told


def test_every_owner_trades() -> None:
    seen: set[str] = set()

    def look(self: Machine) -> None:
        seen.update(name for name, _ in self.placed)

    crowd = type("Crowd", (Machine,), {"owners": ("alice", "bob", "dave"), "teardown": look})
    run_state_machine_as_test(crowd, settings=settings(FEW, phases=(Phase.generate,)))
    assert seen == {"alice", "bob", "dave"}
