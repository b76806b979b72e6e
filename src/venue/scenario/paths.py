"""Finds values in answers by path, and fills `${step.path}` in the values that a step sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

REFERENCE: Final = re.compile(r"\$\{([^{}]*)\}")
NAMED: Final = re.compile(r"([A-Za-z0-9_-]+)[.]([^.{}]+(?:[.][^.{}]+)*)")
REFERENCE_RULE: Final = "a reference is ${step.field}, as ${open.orderId} or ${book.asks.0.0}"


class Missing(Exception):
    """A path does not exist in an answer; has the path and the keys that exist."""


def value_at(answer: Any, path: str) -> Any:
    """Return the value at a dotted path of field names, and of list indexes from 0.

    Missing: the path does not exist.
    """
    value = answer
    for name in path.split("."):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            raise Missing(f"{path}: there is no {name} in {_kind_of(value)}")
    return value


def references(value: Any) -> Iterator[str]:
    """Yield the contents of all `${...}` in a step's values."""
    if isinstance(value, str):
        yield from REFERENCE.findall(value)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from references(one)


def filled(value: Any, answers: dict[str, Any]) -> Any:
    """Return a step's values with references replaced by values from earlier answers.

    A text that is one reference becomes its value, which may be a number or a list. Missing.
    """
    if isinstance(value, str):
        whole = REFERENCE.fullmatch(value)
        if whole:
            return _resolve(whole[1], answers)
        return REFERENCE.sub(lambda one: str(_resolve(one[1], answers)), value)
    if isinstance(value, list):
        return [filled(one, answers) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, answers) for name, one in value.items()}
    return value


def _resolve(reference: str, answers: dict[str, Any]) -> Any:
    step, _, path = reference.partition(".")
    if step not in answers:
        raise Missing(f"${{{reference}}}: step {step} has had no answer yet")
    try:
        return value_at(answers[step], path)
    except Missing as problem:
        raise Missing(f"${{{reference}}}: {problem}") from None


def _kind_of(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {', '.join(list(value)[:12]) or 'nothing'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return repr(value)
