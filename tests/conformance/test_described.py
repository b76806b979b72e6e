"""OpenAPI says what a live venue does: a stock tool drives every operation by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    response_schema_conformance,
    status_code_conformance,
)

from support.contract_raw import posted
from support.raw import Desk, operate
from support.server import Server
from support.stamps import stamp_ms
from venue.api import signing
from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.profile import Profile

DOCUMENT = openapi(ROWS, "0")
STOCK = schemathesis.openapi.from_dict(DOCUMENT)
# They change the answers of all operations after them, or end the venue.
LEFT_OUT = ("/_venue/faults", "/_venue/stop", "/_venue/reset", "/_venue/snapshots")
OPERATIONS = sorted(
    (path, method)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if not path.startswith(LEFT_OUT)
)
EXAMPLES = 2  # of each operation
CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance]
SYMBOL = "BTCUSDT"


@pytest.fixture(scope="module", params=list(Profile))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("described")
    options = ("--no-agents", "--no-history", "--batch-place", "--profile", request.param)
    with Server(*options, folder=folder) as server:
        desk = Desk(server)
        operate(desk, "contracts/change", {"symbol": SYMBOL, "indexSources": ["desk"]})
        operate(desk, "index", posted(SYMBOL, "desk", "60000"))
        desk.close()
        yield server


class Signed:
    """Signs what is sent, as it is sent."""

    def __init__(self, account: dict[str, Any]) -> None:
        self._account = account

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.pop("X-Schemathesis-TestCaseId", None)  # no operator's program sends it
        path, _, query = (request.path_url or "").partition("?")
        body = request.body or b""
        raw = body.encode() if isinstance(body, str) else body
        assert isinstance(raw, bytes)
        stamp = str(stamp_ms())
        method = (request.method or "").encode()
        text = signing.payload(stamp.encode(), method, path.encode(), query.encode(), raw)
        secret = self._account["secret"].encode()
        request.headers["ACCESS-KEY"] = self._account["key"]
        request.headers["ACCESS-PASSPHRASE"] = self._account["passphrase"]
        request.headers["ACCESS-TIMESTAMP"] = stamp
        request.headers["ACCESS-SIGN"] = signing.sign(secret, text).decode()
        return request


# -- requests that the document allows ------------------------------------------------------------


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_what_the_document_allows_is_answered_as_it_says(
    server: Server, path: str, method: str
) -> None:
    operation = STOCK[path][method.upper()]
    auth = Signed(server.account("alice"))

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any) -> None:
        response = case.call(base_url=server.url, auth=auth)
        case.validate_response(response, checks=CHECKS)
        assert response.status_code != 403 or not path.startswith("/_venue"), response.text

    check()


# -- what clients are known to send ---------------------------------------------------------------

BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "IncomeRequest",
        {"asset": "", "symbol": "", "incomeType": "", "startTime": None, "endTime": None},
    ),
    ("IncomeRequest", {"limit": "100", "startTime": "1750000000000"}),
    ("PlaceOrderRequest", {"symbol": "btcusdt", "side": "BUY", "type": "MARKET", "quantity": 0.5}),
    ("LeverageRequest", {"symbol": SYMBOL, "crossLeverage": "20.00"}),
    ("LeverageRequest", {"symbol": SYMBOL, "crossLeverage": 20, "marginType": ""}),
    ("CancelBatchRequest", {"orderIds": ["1000000000000000", 5], "origClientOrderIds": []}),
    ("ClosePositionsRequest", {}),
    ("AutoMarginRequest", {"positionId": "7", "autoAppendMargin": "true"}),
    ("BillsRequest", {"after": 0, "before": "1", "coinId": None, "bizType": ""}),
)


def problems(name: str, body: dict[str, Any]) -> list[str]:
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    return [problem.message for problem in Draft202012Validator(schema).iter_errors(body)]


@pytest.mark.parametrize(("name", "body"), BODIES)
def test_what_is_accepted_is_allowed(name: str, body: dict[str, Any]) -> None:
    assert problems(name, body) == []


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("ClosePositionsRequest", {"symbol": ""}),
        ("ClosePositionsRequest", {"positionId": None}),
        ("CancelBatchRequest", {"orderIds": [1] * 51}),
        ("PlaceBatchRequest", {"symbol": SYMBOL, "orderList": []}),
        ("LeverageRequest", {"symbol": SYMBOL, "crossLeverage": "20.5"}),
        ("IncomeRequest", {"limit": 101}),
    ],
)
def test_what_is_refused_is_not_allowed(name: str, body: dict[str, Any]) -> None:
    assert problems(name, body)


def test_the_document_tells_what_a_client_generator_asks_for() -> None:
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert len(operation["tags"]) == 1
            assert "x-used-weight-10s" in operation["responses"]["200"]["headers"]
            assert "Retry-After" in operation["responses"]["429"]["headers"]
            assert "\n  " not in operation["description"]
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "symbols":
                    assert (parameter["style"], parameter["explode"]) == ("form", False)
                    assert parameter["schema"]["maxItems"] == 100
    schemas = DOCUMENT["components"]["schemas"]
    most = {
        ("PlaceBatchRequest", "orderList"): 10, ("CancelBatchRequest", "orderIds"): 50,
        ("PlaceContractBatchRequest", "batchOrders"): 10,
    }  # fmt: skip
    for (name, field), count in most.items():
        shown = schemas[name]["properties"][field]
        assert shown.get("maxItems", shown.get("anyOf", [{}])[0].get("maxItems")) == count
    levels = schemas["DepthReply"]["properties"]["bids"]["items"]
    assert levels == {
        "type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"},
    }  # fmt: skip
    assert (
        "-1140 PARAM_VALIDATE_ERROR (400)" in schemas["Error"]["properties"]["code"]["description"]
    )
    for document, address in (("/openapi.json", "/"), ("/w/mine/openapi.json", "/w/mine/")):
        assert urljoin(document, DOCUMENT["servers"][0]["url"]) == address
