"""Writes the documents that follow from tables: operations, errors, OpenAPI, AsyncAPI."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import venue
from venue.api.documents.asyncapi import asyncapi
from venue.api.documents.table import ROWS
from venue.api.documents.text import operations_table
from venue.api.errors import ROWS as ERRORS
from venue.api.operation import openapi
from venue.api.streams.channels import SOCKETS

ROOT = Path(__file__).resolve().parents[1]


def documents() -> dict[str, str]:
    """Each generated document's text by its path in the repository."""
    return {
        "docs/operations.md": _operations(),
        "docs/openapi.json": json.dumps(openapi(ROWS, venue.__version__), indent=1) + "\n",
        "docs/asyncapi.json": json.dumps(asyncapi(SOCKETS, venue.__version__), indent=1) + "\n",
    }


def _operations() -> str:
    errors = "\n".join(f"| {row.code} | {row.name} | {row.status} |" for row in ERRORS)
    return (
        "# Operations and errors\n\nWritten from the tables by `python tools/documents.py`.\n\n"
        f"```text\n{operations_table()}\n```\n\n"
        f"| code | name | HTTP |\n|---|---|---|\n{errors}\n"
    )


def main() -> None:
    """Write all documents."""
    for path, text in documents().items():
        (ROOT / path).write_text(text)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
