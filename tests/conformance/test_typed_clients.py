"""Strict typed clients, made from the document, read every public and private answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.page_types import written

from support import ts_types
from support.client import Client
from support.go_decoder import Source, built, refused
from support.raw import Desk, order, priced
from support.server import Server
from venue.api.documents.openapi import openapi
from venue.api.documents.table import ROWS
from venue.api.operation import Row, request_type
from venue.vocabulary import Access

V3, SPOT, SYMBOL = "/capi/v3", "/api/v3", "BTCUSDT"
LONG, SHORT = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
# Values of the fields that a reading operation requires.
SAMPLES: dict[str, Any] = {
    "symbol": SYMBOL, "interval": "1m", "asset": "USDT", "id": 1, "articleId": 1, "coin": "USDT",
    "priceType": "LAST", "type": "SPOT",
}  # fmt: skip
NOT_ALICES = ("affiliate", "agency", "apiReferral", "/content/", "/copy/")


DOCUMENT = openapi(ROWS, "0")
COMPONENTS = DOCUMENT["components"]["schemas"]
ANSWERS = {
    told["operationId"]: told["responses"]["200"]["content"]["application/json"]["schema"]
    for methods in DOCUMENT["paths"].values()
    for told in methods.values()
}


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Source(COMPONENTS)
    for name, schema in ANSWERS.items():
        source.add(name, schema)
    return built(source, tmp_path_factory.mktemp("go"))


class Session:
    """The questions of alice, and the answers with the names of their operations."""

    def __init__(self, desk: Desk) -> None:
        self.alice: Client = desk.alice
        self.answers: list[tuple[str, bytes]] = []
        self._names = {(row.method, row.path.rstrip("/")): row.name for row in ROWS}

    def ask(self, method: str, target: str, body: Any = None) -> Any:
        answer = self.alice.call(method, target, body)
        assert answer.status == 200, (target, body, answer)
        name = self._names[method, target.partition("?")[0].rstrip("/")]
        self.answers.append((name, answer.body))
        return answer.json


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("typed")
    with Server("--no-agents", "--batch-place", folder=folder) as server, priced(server) as desk:
        found = Session(desk)
        trade(desk, found)
        read(found)
        yield found


def trade(desk: Desk, session: Session) -> None:
    """Alice does of everything one, and leaves something open."""
    ask = session.ask
    for path, buys, sells in ((f"{SPOT}/order", {}, {}), (f"{V3}/order", LONG, SHORT)):
        desk.bob.post(path, order(SYMBOL, "SELL", "0.02", "60000", timeInForce="GTC", **sells))
        ask("POST", path, order(SYMBOL, "BUY", "0.02", "60000", timeInForce="GTC", **buys))
        resting = order(SYMBOL, "BUY", "0.01", "59000", timeInForce="GTC", **buys)
        ask("POST", path, resting)
        gone = ask("POST", path, resting | {"price": "58000"})
        ask("DELETE", f"{path}?orderId={gone['orderId']}")
        ask("GET", f"{path}?symbol={SYMBOL}&orderId={gone['orderId']}")
    ask("POST", f"{SPOT}/order/batch", {"symbol": SYMBOL, "orderList": [
        {"side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01", "price": "59000"}
    ]})  # fmt: skip
    batch = order(SYMBOL, "BUY", "0.01", "59000", timeInForce="GTC", **LONG)
    ask("POST", f"{V3}/batchOrders", {"batchOrders": [batch]})
    stop = {"symbol": SYMBOL, "side": "SELL", **LONG, "type": "STOP_MARKET", "quantity": "0.01"}
    ask("POST", f"{V3}/algoOrder", stop | {"triggerPrice": "57000", "clientAlgoId": "stop"})
    exits = {"symbol": SYMBOL, "planType": "STOP_LOSS", "triggerPrice": "56000", **LONG}
    placed = ask("POST", f"{V3}/placeTpSlOrder", exits | {"clientAlgoId": "exit", "quantity": "0"})
    ask("POST", f"{V3}/account/leverage", {"symbol": SYMBOL, "crossLeverage": "25"})
    ask("POST", f"{SPOT}/cancelAllAfter", {"timeout": 600})
    ask("POST", f"{V3}/cancelAllAfter", {"timeout": 600})
    assert placed


def read(session: Session) -> None:
    """Every operation that reads, for the public or for alice."""
    for row in ROWS:
        if row.access not in (Access.PUBLIC, Access.READ) or "{" in row.path:
            continue
        if any(part in row.path for part in NOT_ALICES) or row.path.endswith("/order"):
            continue
        if row.method == "GET":
            session.ask("GET", f"{row.path}?{query(row)}")
        elif row.method == "POST":
            session.ask("POST", row.path, {})


def query(row: Row) -> str:
    names = [name for name in request_type(row).__struct_fields__ if name in SAMPLES]
    values = SAMPLES | ({"symbol": "BTCSUSDT"} if "/sim/" in row.path else {})
    return "&".join(f"{name}={values[name]}" for name in names)


def test_go_reads_every_answer(decoder: Path, session: Session) -> None:
    assert refused(decoder, session.answers) == []
    assert len({name for name, _ in session.answers}) > 60, sorted(dict(session.answers))


def in_typescript(answers: list[tuple[str, bytes]], folder: Path) -> list[str]:
    typed = [(name, written(ANSWERS[name]), text) for name, text in answers]
    return ts_types.refused(ts_types.declared(COMPONENTS), typed, folder)


def test_typescript_reads_every_answer(session: Session, tmp_path: Path) -> None:
    assert in_typescript(session.answers, tmp_path) == []


def test_typescript_refuses(tmp_path: Path) -> None:
    found = in_typescript(
        [
            ("time", b'{"serverTime":"5"}'),
            ("time", b"{}"),
            ("time", b'{"serverTime":5,"other":1}'),
            ("time", b'{"serverTime":9007199254740992}'),
            ("contract_depth", b'{"lastUpdateId":1,"asks":[[1,2]],"bids":[]}'),
        ],
        tmp_path,
    )
    assert found[0] == "time: 9007199254740992"
    words = (
        "'string' is not assignable",
        "is missing",
        "'\"other\"' does not exist",
        "'number' is not",
    )
    for word in words:
        assert any(word in line for line in found[1:]), (word, found)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("time", b'{"serverTime":"5"}', "cannot unmarshal string"),
        ("time", b'{"serverTime":5.5}', "cannot unmarshal number 5.5"),
        ("time", b"{}", "time.serverTime is missing"),
        ("time", b'{"serverTime":5,"other":1}', 'unknown field "other"'),
        ("contract_depth", b'{"lastUpdateId":1,"asks":[[1,2]],"bids":[]}', "cannot unmarshal"),
    ],
)
def test_go_refuses(decoder: Path, name: str, text: bytes, words: str) -> None:
    (found,) = refused(decoder, [(name, text)])
    assert words in found
