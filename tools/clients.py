"""Writes the calls of the clients: a typed method for each row of the table of operations."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, structs

from venue.api.documents.table import ROWS
from venue.api.fields import Kind
from venue.api.operation import Operation
from venue.client.paging import PAGES

ROOT = Path(__file__).resolve().parents[1]
API = "venue.api."
CURSORS = ("bills", "income")  # lists whose pages follow from the last item
MONEY = (Kind.DECIMAL.value, Kind.RATE.value)
HEAD = '''"""Calls of {module}. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import {iterator}
from typing import Any

{modules}
from venue.api.operation import Empty
from venue.client import paging
from venue.client.sending import Money, {send}


class {name}:
    """A method for each row."""

    _send: {send}
'''
WHOLE = '''"""The calls of all products. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
Parameters that are left out are not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

{imports}


class {name}({bases}):
    """A method for each row of the table of operations."""
'''
PACKAGE = '"""{text}.\n\nWritten by tools/clients.py; do not edit.\n"""\n'


class Flavour(NamedTuple):
    """The differences between the blocking and the asynchronous calls."""

    folder: str
    suffix: str  # ends the name of the class of a module's calls, and is that of the whole class
    send: str
    iterator: str
    each: str
    define: str
    wait: str
    told: str

    def name(self, module: str) -> str:
        """The class of the calls whose rows stand in a module, as spot.orders."""
        return "".join(word.capitalize() for word in re.split(r"[._]", module)) + self.suffix


FLAVOURS = (
    Flavour("calls", "Calls", "Send", "Iterator", "each", "def", "", ""),
    Flavour(
        "async_calls", "AsyncCalls", "AsyncSend", "AsyncIterator", "each_async", "async def",
        "await ", " for asyncio",
    ),
)  # fmt: skip


def clients() -> dict[str, str]:
    """The source of the calls by its path in the repository: a module for each of the table's."""
    modules = list(dict.fromkeys(_module_of(row).removeprefix(API) for row in ROWS))
    found = {}
    for flavour in FLAVOURS:
        folder = f"src/venue/client/{flavour.folder}"
        text = (
            f"The rows of the table of operations as methods{flavour.told}, by the modules of `api`"
        )
        found[f"{folder}/__init__.py"] = PACKAGE.format(text=text)
        found[f"{folder}/whole.py"] = _whole(modules, flavour)
        for module in modules:
            *package, name = module.split(".")
            found["/".join([folder, *package, f"{name}.py"])] = _calls(module, flavour)
            for product in package:
                text = PACKAGE.format(text=f"Calls of {API}{product}, module by module")
                found[f"{folder}/{product}/__init__.py"] = text
    return found


def _whole(modules: list[str], flavour: Flavour) -> str:
    package = f"venue.client.{flavour.folder}"
    imports = [f"from {package}.{module} import {flavour.name(module)}" for module in modules]
    bases = ", ".join(map(flavour.name, modules))
    return _formatted(WHOLE.format(imports="\n".join(imports), name=flavour.suffix, bases=bases))


def _calls(module: str, flavour: Flavour) -> str:
    rows = [row for row in ROWS if _module_of(row) == API + module]
    modules = sorted({API + module} | _reply_modules(rows))
    text = HEAD.format(
        module=API + module,
        name=flavour.name(module),
        iterator=flavour.iterator,
        send=flavour.send,
        modules="\n".join(f"import {name}" for name in modules),
    )
    methods = [method for row in rows for method in _methods(row, flavour)]
    return _formatted("\n".join([text, *methods]))


def _methods(row: Operation[Any, Any], flavour: Flavour) -> list[str]:
    found = [_method(row, flavour)]
    names = {field.encode_name for field in structs.fields(row.request)}
    if names & set(PAGES) or row.name in CURSORS:
        item = _item(row.reply)
        if item:
            found.append(_pages(row, flavour, item))
    return found


def _method(row: Operation[Any, Any], flavour: Flavour) -> str:
    reply = spelled(row.reply)
    return f'''
    {flavour.define} {row.name}({_parameters(row)}) -> {reply}:
        """{row.method} {row.path}"""
        return {flavour.wait}self._send({_spelled_row(row)}, {_values(row)})
'''


def _pages(row: Operation[Any, Any], flavour: Flavour, item: str) -> str:
    return f'''
    def each_{row.name}({_parameters(row)}) -> {flavour.iterator}[{item}]:
        """The items of all pages of `{row.name}`."""
        return paging.{flavour.each}(self._send, {_spelled_row(row)}, {_values(row)})
'''


def _parameters(row: Operation[Any, Any]) -> str:
    hints = get_type_hints(row.request, include_extras=True)
    needed, others = [], []
    for field in structs.fields(row.request):
        kind = _parameter(hints[field.name])
        if field.default is NODEFAULT and field.default_factory is NODEFAULT:
            needed.append(f"{field.name}: {kind}")
        else:
            others.append(f"{field.name}: {kind} | None = None")
    if not needed and not others:
        return "self"
    return ", ".join(["self", "*", *needed, *others])


def _values(row: Operation[Any, Any]) -> str:
    pairs = [f'"{field.encode_name}": {field.name}' for field in structs.fields(row.request)]
    return "{" + ", ".join(pairs) + "}"


def _parameter(hint: Any) -> str:
    """The type of a parameter: decimals are taken as text, int or Decimal."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [_parameter(part) for part in get_args(hint) if part is not NoneType]
        return " | ".join(kinds)
    if get_origin(hint) is Annotated:
        base, meta, *_ = get_args(hint)
        extra = meta.extra or {}
        return "Money" if extra.get("kind") in MONEY and base is str else _parameter(base)
    return spelled(hint)


def spelled(kind: Any) -> str:
    """A type as it is spelled in the sources."""
    origin = get_origin(kind)
    if origin is Annotated:
        return spelled(get_args(kind)[0])
    if origin in (Union, UnionType):
        return " | ".join(spelled(part) for part in get_args(kind))
    if origin is not None:
        inner = ", ".join(spelled(part) for part in get_args(kind))
        return f"{origin.__name__}[{inner}]"
    if kind is NoneType:
        return "None"
    if kind is Any:
        return "Any"
    if isinstance(kind, type) and kind.__module__ == "builtins":
        return kind.__name__
    return "Empty" if kind.__name__ == "Empty" else f"{kind.__module__}.{kind.__name__}"


def _item(reply: Any) -> str:
    """The type of a page's items; empty when there is no one list."""
    if get_origin(reply) is list:
        return spelled(get_args(reply)[0])
    if not (isinstance(reply, type) and issubclass(reply, Struct)):
        return ""
    kinds = [kind for kind in get_type_hints(reply).values() if get_origin(kind) is list]
    return spelled(get_args(kinds[0])[0]) if len(kinds) == 1 else ""


def _module_of(row: Operation[Any, Any]) -> str:
    return _PLACES[row.name][0]


def _spelled_row(row: Operation[Any, Any]) -> str:
    return ".".join(_PLACES[row.name])


def _places() -> dict[str, tuple[str, str]]:
    """The module and the name of each row."""
    found: dict[str, tuple[str, str]] = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(API) or name.startswith("venue.api.documents"):
            continue
        for attribute, value in vars(module).items():
            if isinstance(value, Operation):
                found.setdefault(value.name, (name, attribute))
    return found


def _reply_modules(rows: list[Operation[Any, Any]]) -> set[str]:
    """The modules of types that replies and parameters are spelled with."""
    texts = [spelled(row.reply) + _parameters(row) for row in rows]
    known = [
        name
        for name, module in sys.modules.items()
        if name.startswith(API) and not hasattr(module, "__path__")
    ]
    return {name for name in known if any(f"{name}." in text for text in texts)}


_PLACES = _places()


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "-q", "--select", "I,F401", "--fix", "-"], ["format", "-q", "-"]):
        done = subprocess.run(
            [*ruff, *command], input=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
        text = done.stdout
    return text


def main() -> None:
    """Write the modules of all calls."""
    for folder in (flavour.folder for flavour in FLAVOURS):
        shutil.rmtree(ROOT / "src/venue/client" / folder)
    for path, text in clients().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
        print(path)


if __name__ == "__main__":
    main()
