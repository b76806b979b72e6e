"""Writes the documents that follow from the sources: operations, errors, OpenAPI, modules."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import venue
from venue.api.documents.asyncapi import asyncapi
from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.documents.text import operations_table
from venue.api.errors import ROWS as ERRORS
from venue.api.repeating import Repetition, repetition, told
from venue.api.streams.channels import SOCKETS
from venue.core.book.book import NEXT
from venue.core.permitted import PERMITTED, Verdict
from venue.vocabulary import OrderStatus

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "venue"
CLIENT = PACKAGE / "client"
PERMITTED_TITLE = (
    "| command | owner frozen | symbol halted | contract delisted | contract settled |\n"
)
VERDICTS = {
    Verdict.TAKEN: "taken",
    Verdict.REFUSED: "refused",
    Verdict.REPEATED: "refused, but for a repetition",
    Verdict.SKIPPED: "each is refused",
    Verdict.NOT_ASKED: "is not about it",
    Verdict.CLOSING: "an opening one is refused, but for a repetition",
    Verdict.ENDED: "finds nothing",
}
MIRRORS = (CLIENT / "calls", CLIENT / "async_calls")  # generated, a module for each of `api`


def documents() -> dict[str, str]:
    """Each generated document's text by its path in the repository."""
    return {
        "docs/operations.md": _operations(),
        "docs/modules.md": _modules(),
        "docs/rulebook.md": _rulebook(),
        "docs/openapi.json": json.dumps(openapi(ROWS, venue.__version__), indent=1) + "\n",
        "docs/asyncapi.json": json.dumps(asyncapi(SOCKETS, venue.__version__), indent=1) + "\n",
    }


def _operations() -> str:
    errors = "\n".join(f"| {row.code} | {row.name} | {row.status} |" for row in ERRORS)
    return (
        "# Operations and errors\n\nWritten from the tables by `python tools/documents.py`.\n\n"
        f"```text\n{operations_table()}\n```\n\n"
        f"| code | name | HTTP |\n|---|---|---|\n{errors}\n\n"
        "## An operation sent again\n\nThe second of two equal requests, sent because the first's"
        f" answer was lost:\n\n| operation | the second |\n|---|---|\n{_again()}\n\n"
        f"## Statuses of an order\n\n| status | may become |\n|---|---|\n{_life()}\n"
    )


def _again() -> str:
    """Each operation that does not only read, a line for each."""
    judged = [row for row in ROWS if repetition(row)[0] != Repetition.READS]
    return "\n".join(f"| `{row.name}` | {told(row)} |" for row in judged)


def _life() -> str:
    """The life cycle of an order (rule 3.10), a line per status."""
    names = {int(status): status.name for status in OrderStatus}
    return "\n".join(
        f"| {names[status]} | {', '.join(names[one] for one in after) or 'nothing: it is final'} |"
        for status, after in NEXT.items()
    )


def _rulebook() -> str:
    """The rulebook with the table of rule 2.7 as the core has it."""
    text = (ROOT / "docs" / "rulebook.md").read_text()
    head, title, rest = text.partition(PERMITTED_TITLE)
    _, end, tail = rest.partition("\n\n")
    rows = [
        "| "
        + " | ".join(
            [
                row.command.__name__,
                *(
                    VERDICTS[verdict]
                    for verdict in (row.frozen, row.halted, row.reducing, row.settled)
                ),
            ]
        )
        + " |"
        for row in PERMITTED
    ]
    return head + title + "\n".join(["|---|---|---|---|---|", *rows]) + end + tail


def _modules() -> str:
    return (
        "# Modules\n\nThe first sentence of each, written by `python tools/documents.py`. How they"
        " work together stands in [architecture.md](architecture.md).\n\n"
        f"```text\n{_tree(PACKAGE, 0)}```\n"
    )


def _tree(folder: Path, depth: int) -> str:
    """Files first, then packages, each by name."""
    lines = [_line(path, path.name, depth) for path in sorted(folder.glob("[!_]*.py"))]
    for package in sorted(path.parent for path in folder.glob("*/__init__.py")):
        lines.append(_line(package / "__init__.py", f"{package.name}/", depth))
        if package not in MIRRORS:
            lines.append(_tree(package, depth + 1))
    return "".join(lines)


def _line(path: Path, name: str, depth: int) -> str:
    said = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0]
    sentence = " ".join(said.split()).partition(". ")[0].rstrip(".:")
    return f"{'  ' * depth + name:<36}{sentence}\n"


def main() -> None:
    """Write all documents."""
    for path, text in documents().items():
        (ROOT / path).write_text(text)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
