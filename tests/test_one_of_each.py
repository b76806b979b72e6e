"""Ways of doing one thing that there is one of: a column for each fact of a row, one sender of
requests, one file for a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

import pytest

from support.sources import ROOT, imports, none, text, trees
from venue.cli import commands
from venue.cli.app import app

SENDERS: Final = ("src/venue/client/blocking.py", "src/venue/client/asynchronous.py")
TRANSPORT: Final = "venue.client.transport"
# Where a name or an address is looked into, each with the reason; no other place may.
LOOKS: Final = {
    ("src/venue/api/operation.py", "product_of"): "the interface tells a product by the address",
    ("src/venue/api/documents/openapi.py", "_parameters"): "a parameter stands in the path",
    ("src/venue/gateway/dispatch/routes.py", "__init__"): "a parameter stands in the path",
}
ROWS: Final = ("row", "route", "operation")


def test_no_rule_depends_on_a_part_of_a_rows_name() -> None:
    """An operation of another name would change limits or bodies: such a fact is a column."""
    found = {
        (path.as_posix(), inside): line
        for path, tree in trees().items()
        if path.parts[0] == "src"
        for inside, line in sniffed(tree)
    }
    none([f"{path}:{line}: {inside}" for (path, inside), line in found.items()
          if (path, inside) not in LOOKS])  # fmt: skip


def sniffed(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, int]]:
    """The functions that ask what a row's name or path contains, begins or ends with."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from sniffed(node, node.name)
            continue
        if any(is_of_row(part) for part in looked_into(node)):
            yield inside, node.lineno  # type: ignore[attr-defined]
        yield from sniffed(node, inside)


def looked_into(node: ast.AST) -> Iterable[ast.expr]:
    if isinstance(node, ast.Compare):
        return [
            text
            for how, text in zip(node.ops, node.comparators, strict=True)
            if isinstance(how, ast.In | ast.NotIn)
        ]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value] if node.func.attr in ("startswith", "endswith") else []
    return []


def is_of_row(text: ast.expr) -> bool:
    """Whether it is the name or the path of a row, or the name of an operation."""
    if not isinstance(text, ast.Attribute):
        return False
    if text.attr == "operation":
        return True
    holder = ast.unparse(text.value).rpartition(".")[2]
    return text.attr in ("name", "path") and holder in ROWS


@pytest.mark.parametrize(
    "source",
    [
        'def f(row): return "batch" in row.path',
        'def f(route): return route.row.name.startswith("place_")',
        'def f(one): return "contract" in one.operation',
        'def f(row): return "x" not in row.name',
    ],
)
def test_a_look_into_a_name_is_seen(source: str) -> None:
    assert list(sniffed(ast.parse(source))) == [("f", 1)]
    assert list(sniffed(ast.parse("def f(row): return row.name == 'a' or 'b' in row.values"))) == []


def test_each_kind_of_client_alone_has_a_transport() -> None:
    """All others ask with a client."""
    none(
        [
            f"{path}:{line}: {name} is for a client"
            for path, tree in trees().items()
            if path.parts[0] == "src" and path.as_posix() not in SENDERS
            and not path.as_posix().startswith("src/venue/client/transport/")
            for name, line in transports(tree)
        ]
    )  # fmt: skip


def transports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for name, line in imports(tree):
        if name.startswith(TRANSPORT):
            yield name, line


def test_another_sender_is_seen() -> None:
    planted = "import json\nfrom venue.client.transport.blocking import Connections"
    assert [line for _, line in transports(ast.parse(planted))] == [2]


def test_a_command_is_told_in_its_file_alone() -> None:
    """`cli/app.py` finds the commands: it names none, and each has one file."""
    told: list[str] = []
    for found in walk_packages(commands.__path__, f"{commands.__name__}."):
        module = import_module(found.name)
        told += getattr(module, "COMMANDS", {})
        assert hasattr(module, "COMMANDS") or found.ispkg, found.name
    assert len(told) == len(set(told)) > 50
    assert sorted(told) == sorted(name for name in app if not name.startswith("-"))
    assert named_by(text_of("src/venue/cli/app.py"), told) == []


def text_of(path: str) -> ast.Module:
    (tree,) = [tree for file, tree in trees().items() if file.as_posix() == path]
    return tree


def named_by(tree: ast.Module, told: Iterable[str]) -> list[str]:
    """The commands that a module imports, defines or registers."""
    names = {name.replace("-", "_") for name in told}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                for alias in node.names}  # fmt: skip
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return sorted(names & (imported | defined))


def test_the_page_of_commands_has_each_of_them() -> None:
    page = text(ROOT / "docs" / "commands.md")
    words = {word for code in re.findall(r"`([^`]*)`", page) for word in code.split()}
    none(
        [f"docs/commands.md has no {name}" for name in app if name[0] != "-" and name not in words]
    )


def test_a_command_in_the_app_is_seen() -> None:
    planted = "from venue.cli.commands.owners.raw import get\ndef halt() -> None: ..."
    assert named_by(ast.parse(planted), ("get", "halt", "stop")) == ["get", "halt"]
