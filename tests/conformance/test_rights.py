"""Rights at every door: each permission with each operation, as the operation's row declares it.

The cells are made of the rows; what each must come to is reckoned from its row alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import combinations
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from support.client import Answer, Client
from support.listening import Listener, login
from support.real_venue import ok
from support.server import Server, flawless
from support.socket_desk import price_contracts
from support.worlds import made
from venue import Refused, Venue
from venue.api.documents.table import ROWS
from venue.api.operation import Row
from venue.api.streams.channels import CANCEL_ON_DISCONNECT, METHODS, PLACE, SOCKETS
from venue.vocabulary import Access, Product

WORLD = "rights"
SYMBOL = "BTCSUSDT"
GRANTED = (Access.READ, Access.SPOT_TRADE, Access.CONTRACT_TRADE, Access.COPY_TRADE)
TRADES = {Access.SPOT_TRADE, Access.CONTRACT_TRADE}
OWNERS = {Access.READ, *TRADES}  # the rights of an operator who acts for an owner
# Sets of permissions that a key may have: a lead trader's key has none to trade.
SETS = [
    set(found)
    for size in range(1, len(GRANTED) + 1)
    for found in combinations(GRANTED, size)
    if Access.COPY_TRADE not in found or TRADES.isdisjoint(found)
]
THEIR = {"symbol": SYMBOL, "positionSide": "LONG"}
EXIT = {**THEIR, "planType": "STOP_LOSS", "triggerPrice": "30000"}
# Requests that no lead trader's key may make of the rows that let it in.
BEYOND: dict[str, dict[str, Any]] = {
    "place_contract_order": {**THEIR, "side": "BUY", "type": "MARKET", "quantity": "0.01"},
    "close_positions": {"symbol": "ETHSUSDT"},
    "place_exit": EXIT | {"clientAlgoId": "part", "quantity": "0.01"},
    "change_exit": {"orderId": 1, "triggerPrice": "31000"},
}
# Requests that open the rows that are closed by a setting, or to all but affiliates.
OPENED: dict[str, dict[str, Any]] = {
    "settings": {"batchPlace": True, "contractBatchPlace": True},
    "affiliates": {"owner": "alice", "code": "RIGHTS"},
}
HEADERS: dict[str, str | None] = {"X-Forwarded-For": "192.0.2.7"}  # no operator sends it


def may(row: Row, access: set[Access]) -> bool:
    """Whether a key with these permissions may ask this of the row."""
    return row.access is Access.PUBLIC or row.access in access


def name_of(access: set[Access]) -> str:
    return "+".join(bit.name for bit in Access if bit in access)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Alice leads with one tracked long position, in the venue alone."""
    options = ("--no-agents", "--no-history", "--no-limits")
    with flawless(*options, folder=tmp_path_factory.mktemp("rights")) as found:
        operator = found.client()
        price_contracts(operator)
        ok(operator, "leads", {"owner": "alice", "asset": "SUSDT"})
        made(found, WORLD)
        for prefix in ("", f"/w/{WORLD}"):
            for path, body in OPENED.items():
                answer = operator.post(f"{prefix}/_venue/{path}", body)
                assert answer.status == 200, answer
        maker = {"side": "SELL", "positionSide": "SHORT", "type": "LIMIT", "price": "60000"}
        rest = {"symbol": SYMBOL, "quantity": "1", "timeInForce": "GTC", **maker}
        assert found.client("bob").post("/capi/v3/order", rest).status == 200
        opening = {**BEYOND["place_contract_order"], "quantity": "0.1"}
        assert found.client("alice").post("/capi/v3/order", opening).status == 200
        bid = rest | {"side": "BUY", "positionSide": "LONG", "price": "59000"}
        assert found.client("bob").post("/capi/v3/order", bid).status == 200
        yield found


def keyed(server: Server, prefix: str, access: set[Access]) -> Client:
    """A client with a key of alice's that has these permissions."""
    body = {"owner": "alice", "permissions": [bit.name for bit in Access if bit in access]}
    answer = server.client().post(f"{prefix}/_venue/keys", body)
    assert answer.status == 200, answer
    return server.client(answer.json)


def sent(
    client: Client, prefix: str, row: Row, values: dict[str, Any], headers: dict[str, str | None]
) -> Answer:
    """One request with these parameters; signed where the client has a key."""
    path = row.path.format_map(dict.fromkeys(("name", "key", "id", "rule", "owner"), "x"))
    body = values if row.in_body else None
    raw = b"" if body is None else str(body).replace("'", '"').encode()
    signed = client.headers(row.method, path, raw)
    return client.call(row.method, prefix + path, raw, headers=signed | headers)


def judged(row: Row, allowed: bool, status: int, code: int) -> str:
    """The fault of a cell's outcome; empty: none."""
    if row.access is Access.OPERATOR:
        right = (status, code) == (403, -1051)
    elif allowed:
        right = status not in (401, 403)
    else:
        right = (status, code) == (403, -1052)
    return "" if right else f"{row.method} {row.path}: {status} {code}, allowed: {allowed}"


def code_of(answer: Answer) -> int:
    told = answer.json
    return int(told.get("code", 0)) if isinstance(told, dict) else 0


def found_wrong(
    client: Client, prefix: str, access: set[Access], headers: dict[str, str | None]
) -> list[str]:
    """Try every row; the cells with another outcome than their row declares."""
    wrong = []
    for row in ROWS:
        answer = sent(client, prefix, row, BEYOND.get(row.name, {}), headers)
        wrong.append(judged(row, may(row, access), answer.status, code_of(answer)))
    return [said for said in wrong if said]


def test_every_row_that_lets_a_lead_in_has_a_request_beyond_it() -> None:
    assert {row.name for row in ROWS if row.lead} == set(BEYOND)
    assert {row.access for row in ROWS} == set(Access)


@pytest.mark.parametrize("prefix", ["", f"/w/{WORLD}"], ids=["venue", "world"])
@pytest.mark.parametrize("access", SETS, ids=name_of)
def test_requests(server: Server, prefix: str, access: set[Access]) -> None:
    """Single orders, batches and all else over REST, in the venue and in a world."""
    client = keyed(server, prefix, access)
    assert found_wrong(client, prefix, access, HEADERS) == []


@pytest.mark.parametrize("access", SETS, ids=name_of)
@pytest.mark.parametrize(
    "path", [one.path for one in SOCKETS if one.private], ids=lambda path: path
)
def test_sockets(server: Server, path: str, access: set[Access]) -> None:
    """A key opens a private socket with READ; every operation there is as over REST."""
    (product,) = [one.product for one in SOCKETS if one.path == path]
    headers = login(keyed(server, "", access).account or {})
    if Access.READ not in access:
        with pytest.raises(InvalidStatus) as refusal:
            Listener(server.port, path, headers)
        assert refusal.value.response.status_code == 403
        return
    with Listener(server.port, path, headers) as desk:
        wrong = []
        for method, row in METHODS[product].items():
            params = BEYOND.get(row.name, {})
            answer = desk.ask({"method": method, "id": 1, "params": params})
            code = answer.get("error", {}).get("code", 0)
            wrong.append(judged(row, may(row, access), answer["status"], code))
        assert [said for said in wrong if said] == []
        switch = {"method": CANCEL_ON_DISCONNECT, "id": 2, "params": {"enabled": True}}
        assert desk.ask(switch)["result"] is may(METHODS[product][PLACE], access)


@pytest.mark.parametrize("prefix", ["", f"/w/{WORLD}"], ids=["venue", "world"])
def test_operators_who_act_for_an_owner(server: Server, prefix: str) -> None:
    """Such an operator may ask what the owner may, and nothing that is an operator's."""
    rows = [row for row in ROWS if row.access is not Access.OPERATOR]
    with closing(Client(server.port)) as operator:
        wrong = []
        for row in rows:
            answer = sent(
                operator, prefix, row, BEYOND.get(row.name, {}), {"X-Venue-Act-As": "alice"}
            )
            wrong.append(judged(row, may(row, OWNERS), answer.status, code_of(answer)))
    assert [said for said in wrong if said] == []


def test_callers_without_a_key(server: Server) -> None:
    """They get what is public: an operator's own rows are tried in `test_operator_door`."""
    with closing(Client(server.port)) as anyone:
        for row in ROWS:
            answer = sent(anyone, "", row, {}, HEADERS)
            if row.access is Access.OPERATOR:
                assert (answer.status, code_of(answer)) == (403, -1051), row
            elif row.access is not Access.PUBLIC:
                assert code_of(answer) == -1040, (row, answer)
            else:
                assert answer.status not in (401, 403), (row, answer)


def test_the_library() -> None:
    """Code that holds the venue may ask everything of every owner."""
    with Venue(agents=False) as venue:
        venue.call("set_affiliate", **OPENED["affiliates"])
        refused = [row.name for row in ROWS if _refused(venue, row)]
    assert refused == []


def _refused(venue: Venue, row: Row) -> bool:
    """Whether the library says that a right is lacking."""
    if row.access is Access.OPERATOR:
        return False  # the library has calls of its own for those
    try:
        venue._ask(row, "" if row.access is Access.PUBLIC else "alice", **BEYOND.get(row.name, {}))
    except Refused as refusal:
        return refusal.code in (-1051, -1052)
    return False


WITHIN: Sequence[tuple[str, dict[str, Any]]] = (
    ("placeTpSlOrder", EXIT | {"clientAlgoId": "whole"}),
    ("order", {**THEIR, "side": "SELL", "type": "MARKET", "quantity": "0.02"}),
    ("closePositions", {"symbol": SYMBOL}),
)


def test_a_lead_closes_what_it_leads_at_every_door(server: Server) -> None:
    """The other half of a lead's right: within it no door refuses."""
    price_contracts(server.client())  # the last one may be old by now
    client = keyed(server, "", {Access.READ, Access.COPY_TRADE})
    path = next(one.path for one in SOCKETS if one.private and one.product is Product.CONTRACT)
    with Listener(server.port, path, login(client.account or {})) as desk:
        closing_ = {**THEIR, "side": "SELL", "type": "MARKET", "quantity": "0.01"}
        answer = desk.ask({"method": PLACE, "id": 1, "params": closing_})
        assert answer["status"] == 200, answer
        for change in (
            {"side": "BUY"}, {"positionSide": "SHORT"}, {"symbol": "ETHSUSDT"},
            {"type": "LIMIT", "price": "60000", "timeInForce": "GTC"},
        ):  # fmt: skip
            answer = desk.ask({"method": PLACE, "id": 1, "params": closing_ | change})
            assert (answer["status"], answer["error"]["code"]) == (403, -1052), change
    for name, body in WITHIN:
        closed = client.post(f"/capi/v3/{name}", body)
        assert closed.status == 200, closed
