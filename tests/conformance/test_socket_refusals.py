"""Bad orders through both doors: a private socket refuses with the code and words of REST."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qsl

import pytest

from support.client import Answer
from support.listening import Listener, Message, login
from support.refusals import access, contracts, countdowns, numbers, orders
from support.refusals.cases import Case, signed
from support.refusals.stage import Stage

TRIES_MAX = 20  # the same words name a price that moves when time passes
METHODS = {
    ("POST", "/api/v3/order"): "ORDER.PLACE",
    ("DELETE", "/api/v3/order"): "ORDER.CANCEL",
    ("DELETE", "/api/v3/openOrders"): "ORDER.CANCEL_ALL",
    ("POST", "/api/v3/cancelAllAfter"): "ORDER.CANCEL_AFTER",
    ("POST", "/capi/v3/order"): "ORDER.PLACE",
    ("DELETE", "/capi/v3/order"): "ORDER.CANCEL",
    ("DELETE", "/capi/v3/allOpenOrders"): "ORDER.CANCEL_ALL",
    ("POST", "/capi/v3/cancelAllAfter"): "ORDER.CANCEL_AFTER",
}
UNREADABLE = ("trader",)  # its key may not read, so it opens no socket


def message_of(case: Case) -> Message | None:
    """The message that asks for what a request asks for; None for what no message can say."""
    path, _, query = case.target.partition("?")
    method = METHODS.get((case.method, path))
    if method is None or case.headers is not signed or case.who in (None, *UNREADABLE):
        return None
    if case.method == "POST":
        params = case.body if isinstance(case.body, dict) and not query else None
    else:
        pairs = parse_qsl(query, keep_blank_values=True)
        spelled = query.isascii() and len(dict(pairs)) == len(pairs)
        params = dict(pairs) if case.body is None and spelled else None
    return None if params is None else {"method": method, "id": case.row, "params": params}


def both_doors(base: str, *tables: Iterable[Case]) -> list[Case]:
    """The cases whose request is a message too, and which are refused there and here."""
    return [
        case
        for table in tables
        for case in table
        if case.target.startswith(base)
        and isinstance(case.code, int)
        and case.code < 0
        and message_of(case) is not None
    ]


SPOT = both_doors("/api/", orders.CASES, numbers.CASES, access.CASES, countdowns.CASES)
CONTRACT = both_doors("/capi/", contracts.CASES, access.CASES, countdowns.CASES)


class Doors:
    """A stage and a socket of each of its actors."""

    def __init__(self, stage: Stage, path: str) -> None:
        self._stage = stage
        self._path = path
        self._open = ExitStack()
        self._listeners: dict[str, Listener] = {}

    def rest(self, case: Case) -> tuple[Any, ...]:
        """Status, code, words and seconds to wait, as REST says them."""
        answer: Answer = self._stage.send(case)
        wait = answer.headers.get("retry-after")
        body = answer.json
        return answer.status, body["code"], body["msg"], None if wait is None else int(wait)

    def socket(self, case: Case) -> tuple[Any, ...]:
        """The same, as a socket says them; the message has nothing else in it."""
        message = message_of(case)
        assert message is not None
        assert case.who is not None
        answer = self._listener(case.who).ask(message)
        assert answer.pop("id") == message["id"]
        assert set(answer) <= {"status", "error", "retryAfter"}, answer
        assert list(answer["error"]) == ["code", "msg"]
        error = answer["error"]
        return answer["status"], error["code"], error["msg"], answer.get("retryAfter")

    def _listener(self, who: str) -> Listener:
        found = self._listeners.get(who)
        if found is None:
            headers = login(self._stage.accounts[who])
            made = Listener(self._stage.server.port, self._path, headers)
            found = self._listeners[who] = self._open.enter_context(made)
        return found

    def close(self) -> None:
        """Close all sockets."""
        self._open.close()


@pytest.fixture(scope="module")
def doors(stage: Stage) -> Iterator[Doors]:
    found = Doors(stage, "/spot/v3/ws/private")
    yield found
    found.close()


@pytest.fixture(scope="module")
def contract_doors(contract_venue_of_session: Stage) -> Iterator[Doors]:
    found = Doors(contract_venue_of_session, "/contract/v3/ws/private")
    yield found
    found.close()


def _same(doors: Doors, case: Case) -> None:
    for _ in range(TRIES_MAX):
        said, heard = doors.rest(case), doors.socket(case)
        if said == heard:
            break
    assert heard == said
    assert heard[:2] == (case.status, case.code)


def test_the_tables_are_covered() -> None:
    assert len(SPOT) > 150
    assert len(CONTRACT) > 250
    for product in (SPOT, CONTRACT):
        asked = {message["method"] for case in product if (message := message_of(case))}
        assert asked == set(METHODS.values())


@pytest.mark.parametrize("case", SPOT, ids=lambda case: case.row)
def test_spot(doors: Doors, case: Case) -> None:
    _same(doors, case)


@pytest.mark.usefixtures("contract_stage")
@pytest.mark.parametrize("case", CONTRACT, ids=lambda case: case.row)
def test_contract(contract_doors: Doors, case: Case) -> None:
    _same(contract_doors, case)
