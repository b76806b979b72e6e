"""The rules' number belongs to the core's sources: the author of a change decides if it rises."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.rules import SOURCES, digest, meaning, noted

from venue.core.rules import RULES

CODE = "def f(a: int) -> int:\n    return a + 1\n"


def test_a_change_of_the_core_has_been_judged() -> None:
    rules, known = noted()
    today = digest(SOURCES)
    assert (rules, known) == (RULES, today), (
        "The sources of the core are not those that were noted. Decide: would any command give"
        " other events, or leave another state, than before? Then raise RULES in"
        " src/venue/core/rules.py, once between two published versions. In either case run"
        " `make rules`, which notes the sources."
    )


@pytest.mark.parametrize(
    "same",
    [
        "def f(a: int) -> int:\n    # why\n    return a + 1\n",
        'def f(a: int) -> int:\n    """What."""\n    return a + 1\n',
        '"""A module."""\n\n\ndef f(\n    a: int,\n) -> int:\n    return (a + 1)\n',
    ],
)
def test_comments_docstrings_and_layout_do_not_count(same: str) -> None:
    assert meaning(same) == meaning(CODE)


@pytest.mark.parametrize(
    "other",
    [
        "def f(a: int) -> int:\n    return a + 2\n",
        "def f(a: int) -> int:\n    return a - 1\n",
        "def f(a: int) -> int:\n    a = 1\n    return a + 1\n",
    ],
)
def test_code_counts(other: str) -> None:
    assert meaning(other) != meaning(CODE)


def test_every_python_reads_the_same() -> None:
    assert meaning("def f(a):\n    return None\n") == (
        "Module(body=[FunctionDef(name='f', args=arguments(args=[arg(arg='a')]),"
        " body=[Return(value=Constant())])])"
    )


def test_every_file_of_the_core_counts(tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.mkdir()
    (tmp_path / "vocabulary.py").write_text("A = 1\n")
    (core / "rules.py").write_text("RULES = 1\n")
    (core / "one.py").write_text(CODE)
    found = [digest(tmp_path)]
    (core / "rules.py").write_text("RULES = 2\n")
    assert digest(tmp_path) == found[0], "the number itself is compared by its own"
    (core / "two.py").write_text(CODE)
    found.append(digest(tmp_path))
    (core / "two.py").rename(core / "three.py")
    found.append(digest(tmp_path))
    (tmp_path / "vocabulary.py").write_text("A = 2\n")
    found.append(digest(tmp_path))
    assert len(set(found)) == 4
