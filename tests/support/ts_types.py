"""Answers as literals of the document's types in TypeScript, which its compiler checks.

A literal has no field that its type does not know, lacks none that is required, and has texts and
numbers where the type has them.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tools.page_types import written

from support.tools import needed
from support.waits import WAIT_S

COMPILER: Final = Path(__file__).parents[1] / "typescript" / "node_modules" / ".bin" / "tsc"
SAFE_MAX: Final = 2**53 - 1  # a program in JavaScript reads larger numbers as others


def declared(components: dict[str, Any]) -> str:
    """The types of a document."""
    return "\n".join(
        f"type {name} = {written(schema)};"
        for name, schema in components.items()
        if "$ref" not in schema
    )


def refused(types: str, answers: Iterable[tuple[str, str, bytes]], folder: Path) -> list[str]:
    """The refusals of the compiler, of answers with their names and types, and the numbers that
    are too large."""
    lines = [types]
    unsafe = []
    for number, (name, kind, text) in enumerate(answers):
        lines.append(f"const answer{number}: {kind} = {text.decode()}; // {name}")
        unsafe += [f"{name}: {one}" for one in _whole_numbers(json.loads(text)) if one > SAFE_MAX]
    source = folder / "answers.ts"
    source.write_text("\n".join([*lines, "export {};"]), encoding="utf-8")
    command = [needed(str(COMPILER)), "--strict", "--noEmit", "--pretty", "false", source.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    return [*unsafe, *done.stdout.splitlines()]


def _whole_numbers(value: Any) -> Iterator[int]:
    """The sizes of all whole numbers in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _whole_numbers(one)
    elif isinstance(value, int):
        yield abs(value)
