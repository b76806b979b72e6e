"""The venue's large objects: who reaches through them, and what a revert does with their parts."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from support.sources import none, trees

ENGINE = Path("src/venue/core/engine.py")
REACHES = 40  # places outside the core that reach through a part of the engine
# The parts that a revert does not take from the kept state, with the reason.
STAYS = {
    "_handlers": "made anew of the parts",
    "codec": "has no state",
    "savepoints": "the kept states outlive a revert; `epoch` counts it",
    "sequence": "numbers the journal",
    "time": "the kept state's, by itself",
}


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
