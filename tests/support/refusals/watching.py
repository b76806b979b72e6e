"""The effect of a case on a venue: its answer, and its commands; the state must stay."""

from __future__ import annotations

from support.client import Answer
from support.refusals.cases import Case
from support.refusals.stage import Stage

TRIES_MAX = 20  # time passes once a second; a try takes some milliseconds


def watched(stage: Stage, case: Case) -> tuple[Answer, int]:
    """The answer to a case, which must leave the state alone, and the number of its commands.

    Time passes by a command of its own, which moves prices: a case that it fell into is sent once
    more.
    """
    expected = 1 if case.engine else 0
    for _ in range(TRIES_MAX):
        state, sequence = stage.health()
        answer = stage.send(case)
        now, count = stage.health()
        if count - sequence == expected:
            assert now == state
            break
    return answer, count - sequence


def error_of(answer: Answer) -> tuple[int, str]:
    """Code and message of a refusal, which has nothing else in its body."""
    assert answer.headers["content-type"] == "application/json"
    body = answer.json
    assert list(body) == ["code", "msg"], body
    assert type(body["code"]) is int
    return body["code"], body["msg"]


def told(case: Case, message: str) -> None:
    """A refusal says what its row says, in text that is fit to be printed."""
    for word in case.words:
        assert word in message
    assert len(message) < 1_200
    assert message.isprintable()
    assert message.isascii()
