"""The guards of the core: its assertions, and the places where each thing may change
(docs/style.md)."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "venue"
CORE = PACKAGE / "core"

# Assertions in the core that say what must hold: today's 80, less a few that a change may end. A
# change that ends more lowers this number, and says why.
INVARIANTS = 75
# Assertions that something is there which a type cannot tell, each with the reason; no other may.
THERE = {
    "book/book.py: level": "an order that has ended, or does not rest yet, has no level",
}
BOOK_INSIDES = ("keys", "levels", "sign", "head", "tail")  # of a book: nobody else's business


@functools.cache
def sources(folder: Path) -> dict[Path, ast.Module]:
    """The syntax trees of a folder, by path from it."""
    return {
        path.relative_to(folder): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.py"))
    }


def core() -> dict[Path, ast.Module]:
    """The syntax trees of the core, by path from its folder."""
    return sources(CORE)


def _no(faults: list[str]) -> None:
    assert not faults, "\n" + "\n".join(faults)


def test_the_core_asserts_what_must_hold_and_nothing_only_for_the_type_checker() -> None:
    found = [(f"{path.as_posix()}: {name}", line)
             for path, tree in core().items() for name, line in narrowing(tree)]  # fmt: skip
    _no([f"{place} is only there (line {line}): let its type say so"
         for place, line in found if place not in THERE])  # fmt: skip
    _no([f"{place} is not asserted any more" for place in THERE if place not in dict(found)])
    count = sum(isinstance(node, ast.Assert) for tree in core().values() for node in ast.walk(tree))
    assert count >= INVARIANTS, count


def narrowing(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Each thing of which an assertion says only that it is there, with its line. A text that must
    not be empty is none where a message says so, nor is a call that must not fail."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            for part in node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]:
                said = re.fullmatch(
                    r"([\w.]+) is not None|isinstance\(([\w.]+), .+\)|([\w.]+)", ast.unparse(part)
                )
                if said is not None and not (said[3] and node.msg):
                    yield said[1] or said[2] or said[3], node.lineno


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("assert terms is not None", ["terms"]),
        ('assert order.level is not None, "it rests"', ["order.level"]),
        ("assert lots > 0 and self.fund is not None", ["self.fund"]),
        ("assert position", ["position"]),
        ('assert isinstance(found, Lead), "who leads"', ["found"]),
        ("assert lots > 0", []),
        ('assert order.client_id, "it has no client id"', []),
        ("assert order.level is None", []),
        ("assert Side(side) is not None", []),
    ],
)
def test_an_assertion_for_the_type_checker_is_seen(planted: str, seen: list[str]) -> None:
    assert [name for name, _ in narrowing(ast.parse(planted))] == seen


def test_keys_and_signs_of_a_book_stay_in_it() -> None:
    core_alone = {path: tree for path, tree in core().items() if path.parts[0] != "book"}
    others = {path: tree for path, tree in sources(PACKAGE).items()
              if path.parts[0] != "core" and knows_books(tree)}  # fmt: skip
    assert len(core_alone) > 30
    assert Path("gym/market.py") in others
    outside = core_alone | others
    _no([f"{path}:{line}: {name} of a book"
         for path, tree in outside.items() for line, name in book_insides(tree)])  # fmt: skip


def knows_books(tree: ast.AST) -> bool:
    """Whether a module has to do with books of the core: others have `keys` that are none."""
    return any(
        node.module == "venue.core.book.book" and any(one.name == "Half" for one in node.names)
        if isinstance(node, ast.ImportFrom)
        else isinstance(node, ast.Attribute) and node.attr == "book"
        for node in ast.walk(tree)
    )  # fmt: skip


def book_insides(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a module reaches into a side of a book; `dict.keys()` is no such place."""
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in BOOK_INSIDES and node not in called:
            yield node.lineno, node.attr


def test_a_reach_into_a_book_is_seen() -> None:
    planted = "best = half.keys[-1]\nfor key in orders.keys(): pass\nlot = half.levels[best].head"
    assert sorted(book_insides(ast.parse(planted))) == [(1, "keys"), (3, "head"), (3, "levels")]
    assert knows_books(ast.parse("from venue.core.book.book import Half"))
    assert knows_books(ast.parse("best = market.book.bids.keys[-1]"))
    assert not knows_books(ast.parse("key = venue.keys[uid]"))


def test_held_changes_in_one_place() -> None:
    places = [f"{path.stem}:{name}" for path, tree in core().items()
              for name in changes_of(tree, "held")]  # fmt: skip
    assert [place for place in places if place.startswith("ledger:")] == ["ledger:reserve"]
    # A stake is a plan beside the state: a trial changes nothing that anybody holds.
    _no([place for place in places if place.partition(":")[0] not in ("ledger", *PLANS)])


def test_balances_change_in_the_ledger_alone() -> None:
    """A snapshot gives them back as they were; a stake is a plan."""
    own = ("ledger", "accounts", "snapshot", "contract_snapshot", *PLANS)
    places = [
        (path.stem, name)
        for path, tree in core().items()
        for balance in ("collateral", "locked")
        for name in changes_of(tree, balance)
    ]
    assert len(places) > 10
    _no([f"{room}:{name} changes a balance" for room, name in places if room not in own])


PLANS = ("planned_pool", "preview", "stakes")


def changes_of(tree: ast.AST, attribute: str) -> Iterator[str]:
    """The functions that change an attribute of something, by name; first values do not count."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name != "__init__":
            for node in ast.walk(function):
                targets = [node.target] if isinstance(node, ast.AugAssign) else (
                    node.targets if isinstance(node, ast.Assign) else [])  # fmt: skip
                for target in targets:
                    parts = target.elts if isinstance(target, ast.Tuple) else [target]
                    for part in parts:
                        if isinstance(part, ast.Attribute) and part.attr == attribute:
                            yield function.name


def test_a_change_of_what_is_held_is_seen() -> None:
    planted = "def f(pool):\n    pool.held += 1\ndef g(pool):\n    pool.gross, pool.held = 1, 2"
    assert list(changes_of(ast.parse(planted), "held")) == ["f", "g"]
