"""Commands print texts of others so that none steers the terminal."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path

import pytest

from venue.cli.operator import show
from venue.cli.printing import clean, clean_line, tell

CLI = Path(__file__).parents[2] / "src" / "venue" / "cli"
TERMINAL = ("printing.py", "progress.py")  # these may steer it
ATTACK = "a\x1b]0;title\x07\x1b[2J\x9b31m\r\x08b\u202ec\u2066d\u200fe\u2028f\x7fg\ufeffh\ud800"


def test_no_character_that_steers_a_terminal_is_left() -> None:
    for code in range(0x30000):
        char = chr(code)
        steers = unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs")
        steers |= unicodedata.bidirectional(char) in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip
        assert clean_line(char) == ("?" if steers or char not in clean_line(char) else char)
        if steers and char not in "\t\n":
            assert clean(char) == "?", hex(code)
    assert clean("é\tnaïve 漢字 😀\n") == "é\tnaïve 漢字 😀\n"


def test_what_is_told_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    tell(ATTACK, 5)
    show(("name",), [{"name": f"x\n{ATTACK}"}], "text", "none")
    said = capsys.readouterr().out
    assert said.startswith("a?]0;title??[2J?31m??b?c?d?e?f?g?h? 5\n")
    assert said.count("\n") == 3
    assert not [char for char in said if char != "\n" and not char.isprintable()]


def bare(tree: ast.AST) -> list[int]:
    """The lines that print past `tell`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("print", "sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer.write"):
                found.append(node.lineno)
    return found


def test_commands_print_by_one_function() -> None:
    files = [path for path in CLI.rglob("*.py") if path.name not in TERMINAL]
    assert len(files) > 30
    assert [(path.name, bare(ast.parse(path.read_text()))) for path in files
            if bare(ast.parse(path.read_text()))] == []  # fmt: skip
    assert bare(ast.parse("print(1)\nsys.stdout.write('')")) == [1, 2]
