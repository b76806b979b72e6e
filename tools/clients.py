"""Writes the clients: a typed method for each row of the table of operations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, structs

from venue.api.documents.table import ROWS
from venue.api.fields import Kind
from venue.api.operation import Operation
from venue.client.paging import PAGES

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "src" / "venue" / "client"
CURSORS = ("bills", "income")  # lists whose pages follow from the last item
MONEY = (Kind.DECIMAL.value, Kind.RATE.value)
HEAD = '''"""{title} Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
What is left out is not sent. Methods raise Refused, Unreachable and Misused.
"""

# ruff: noqa: A002
from __future__ import annotations

from collections.abc import {imports}
from types import TracebackType
from decimal import Decimal
from typing import Any, TypeVar

{modules}
from venue.api.operation import Empty, Operation
from venue.client import paging
from venue.client.http import RETRIES, TIMEOUT_S, Account, Http
{more}
Money = str | int | Decimal
Q = TypeVar("Q")
R = TypeVar("R")


class {name}:
    """A client of the venue at `url`, for one owner or operator. {use}

    Calls that change nothing are repeated up to `retries` times, and placements under their client
    id, which is given to each that has none. Without a key `act_as` names an owner of a practice
    venue on this machine.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8787",
        *,
        key: str = "",
        secret: str = "",
        passphrase: str = "",
        operator_token: str = "",
        act_as: str = "",
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        account = Account(
            key=key,
            secret=secret,
            passphrase=passphrase,
            operator_token=operator_token,
            act_as=act_as,
        )
        self._http = Http(url, account, timeout_s, retries)

    {async_}def __{a}enter__(self) -> {name}:
        return self

    {async_}def __{a}exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    {async_}def _send(self, row: Operation[Q, R], values: dict[str, Any]) -> R:
        return {send}
{streams}'''
STREAMS = '''
    def listen(
        self,
        *channels: str,
        product: str = "spot",
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Stream:
        """The frames of channels, as BTCUSDT@trade, or of private ones, as orders or
        orders?from=17. Misused."""
        return Stream(self._http, product, channels, quiet_s=quiet_s, patience_s=patience_s)

    def books(
        self,
        symbol: str,
        *,
        product: str = "spot",
        levels: int = 15,
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Books:
        """A market's book after each change, checked: 15 or 200 levels a side. Misused."""
        name = channel(symbol, levels)
        return Books(self.listen(name, product=product, quiet_s=quiet_s, patience_s=patience_s))
'''
SYNC = {
    "title": "The blocking client.",
    "imports": "Iterator",
    "more": "",
    "name": "Client",
    "use": "Use it in a `with`; threads may\n    share it.",
    "async_": "",
    "a": "",
    "send": "self._http.send(row, values)",
    "streams": "",
}
ASYNC = {
    "title": "The client for asyncio.",
    "imports": "AsyncIterator",
    "more": "import asyncio\nfrom venue.client.books import Books, channel\n"
    "from venue.client.streams import PATIENCE_S, QUIET_S, Stream\n",
    "name": "AsyncClient",
    "use": "Use it in an `async\n    with`. A call runs on a"
    " thread: one whose task is cancelled may have its effect all the same.",
    "async_": "async ",
    "a": "a",
    "send": "await asyncio.to_thread(self._http.send, row, values)",
    "streams": STREAMS,
}


def clients() -> dict[str, str]:
    """Each client's source by its path in the repository."""
    return {
        "src/venue/client/blocking.py": _client(SYNC, ""),
        "src/venue/client/asynchronous.py": _client(ASYNC, "async "),
    }


def _client(words: dict[str, str], async_: str) -> str:
    modules = sorted({_module_of(row) for row in ROWS} | _reply_modules())
    lines = "\n".join(f"import {module}" for module in modules)
    text = HEAD.replace("{modules}", lines)
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    methods = [method for row in ROWS for method in _methods(row, async_)]
    return _formatted("\n".join([text, *methods]))


def _methods(row: Operation[Any, Any], async_: str) -> list[str]:
    found = [_method(row, async_)]
    names = {field.encode_name for field in structs.fields(row.request)}
    if names & set(PAGES) or row.name in CURSORS:
        item = _item(row.reply)
        if item:
            found.append(_pages(row, async_, item))
    return found


def _method(row: Operation[Any, Any], async_: str) -> str:
    reply = spelled(row.reply)
    wait = "await " if async_ else ""
    return f'''
    {async_}def {row.name}({_parameters(row)}) -> {reply}:
        """{row.method} {row.path}"""
        return {wait}self._send({_module_of(row)}.{_attribute(row)}, {_values(row)})
'''


def _pages(row: Operation[Any, Any], async_: str, item: str) -> str:
    kind, each = ("AsyncIterator", "each_async") if async_ else ("Iterator", "each")
    return f'''
    def each_{row.name}({_parameters(row)}) -> {kind}[{item}]:
        """The items of all pages of `{row.name}`."""
        return paging.{each}(self._send, {_module_of(row)}.{_attribute(row)}, {_values(row)})
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
    return ", ".join(["self", "*", *needed, *others]) + ","


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
    """A type as it is written."""
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


def _attribute(row: Operation[Any, Any]) -> str:
    return _PLACES[row.name][1]


def _places() -> dict[str, tuple[str, str]]:
    """The module and the name of each row."""
    found: dict[str, tuple[str, str]] = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("venue.api.") or name.startswith("venue.api.documents"):
            continue
        for attribute, value in vars(module).items():
            if isinstance(value, Operation):
                found.setdefault(value.name, (name, attribute))
    return found


def _reply_modules() -> set[str]:
    """The modules of types that replies and parameters are spelled with."""
    texts = [spelled(row.reply) + _parameters(row) for row in ROWS]
    known = [
        name
        for name, module in sys.modules.items()
        if name.startswith("venue.api.") and not hasattr(module, "__path__")
    ]
    return {name for name in known if any(f"{name}." in text for text in texts)}


_PLACES = _places()


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "-q", "--select", "I", "--fix", "-"], ["format", "-q", "-"]):
        done = subprocess.run(
            [*ruff, *command], input=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
        text = done.stdout
    return text


def main() -> None:
    """Write them."""
    for path, text in clients().items():
        (ROOT / path).write_text(text)
        print(path)


if __name__ == "__main__":
    main()
