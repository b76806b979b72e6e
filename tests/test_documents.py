"""Generated documents are as the tables say: `make docs` writes them again."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, get_type_hints

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from tools import documents

from venue.api.documents.described import WORDS
from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.documents.words import by_struct
from venue.api.errors import ROWS as ERRORS
from venue.api.operation import request_type
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.dispatch.decode import body_values, decode
from venue.gateway.dispatch.routes import Route
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.operations.bindings import bindings

ROOT = Path(__file__).resolve().parents[1]


def test_documents_are_current() -> None:
    for path, text in documents.documents().items():
        assert (ROOT / path).read_text() == text, f"{path} is old: make docs"


def test_each_difference_from_live_has_a_test() -> None:
    rows = documents.differences()
    assert len({row.subject for row in rows}) == len(rows)
    for row in rows:
        assert all((row.live, row.evidence, row.here)), row.subject
        assert not row.letter or row.profile == "live", row.subject
    for test in [test for row in rows for test in (row.test, *row.letter)]:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text())
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        tests = {node.name for node in functions if node.name.startswith("test_")}
        assert name.partition("[")[0] in tests, test


def test_openapi_is_valid() -> None:
    validate(openapi(ROWS, "0"))


def valid(document: dict[str, Any], schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": document["components"]}
    return bool(Draft202012Validator(whole).is_valid(value))


def test_every_field_and_parameter_has_words_and_a_true_example() -> None:
    document = openapi(ROWS, "0")
    told = [
        (f"{struct}.{name}", schema, schema.get("description"), schema.get("examples", [None])[0])
        for struct, component in document["components"]["schemas"].items()
        for name, schema in component.get("properties", {}).items()
        if struct != "Error"
    ]
    told += [
        (f"{path} {one['name']}", one["schema"], one.get("description"), one.get("example"))
        for path, methods in document["paths"].items()
        for operation in methods.values()
        for one in operation.get("parameters", [])
    ]
    assert len(told) > 1_500
    for where, schema, words, example in told:
        assert words, where
        assert example is not None or "$ref" in str(schema), where
        assert example is None or valid(document, schema, example), (where, example)


def test_every_request_has_an_example_that_its_operation_takes() -> None:
    document = openapi(ROWS, "0")
    shown = 0
    for row in ROWS:
        body = document["paths"][row.path][row.method.lower()].get("requestBody")
        if body is not None:
            content = body["content"]["application/json"]
            assert valid(document, content["schema"], content["example"]), row.name
            sent = json.dumps(content["example"]).encode()
            decode(compile_request(request_type(row)), body_values(sent))
            shown += 1
    assert shown > 50


def test_words_are_of_fields_that_there_are() -> None:
    components = openapi(ROWS, "0")["components"]["schemas"]
    fields = {name: set(one.get("properties", ())) for name, one in components.items()}
    assert set(WORDS) <= set().union(*fields.values())
    for name in by_struct.WORDS:
        struct, _, field = name.partition(".")
        assert field in fields[struct], name


def test_every_row_has_one_handler_and_a_weight() -> None:
    assert [route.row.name for route in bindings()] == [row.name for row in ROWS]
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all(row.weight[0] > 0 for row in ROWS)


def differs(route: Route) -> str:
    """How the hints of a handler, and of what refuses lead keys, differ from the row; empty where
    they do not."""
    hints = get_type_hints(route.handler)
    given = hints.pop("return")
    taken = [list(hints.values())[1]]
    if route.lead is not None:
        taken.append(list(get_type_hints(route.lead).values())[1])
    if any(one is not route.row.request for one in taken):
        return f"{route.row.name} takes {taken}, not {route.row.request}"
    # An encoded reply has no type any more: `test_answers` compares those with their rows.
    told = given == EncodedBody or given in (route.row.reply, route.row.reply | EncodedBody)
    return "" if told else f"{route.row.name} returns {given}, not {route.row.reply}"


def test_a_handler_takes_and_returns_what_its_row_says() -> None:
    assert [words for route in bindings() if (words := differs(route))] == []
    routes = {route.row.name: route for route in bindings()}
    open_orders, bills = routes["open_orders"].row, routes["bills"].handler
    assert differs(Route(open_orders, bills, None)).startswith("open_orders takes")
    assert differs(Route(routes["ping"].row, routes["time"].handler, None)).startswith("ping ret")


def test_error_codes_are_unique_and_negative() -> None:
    codes = [row.code for row in ERRORS]
    assert len(set(codes)) == len(codes)
    assert all(code < 0 for code in codes)
