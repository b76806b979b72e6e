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

from support.tools import needed
from support.waits import WAIT_S

REFERENCE: Final = "#/components/schemas/"
COMPILER: Final = Path(__file__).parents[1] / "typescript" / "node_modules" / ".bin" / "tsc"
SAFE_MAX: Final = 2**53 - 1  # a program in JavaScript reads larger numbers as others
PLAIN: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
    "null": "null",
}  # fmt: skip


def declared(components: dict[str, Any]) -> str:
    """The types of a document."""
    return "\n".join(
        f"type {name} = {written(schema)};"
        for name, schema in components.items()
        if "$ref" not in schema
    )


def written(schema: dict[str, Any]) -> str:
    """A type as the language writes it."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REFERENCE)
    if "anyOf" in schema:
        return f"({' | '.join(written(one) for one in schema['anyOf'])})"
    if "enum" in schema:
        return f"({' | '.join(json.dumps(one) for one in schema['enum'])})"
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(written(one) for one in schema['prefixItems'])}]"
        return f"{written(schema.get('items') or {})}[]"
    if kind == "object":
        if "properties" in schema:
            required = schema.get("required", ())
            fields = [
                f"{json.dumps(name)}{'' if name in required else '?'}: {written(one)}"
                for name, one in schema["properties"].items()
            ]
            return f"{{ {'; '.join(fields)} }}"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"Record<string, {written(schema['additionalProperties'])}>"
    return PLAIN.get(str(kind), "unknown")


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
