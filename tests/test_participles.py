"""A function or a class is named by a verb with its object, or by a noun.

A bare participle (`told`, `kept`, `opened`) does not say what is told, or whether something is
opened or was."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from support.sources import modules, none, trees

# Irregular ones; forms that are also the verb itself (read, put, set, run, reset) name an act.
IRREGULAR = re.compile(
    "asleep|begun|bound|broken|built|caught|chosen|come|done|drawn|driven|fallen|forgotten"
    "|found|frozen|given|gone|grown|held|hidden|kept|known|laid|led|left|lent|lost|made"
    "|meant|met|misread|paid|proven|said|seen|sent|shown|shut|sold|spent|stood|stuck|sworn"
    "|taken|thought|thrown|told|understood|unsent|withdrawn|won|worn|written"
)
NO_PARTICIPLES = frozenset(("embed", "exceed", "feed", "need", "proceed", "seed", "speed"))
# They may stay: the word is Python's, or a market's.
WORDS = {
    "done": "of a future (asyncio)",
    "shut": "a contract that nobody can close: a state, as an adjective",
}
# Users see these classes, or the interface's documents name them.
PUBLIC = ("venue/api/", "venue/client/errors.py", "venue/library/")
# The names that are left, by room; a number may only shrink.
LEFT = {
    "bundle": 13,
    "candles": 2,
    "cli": 28,
    "client": 2,
    "compiled": 3,
    "crashtest": 8,
    "explanation": 11,
    "files": 2,
    "gateway": 4,
    "gym": 11,
    "helpers": 2,
    "lab": 4,
    "library": 1,
    "practice": 1,
    "pruning": 3,
    "recompute": 1,
    "redirect": 10,
    "scenario": 9,
    "testing": 4,
}


def test_no_name_is_a_bare_participle() -> None:
    found = [
        (path.parts[2].removesuffix(".py"), name)
        for path, tree in ((path, trees()[path]) for path in modules().values())
        for name in participles(tree, path.as_posix())
    ]
    rooms = Counter(room for room, _ in found)
    none(
        [
            f"{room}: {count}, at most {LEFT.get(room, 0)}: {[n for r, n in found if r == room]}"
            for room, count in rooms.items()
            if count > LEFT.get(room, 0)
        ]
    )
    none([f"{room} has only {rooms[room]}" for room, most in LEFT.items() if rooms[room] < most])


def participles(tree: ast.AST, path: str = "") -> Iterator[str]:
    """The functions, methods and classes named by one participle. An exception says what happened,
    an event (a message of the core) what is a fact: they may."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(one) for one in node.bases]
            excused = "Exception" in bases or "core/messages" in path
            if not excused and not any(place in path for place in PUBLIC) and one_word(node.name):
                yield node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and one_word(node.name):
            yield node.name


def one_word(name: str) -> bool:
    """Is it one participle, and none of those that may stay?"""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).strip("_").lower()
    if plain in WORDS or plain in NO_PARTICIPLES:
        return False
    return bool(IRREGULAR.fullmatch(plain)) or re.fullmatch(r"[a-z]+ed", plain) is not None


def test_a_participle_is_seen() -> None:
    planted = """
class Told: ...
class Gone(Exception): ...
class ToldTwice: ...
def _kept(): ...
def keep(): ...
def kept_rows(): ...
async def opened():
    def noted(): ...
def feed(): ...
"""
    assert sorted(participles(ast.parse(planted))) == ["Told", "_kept", "noted", "opened"]
