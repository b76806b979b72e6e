"""Reads a scenario's file: TOML to checked steps, or one clear refusal that says where and why."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from venue.api.documents.table import ROWS
from venue.api.operation import Row
from venue.lab import demo
from venue.scenario.fields import check_expected, check_values
from venue.scenario.paths import NAMED, REFERENCE_RULE, references
from venue.scenario.refused import ScenarioRefused
from venue.times import instant_us, moment_us, span_us
from venue.vocabulary import Access

BYTES_MAX: Final = 1_000_000
STEPS_MAX: Final = 1_000
REPEATS_MAX: Final = 10_000  # times that a step may come again
NAME: Final = re.compile("[A-Za-z0-9_-]{1,40}")
WALLETS: Final = ("spot", "contract", "funding")
BEGINNING: Final = "2026-01-01T00:00:00Z"
KEYS: Final = ("title", "seed", "clock", "agents", "accounts", "step")
STEP_KEYS: Final = ("id", "as", "at", "every", "until", "send", "trigger", "with", "expect")
TRIGGERS: Final = {  # their parameters, each with whether it is needed
    "funding": {"symbol": False},
    "index-jump": {"symbol": True, "percent": False, "price": False},
}


class Step(Struct, frozen=True, kw_only=True):
    """One step. `at` is µs since the start, None: at once; `every` and `until` repeat it. It sends
    a request to `row`, or does `trigger`."""

    number: int
    id: str
    owner: str
    at: int | None
    every: int
    until: int
    row: Row | None
    trigger: str
    values: dict[str, Any]
    expected: dict[str, Any]

    @property
    def name(self) -> str:
        return f"step {self.number}" + (f" ({self.id})" if self.id else "")


class Scenario(Struct, frozen=True):
    """A checked file. `clock` is the venue time at its start (µs); `accounts` are owners with the
    money that each gets, (wallet, asset, amount)."""

    title: str
    seed: int
    clock: int
    agents: bool
    accounts: dict[str, list[tuple[str, str, str]]]
    steps: list[Step]


def load(path: str) -> Scenario:
    """Return the scenario in a file. Refused: the text says what is wrong with it, and where."""
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise ScenarioRefused(f"{path}: {problem.strerror}") from None
    try:
        return parsed(data)
    except ScenarioRefused as problem:
        raise ScenarioRefused(f"{path}: {problem}") from None


def parsed(data: bytes) -> Scenario:
    """Return the scenario in a file's bytes. Refused."""
    if len(data) > BYTES_MAX:
        raise ScenarioRefused(f"the file has {len(data)} bytes: must be at most {BYTES_MAX}")
    try:
        told = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as problem:
        raise ScenarioRefused(f"it is no TOML: {problem}") from None
    _known("", told, KEYS)
    title = _of(str, told, "title", "")
    if not title.strip():
        raise ScenarioRefused("title: must be there, as a text that describes the scenario")
    seed = _of(int, told, "seed", 1)
    if not 0 <= seed <= demo.SEED_MAX:
        raise ScenarioRefused(f"seed: must be from 0 to {demo.SEED_MAX}")
    clock = _moment("clock", _of(str, told, "clock", BEGINNING))
    accounts = {name: _money(name, money) for name, money in _tables(told, "accounts").items()}
    tables = told.get("step")
    if not isinstance(tables, list) or not 1 <= len(tables) <= STEPS_MAX:
        raise ScenarioRefused(f"step: there must be 1 to {STEPS_MAX} of [[step]]")
    steps = _steps(tables, clock)
    owners = [*accounts, *(account.name for account in demo.ACCOUNTS)]
    for step in steps:
        if step.owner and step.owner not in owners:
            told_owners = ", ".join(owners)
            raise ScenarioRefused(
                f"{step.name}, as: there is no {step.owner}; there are {told_owners}"
            )
    return Scenario(title, seed, clock, _of(bool, told, "agents", True), accounts, steps)


def _steps(tables: list[Any], clock: int) -> list[Step]:
    """Return the steps in their order; times never decrease, and references only point to earlier
    steps."""
    steps: list[Step] = []
    latest = 0
    names = [table.get("id") for table in tables if isinstance(table, dict)]
    for number, table in enumerate(tables, 1):
        where = f"step {number}"
        if not isinstance(table, dict):
            raise ScenarioRefused(f"{where}: must be a table")
        if isinstance(table.get("id"), str):
            where = f"step {number} ({table['id']})"
        try:
            step = _step(number, table, clock)
            _check_references(table, steps, names)
            if any(step.id and step.id == other.id for other in steps):
                raise ScenarioRefused(f"id: {step.id} is another step's already")
            if step.at is not None and step.at < latest:
                raise ScenarioRefused(
                    "at: must not be before an earlier step's: time never goes back"
                )
        except ScenarioRefused as problem:
            raise ScenarioRefused(f"{where}, {problem}") from None
        latest = step.at if step.at is not None else latest
        steps.append(step)
    return steps


def _step(number: int, table: dict[str, Any], clock: int) -> Step:
    _known("", table, STEP_KEYS)
    name = _of(str, table, "id", "")
    if "id" in table and not NAME.fullmatch(name):
        raise ScenarioRefused("id: must be 1 to 40 letters, digits, - or _")
    if ("send" in table) == ("trigger" in table):
        raise ScenarioRefused("send: a step has either send, an operation of the table, or trigger")
    values = _tables(table, "with")
    owner = _of(str, table, "as", "")
    at = _since(_of(str, table, "at", ""), clock) if "at" in table else None
    every, until = _repeats(table, at or 0)
    row = None
    trigger = ""
    if "send" in table:
        row = looked_up(_of(str, table, "send", ""))
        check_values(row, values)
        _check_owner(row, owner)
    else:
        trigger = _of(str, table, "trigger", "")
        if trigger not in TRIGGERS:
            raise ScenarioRefused(f"trigger: must be one of {', '.join(TRIGGERS)}")
        if owner:
            raise ScenarioRefused("as: a trigger has no owner; leave it out")
        _known("with: ", values, TRIGGERS[trigger])
        _check_trigger(trigger, values)
    expected = _tables(table, "expect")
    check_expected(expected)
    return Step(
        number=number, id=name, owner=owner, at=at, every=every, until=until, row=row,
        trigger=trigger, values=values, expected=expected,
    )  # fmt: skip


def looked_up(text: str) -> Row:
    """Return the row with a name such as `place_order` or `POST /api/v3/order`. Refused: there is
    none."""
    method, _, path = text.partition(" ")
    for row in ROWS:
        if row.name == text or (row.method == method and row.path.rstrip("/") == path.rstrip("/")):
            return row
    known = [f"{row.method} {row.path}" if path else row.name for row in ROWS]
    near = get_close_matches(text, known, 1)
    told = f"; did you mean {near[0]}?" if near else "; `venue ops` lists them"
    raise ScenarioRefused(f"send: there is no operation {text}{told}")


def _check_owner(row: Row, owner: str) -> None:
    mine = row.access not in (Access.PUBLIC, Access.OPERATOR)
    if mine and not owner:
        raise ScenarioRefused(f"as: {row.name} is for one owner: name the owner")
    if owner and not mine:
        raise ScenarioRefused(f"as: {row.name} has no owner; leave it out")


def _check_trigger(trigger: str, values: dict[str, Any]) -> None:
    for name, needed in TRIGGERS[trigger].items():
        if needed and name not in values:
            raise ScenarioRefused(f"with: {name} is missing")
    for name, value in values.items():
        if not isinstance(value, str):
            raise ScenarioRefused(f'with: {name} must be a text, as percent = "-8"')
    if trigger == "index-jump" and ("percent" in values) == ("price" in values):
        raise ScenarioRefused("with: an index-jump has either percent or price")


def _check_references(table: dict[str, Any], earlier: list[Step], names: list[Any]) -> None:
    """Check that each `${step.field}` names an earlier step, whose answer is known by then."""
    known = [step.id for step in earlier if step.id]
    for part in ("with", "expect"):
        for inside in references(table.get(part, {})):
            found = NAMED.fullmatch(inside)
            if not found:
                raise ScenarioRefused(f"{part}: ${{{inside}}}: {REFERENCE_RULE}")
            if found[1] in known:
                continue
            if found[1] == table.get("id"):
                raise ScenarioRefused(f"{part}: ${{{inside}}} is this step itself: a cycle")
            if found[1] in names:
                raise ScenarioRefused(
                    f"{part}: ${{{inside}}} is a step that comes later; only earlier ones have"
                    " been answered"
                )
            told = f"; there are {', '.join(known)}" if known else ""
            raise ScenarioRefused(
                f"{part}: ${{{inside}}}: there is no step {found[1]} before{told}"
            )


def _repeats(table: dict[str, Any], at: int) -> tuple[int, int]:
    """Return how often a step is repeated, and until when (µs)."""
    if ("every" in table) != ("until" in table):
        raise ScenarioRefused("every: belongs together with until")
    if "every" not in table:
        return 0, 0
    every = _span("every", _of(str, table, "every", ""))
    until = _span("until", _of(str, table, "until", "").removeprefix("+"))
    if every == 0 or until <= at:
        raise ScenarioRefused("until: must be after at, and every more than 0s")
    if (until - at) // every > REPEATS_MAX:
        raise ScenarioRefused(f"every: a step comes at most {REPEATS_MAX} times")
    return every, until


def _since(text: str, clock: int) -> int:
    """Return a time since the start (µs), from a span such as +10m or from an instant."""
    try:
        at = instant_us(text) - clock if "T" in text else span_us(text.removeprefix("+"))
    except ValueError:
        raise ScenarioRefused(
            "at: must be a span since the beginning such as +10m, or a time such as"
            " 2026-01-01T08:00:00Z"
        ) from None
    if at < 0:
        raise ScenarioRefused("at: must not be before the scenario's clock")
    return at


def _span(name: str, text: str) -> int:
    try:
        return span_us(text)
    except ValueError as problem:
        raise ScenarioRefused(f"{name}: {problem}") from None


def _moment(name: str, text: str) -> int:
    try:
        return moment_us(text)
    except ValueError as problem:
        raise ScenarioRefused(f"{name}: {problem}") from None


def _money(name: str, table: Any) -> list[tuple[str, str, str]]:
    """Return the money of an owner from [accounts.NAME] spot = { USDT = "1000" }."""
    where = f"accounts.{name}"
    if not NAME.fullmatch(name):
        raise ScenarioRefused(f"{where}: the name must be 1 to 40 letters, digits, - or _")
    if not isinstance(table, dict):
        raise ScenarioRefused(f"{where}: must be a table of wallets")
    _known(f"{where}: ", table, WALLETS)
    found = []
    for wallet, amounts in table.items():
        if not isinstance(amounts, dict):
            raise ScenarioRefused(
                f'{where}.{wallet}: must be a table of assets, as {{ USDT = "1000" }}'
            )
        for asset, amount in amounts.items():
            if not isinstance(amount, str):
                raise ScenarioRefused(f'{where}.{wallet}.{asset}: must be a text, as "1000.50"')
            found.append((wallet.upper(), asset, amount))
    return found


def _known(where: str, table: dict[str, Any], names: Iterable[str]) -> None:
    """Raise Refused for unknown keys; the text names their table, and a similar key."""
    for name in table:
        if name not in names:
            near = get_close_matches(name, list(names), 1)
            told = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(names)}"
            raise ScenarioRefused(f"{where}{name}: is not known{told}")


def _tables(table: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = _of(dict, table, name, {})
    return found


_WORDS: Final = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}


def _of(kind: type[Any], table: dict[str, Any], name: str, default: Any) -> Any:
    """Return the value, if it has the type `kind`. Refused: it has another type."""
    value = table.get(name, default)
    if type(value) is not kind:
        raise ScenarioRefused(f"{name}: must be {_WORDS[kind]}")
    return value
