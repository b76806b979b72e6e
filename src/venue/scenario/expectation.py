"""Compares an answer with a step's expectation, and describes each difference."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from msgspec import Struct

from venue.scenario.paths import Missing, value_at

OK_BELOW: Final = 300
SPECIAL: Final = ("code", "http", "lost", "count", "any", "none")
COMPARED: Final = ("above", "below", "at_least", "at_most", "not")


class StepAnswer(Struct, frozen=True):
    """The answer to a request: its HTTP status and its JSON; status 0: the answer was lost, with
    the reason as text."""

    status: int
    body: Any


def shortfalls(expected: dict[str, Any], told: StepAnswer) -> list[str]:
    """Return the differences between an answer and the expectation; empty when there are none."""
    lost = expected.get("lost", False)
    if told.status == 0 or lost:
        if told.status == 0 and lost:
            return []
        return [f"the answer was lost: {told.body}" if told.status == 0 else "the answer came"]
    refusal = _refusal(expected, told)
    if refusal:
        return [refusal]
    found = []
    for name, wanted in expected.items():
        if name == "count":
            found += _counted(wanted, told.body)
        elif name == "any":
            found += _any(wanted, told.body)
        elif name == "none":
            found += [] if _any(wanted, told.body) else [f"none: {_in_words(wanted)} is among them"]
        elif name not in SPECIAL:
            found += _field(name.removeprefix("."), wanted, told.body)
    return found


def _refusal(expected: dict[str, Any], told: StepAnswer) -> str:
    """Return the difference in the status or the code of an answer; "" when there is none."""
    body = told.body if isinstance(told.body, dict) else {}
    words = body.get("msg") or body.get("message") or ""
    if "http" in expected and expected["http"] != told.status:
        return f"http: expected {expected['http']}, got {told.status} {words}".rstrip()
    if "code" in expected and expected["code"] != body.get("code"):
        return f"code: expected {expected['code']}, got {told.status} {body.get('code')} {words}"
    if told.status >= OK_BELOW and "code" not in expected and "http" not in expected:
        return f"refused: {told.status} {body.get('code', '')} {words}".rstrip()
    return ""


def _counted(wanted: Any, body: Any) -> list[str]:
    if not isinstance(body, list):
        return ["count: the answer is no list"]
    return _compared("count", wanted, len(body))


def _any(wanted: dict[str, Any], body: Any) -> list[str]:
    if not isinstance(body, list):
        return ["any: the answer is no list"]
    for one in body:
        if not [words for name, value in wanted.items() for words in _field(name, value, one)]:
            return []
    return [f"any: none of {len(body)} is {_in_words(wanted)}"]


def _field(path: str, wanted: Any, body: Any) -> list[str]:
    try:
        return _compared(path, wanted, value_at(body, path))
    except Missing as problem:
        return [str(problem)]


def _compared(path: str, wanted: Any, value: Any) -> list[str]:
    if not isinstance(wanted, dict):
        return [] if _same(wanted, value) else [f"{path}: expected {wanted}, got {value}"]
    found = []
    for how, bound in wanted.items():
        number, limit = _number(value), _number(bound)
        if how == "not":
            holds = not _same(bound, value)
        elif number is None or limit is None:
            holds = False
        else:
            holds = {
                "above": number > limit,
                "below": number < limit,
                "at_least": number >= limit,
                "at_most": number <= limit,
            }[how]
        if not holds:
            found.append(f"{path}: expected {how.replace('_', ' ')} {bound}, got {value}")
    return found


def _same(wanted: Any, value: Any) -> bool:
    """Return whether two values are equal, also as numbers: "0.10" is 0.1."""
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if wanted == value:
        return True
    number, other = _number(wanted), _number(value)
    return number is not None and number == other


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _in_words(wanted: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in wanted.items())
