"""Writes the documents that follow from the sources: operations, OpenAPI, modules, types."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

import venue
from tools.page_types import page_documents
from venue.api.documents.asyncapi import asyncapi
from venue.api.documents.described import Schema
from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.documents.text import operations_table
from venue.api.errors import ROWS as ERRORS
from venue.api.repeating import Repetition, describe_repetition, repetition
from venue.api.streams.channels import SOCKETS
from venue.core.book.book import NEXT
from venue.core.permitted import PERMITTED, Verdict
from venue.vocabulary import OrderStatus

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "venue"
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


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the live exchange and the interface's document differ; the fields are told in the
    file."""

    subject: str
    live: str
    evidence: str
    here: str
    profile: Literal["both", "live"]
    test: str
    letter: list[str] = []


def documents() -> dict[str, str]:
    """Each generated document's text by its path in the repository."""
    return {
        "docs/operations.md": _operations(),
        "docs/modules.md": _modules(),
        "docs/live.md": _live(),
        "docs/rulebook.md": _rulebook(),
        "docs/schemas.md": _schemas(),
        **page_documents(),
    }


def published() -> dict[str, str]:
    """The documents that a running venue serves, by their path in the repository; not in git."""
    return {
        "build/docs/openapi.json": json.dumps(openapi(ROWS, venue.__version__), indent=1) + "\n",
        "build/docs/asyncapi.json": json.dumps(asyncapi(SOCKETS, venue.__version__), indent=1)
        + "\n",
    }


def _schemas() -> str:
    rest, streams = openapi(ROWS, venue.__version__), asyncapi(SOCKETS, venue.__version__)
    return (
        "# Schemas\n\nWritten by `make docs` from the documents that a venue serves"
        " (`make docs` writes them into build/docs). A field that may be left out ends in `?`.\n\n"
        f"## /openapi.json\n\n```text\n{_schema_lines(rest)}\n```\n\n"
        f"## /asyncapi.json\n\n```text\n{_schema_lines(streams)}\n```\n"
    )


def _schema_lines(document: Schema) -> str:
    """Each schema of an OpenAPI or AsyncAPI document, by name: its fields and their types.

    A field that may be left out ends in `?`.
    """
    found: dict[str, Schema] = document["components"]["schemas"]
    return "\n".join(f"{name}: {_fields(one)}" for name, one in sorted(found.items()))


def _fields(schema: Schema) -> str:
    if "properties" not in schema:
        return _type(schema)
    required = schema.get("required", [])
    return ", ".join(
        f"{name}{'' if name in required else '?'} {_type(one)}"
        for name, one in schema["properties"].items()
    )


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_type(one) for one in schema[several])
    if "enum" in schema:
        return "|".join("null" if one is None else str(one) for one in schema["enum"])
    if "const" in schema:
        return repr(schema["const"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
        return f"{_type(schema.get('items', {}))}[]"
    if "properties" in schema:
        return f"{{{_fields(schema)}}}"
    return str(schema.get("type", "any"))


def _operations() -> str:
    errors = "\n".join(f"| {row.code} | {row.name} | {row.status} |" for row in ERRORS)
    return (
        "# Operations and errors\n\nWritten from the tables by `make docs`.\n\n"
        f"```text\n{operations_table()}\n```\n\n"
        f"| code | name | HTTP |\n|---|---|---|\n{errors}\n\n"
        "## An operation sent again\n\nThe second of two equal requests, sent because the first's"
        f" answer was lost:\n\n| operation | the second |\n|---|---|\n{_again()}\n\n"
        f"## Statuses of an order\n\n| status | may become |\n|---|---|\n{_life()}\n"
    )


def differences() -> list[Difference]:
    """The rows of the table, in its order."""
    rows = tomllib.loads((ROOT / "tools" / "live.toml").read_text())
    return msgspec.convert(rows, dict[str, list[Difference]])["row"]


def _table(rows: list[Difference]) -> str:
    head = "| field or rule | live | evidence | here | profile | test |\n|---|---|---|---|---|---|"
    lines = [
        f"| {row.subject} | {row.live} | {row.evidence} | {row.here} | {row.profile} |"
        f" `{row.test.rpartition('::')[2]}` |"
        for row in rows
    ]
    return "\n".join([head, *lines])


def _live() -> str:
    return (
        "# As the live exchange is\n\nWritten from `tools/live.toml` by"
        " `make docs`.\n\nThe interface's document is silent in many places, and in"
        " some the live exchange does otherwise than it says. Where the document is silent, the"
        " venue follows the live exchange: these rows have the profile `both`. Where the two"
        " contradict each other, the venue keeps to the document. `venue dev --profile live`, and"
        " `venue serve --profile live`, follow the live exchange there too: these rows have the"
        ' profile `live`. `Venue(profile="live")` and `@pytest.mark.venue(profile="live")` do'
        " the same, and `--profile live` of `venue run`, `venue crashtest` and `venue with --new`;"
        " worlds have the profile of their venue. The profile belongs to the process, and no"
        " journal keeps it. A bundle does, and `venue open` answers so. `venue status`,"
        " `/_venue/health` and `/openapi.json` tell it.\n\n"
        "Nothing here was seen on a live account of this project. The evidence is code, fixtures,"
        f" probes and reports of public programs that trade there.\n\n{_table(differences())}\n"
    )


def _again() -> str:
    """Each operation that does not only read, a line for each."""
    judged = [row for row in ROWS if repetition(row)[0] != Repetition.READS]
    return "\n".join(f"| `{row.name}` | {describe_repetition(row)} |" for row in judged)


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
        "# Modules\n\nThe first sentence of each, written by `make docs`. How they"
        " work together stands in [architecture.md](architecture.md).\n\n"
        f"```text\n{_tree(PACKAGE, 0)}```\n"
    )


def _tree(folder: Path, depth: int) -> str:
    """Files first, then packages, each by name."""
    lines = [_line(path, path.name, depth) for path in sorted(folder.glob("[!_]*.py"))]
    for package in sorted(path.parent for path in folder.glob("*/__init__.py")):
        lines.append(_line(package / "__init__.py", f"{package.name}/", depth))
        lines.append(_tree(package, depth + 1))
    return "".join(lines)


def _line(path: Path, name: str, depth: int) -> str:
    said = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0]
    sentence = " ".join(said.split()).partition(". ")[0].rstrip(".:")
    return f"{'  ' * depth + name:<36}{sentence}\n"


def main() -> None:
    """Write all documents."""
    for path, text in (documents() | published()).items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
