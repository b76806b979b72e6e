"""The judge of contracts agrees with the engine through crashes, funding and empty funds."""

from __future__ import annotations

import pytest

from properties.agreement import compare_all
from properties.judge import Judge
from support.contract_walk import START, UNIT, Walk
from venue.core.engine import Engine

pytestmark = pytest.mark.core

COMMANDS = 1_500
COMPARE_EVERY = 97
RICH = 5_000 * START * UNIT


@pytest.mark.parametrize("fund", [RICH, 2 * START * UNIT, 0])
@pytest.mark.parametrize("seed", range(20, 24))
def test_random_walks_are_judged(seed: int, fund: int) -> None:
    walk = Walk(seed, fund)
    engine = Engine()
    judge = Judge(bound=fund == RICH)
    for command in walk.opening():
        command.time = walk.time
        judge.judge(engine, command, engine.apply(command))
    for number in range(COMMANDS):
        command = walk.step(engine)
        judge.judge(engine, command, engine.apply(command))
        if number % COMPARE_EVERY == 0:
            compare_all(engine, judge.owners)
    assert any(owner.lost for owner in judge.owners.values())
