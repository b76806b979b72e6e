"""Generated documents are as the tables say: `python tools/documents.py` writes them again."""

from __future__ import annotations

from pathlib import Path

from openapi_spec_validator import validate
from tools import documents

from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.errors import ROWS as ERRORS
from venue.gateway.operations.bindings import bindings

ROOT = Path(__file__).resolve().parents[1]


def test_documents_are_current() -> None:
    for path, text in documents.documents().items():
        assert (ROOT / path).read_text() == text, f"{path} is old: python tools/documents.py"


def test_openapi_is_valid() -> None:
    validate(openapi(ROWS, "0"))


def test_every_row_has_one_handler_and_a_weight() -> None:
    assert [route.row.name for route in bindings()] == [row.name for row in ROWS]
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all(row.weight[0] > 0 for row in ROWS)


def test_error_codes_are_unique_and_negative() -> None:
    codes = [row.code for row in ERRORS]
    assert len(set(codes)) == len(codes)
    assert all(code < 0 for code in codes)
