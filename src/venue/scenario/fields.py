"""Checks the parameters and expectations of a step before the scenario runs."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from venue.api.operation import Row, parameters
from venue.scenario.expectation import COMPARED, SPECIAL
from venue.scenario.refused import ScenarioRefused

TYPES = (str, int, bool)


def check_values(row: Row, values: dict[str, Any]) -> None:
    """Raise Refused for a parameter that the operation does not know, for a missing one, and for a
    value that no request can carry."""
    fields = {field.encode_name: field for field in parameters(row)}
    for name, value in values.items():
        if name not in fields:
            near = get_close_matches(name, list(fields), 1)
            told = f"; did you mean {near[0]}?" if near else f"; it has {_listed(fields)}"
            raise ScenarioRefused(f"with: {row.name} has no parameter {name}{told}")
        _check_plain(f"with: {name}", value)
    for name, field in fields.items():
        if field.required and name not in values:
            raise ScenarioRefused(f"with: {name} is missing; {row.name} needs it")


def check_expected(expected: dict[str, Any]) -> None:
    """Raise Refused for an expectation that no answer can be compared with."""
    for name, value in expected.items():
        where = f"expect: {name}"
        if name in ("code", "http"):
            if type(value) is not int:
                raise ScenarioRefused(f"{where} must be a whole number")
        elif name == "lost":
            if value is not True or len(expected) > 1:
                raise ScenarioRefused(f"{where} must be true, and stand alone")
        elif name in ("any", "none"):
            if not isinstance(value, dict) or not value:
                raise ScenarioRefused(f"{where} must be a table of fields of one entry")
            for inner, wanted in value.items():
                _check_wanted(f"{where}.{inner}", wanted)
        else:
            _check_wanted(where, value)


def _check_wanted(where: str, value: Any) -> None:
    if isinstance(value, dict):
        for how, bound in value.items():
            if how not in COMPARED:
                raise ScenarioRefused(
                    f"{where}.{how} is not known; there are {', '.join(COMPARED)}"
                )
            if type(bound) not in TYPES:
                raise ScenarioRefused(f"{where}.{how} must be a text or a whole number")
    elif type(value) not in TYPES:
        raise ScenarioRefused(
            f"{where} must be a text, a whole number, true or false, or a comparison such as"
            f' {{ above = "1" }}; a field named {" or ".join(SPECIAL[:2])} is written with a dot'
            " before it"
        )


def _check_plain(where: str, value: Any) -> None:
    """Raise Refused for a number with a fraction. Money is text, as a float would change it."""
    if isinstance(value, list):
        for one in value:
            _check_plain(where, one)
    elif isinstance(value, dict):
        for name, one in value.items():
            _check_plain(f"{where}.{name}", one)
    elif type(value) not in TYPES:
        raise ScenarioRefused(
            f'{where} must be a text, a whole number, true or false; write "0.01"'
        )


def _listed(fields: dict[str, Any]) -> str:
    return ", ".join(fields) or "none"
