"""Note which sources today's rules are: run it when a change of the core has been judged.

A change that alters what any command does raises RULES in venue/core/rules.py first.
"""

from __future__ import annotations

import ast
from hashlib import blake2b
from pathlib import Path

import msgspec

from venue.core.rules import RULES

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "venue"
NOTED = ROOT / "tests" / "files" / "rules.json"
TOLD_APART = ("core/rules.py",)  # the number itself


def digest(sources: Path) -> str:
    """The digest of all sources that decide a command's effect: the core and its vocabularies.

    Comments, docstrings and layout are no part of it.
    """
    paths = [sources / "vocabulary.py", *sorted((sources / "core").rglob("*.py"))]
    found = blake2b(digest_size=16)
    for path in paths:
        name = path.relative_to(sources).as_posix()
        if name not in TOLD_APART:
            found.update(f"{name}\n{meaning(path.read_text())}\n".encode())
    return found.hexdigest()


def meaning(source: str) -> str:
    """A module's syntax tree as text, without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del node.body[0]
    return _told(tree)


def _told(value: object) -> str:
    """A part of a syntax tree as text. Fields without a value are left out: each Python has others
    of these."""
    if isinstance(value, ast.AST):
        fields = [
            (name, found) for name, found in ast.iter_fields(value) if found not in (None, [])
        ]
        told = ", ".join(f"{name}={_told(found)}" for name, found in fields)
        return f"{type(value).__name__}({told})"
    if isinstance(value, list):
        return f"[{', '.join(map(_told, value))}]"
    return repr(value)


def noted() -> tuple[int, str]:
    """The rules and the digest that were noted last."""
    return msgspec.json.decode(NOTED.read_bytes(), type=tuple[int, str])


def main() -> None:
    """Note today's rules and sources."""
    NOTED.write_bytes(msgspec.json.encode((RULES, digest(SOURCES))) + b"\n")
    print(f"rules {RULES} are noted as today's sources")


if __name__ == "__main__":
    main()
