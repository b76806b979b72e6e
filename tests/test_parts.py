"""The venue's large objects: who reaches through them, and what a revert does with their parts."""

from __future__ import annotations

import ast
import asyncio
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from support.sources import ROOT, modules, none, text, trees
from venue.api.profile import Profile
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options

ENGINE = Path("src/venue/core/engine.py")
NODE, DOOR = Path("src/venue/node/node.py"), Path("src/venue/gateway/door.py")
PARTS = 16  # that the venue, and its door, have at most
REACHES = 40  # places outside the core that reach through a part of the engine
# The parts that a revert does not take from the kept state, with the reason.
STAYS = {
    "_handlers": "made anew of the parts",
    "codec": "has no state",
    "savepoints": "the kept states outlive a revert; `epoch` counts it",
    "sequence": "numbers the journal",
    "time": "the kept state's, by itself",
}


# Each part of the venue and how it goes back with the state: its name in the registry, or the
# reason why it is not there.
BATCHES = "(follows the batches)"
CONSTANT = "(is set at the start)"
ON_REVERT = {
    "Node": {
        "agents": CONSTANT,
        "clock": "timekeeper",
        "data": CONSTANT,
        "engine": "(goes back itself)",
        "history": BATCHES,
        "history_told": CONSTANT,
        "journal": "(goes on: a revert is a command)",
        "market_data": BATCHES,
        "outbox": "(has the registry)",
        "practice": CONSTANT,
        "profile": CONSTANT,
        "recorder": BATCHES,
        "saving": "(is a lock)",
        "sequencer": "(goes on: a revert is a command)",
        "spot_changes": "spot_changes",
        "timekeeper": "timekeeper",
    },
    "Door": {
        "answers": "door",
        "epoch_line": "door",
        "explainer": "(reads the journal)",
        "faults": "faults",
        "handed_out": "(names a command of the journal)",
        "health": "(is of the process)",
        "keys": "door",
        "node": "(is above)",
        "past_wire": CONSTANT,
        "premiums": "premiums",
        "replays": "replays",
        "stop": CONSTANT,
        "stream_defects": "(is of the process)",
        "weight_limit": CONSTANT,
        "wire": "(keeps what was asked)",
        "worlds": "(are venues of their own)",
    },
}
REGISTERS = ("reverts.restore", "reverts.tell")
BESIDE = {"agents", "sockets"}  # registered by what stands beside node and door


def body(path: Path, name: str) -> list[ast.stmt]:
    """The statements of a class or function of a file."""
    for node in ast.walk(trees()[path]):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node.body
    raise AssertionError(f"{path} has no {name}")


def slots(path: Path, name: str) -> list[str]:
    """The attributes that a class names in its `__slots__`."""
    (names,) = [
        ast.literal_eval(statement.value)
        for statement in body(path, name)
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__"
    ]
    return list(names)


def taken(statements: list[ast.stmt]) -> list[str]:
    """The attributes of `self` that become those of the same name of `other`."""
    names: list[str] = []
    for statement in statements:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            ours = re.findall(r"\bself\.(\w+)", ast.unparse(target))
            if ours == re.findall(r"\bother\.(\w+)", ast.unparse(statement.value)):
                names += ours
    return names


def test_a_revert_takes_or_leaves_each_part_of_the_engine() -> None:
    assert sorted([*taken(body(ENGINE, "_revert")), *STAYS]) == sorted(slots(ENGINE, "Engine"))


def test_the_venue_and_its_door_are_small_and_a_revert_knows_each_part() -> None:
    for path, name in ((NODE, "Node"), (DOOR, "Door")):
        parts = slots(path, name)
        assert sorted(parts) == sorted(ON_REVERT[name])
        assert len(parts) <= PARTS


def test_the_registry_of_reverts_has_what_the_table_names() -> None:
    options = Options(profile=Profile.LIVE, agents=False, history=False)

    async def names() -> set[str]:
        async with open_venue(options, SystemClock(), lambda problem: None) as door:
            return door.node.reverts.names()

    table = [name for parts in ON_REVERT.values() for name in parts.values() if name[0] != "("]
    assert asyncio.run(names()) == set(table)


def test_what_stands_beside_the_door_is_registered_too() -> None:
    found: list[str] = []
    for path, tree in trees().items():
        for node in ast.walk(tree) if path.parts[0] == "src" else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(REGISTERS):
                found += [ast.unparse(node.args[0])]
    table = {name for parts in ON_REVERT.values() for name in parts.values() if name[0] != "("}
    assert {name.strip("'") for name in found} == table | BESIDE, found


def test_questions_are_put_to_the_engine_and_not_to_its_parts() -> None:
    parts = frozenset(taken(body(ENGINE, "_revert"))) | {"savepoints"}
    found = [
        f"{path}:{line}: {reach}"
        for path, tree in trees().items()
        if path.parts[0] == "src" and path.parts[2] != "core"
        for line, reach in reaches(tree, parts)
    ]
    assert len(found) > 10, "none is seen"
    none(found if len(found) > REACHES else [])


def test_a_reach_is_seen() -> None:
    planted = "a.engine.ledger.assets[0]\nself._engine.spot.accounts.get(1)\nengine.assets[0]"
    found = list(reaches(ast.parse(planted), frozenset({"ledger", "spot"})))
    assert found == [(1, "a.engine.ledger.assets"), (2, "self._engine.spot.accounts.get")]


def reaches(tree: ast.Module, parts: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The chains of attributes that go through a part of an engine to what the part holds."""
    within: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node in within:
            continue
        names = [node.attr]
        value: ast.expr = node.value
        while isinstance(value, ast.Attribute):
            within.add(value)
            names.append(value.attr)
            value = value.value
        names.append(value.id if isinstance(value, ast.Name) else "")
        names.reverse()
        for owner, part in itertools.pairwise(names[:-1]):
            if owner in ("engine", "_engine") and part in parts:
                yield node.lineno, ".".join(names)
                break


def test_no_compiled_module_defines_a_record() -> None:
    """A msgspec record is a type that is made when the program runs: it cannot be compiled."""
    settings = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["venue"]["compiled"]
    names = {f"venue.{name}" for group in settings.values() for name in group}
    assert len(names) > 100
    none(
        [
            f"{modules()[name]}:{node.lineno}: {node.name}"
            for name in names
            for node in ast.walk(trees()[modules()[name]])
            if isinstance(node, ast.ClassDef) and "Struct" in map(ast.unparse, node.bases)
        ]
    )
