"""The work of one health request, counted in calls: none for a stranger."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from support.listening_room import ListeningRoom
from venue.gateway.streams.limits import SocketLimits
from venue.node.node import Node

HEALTH = "/_venue/health"
THROUGH_A_PROXY = {"Via": "1.1 proxy"}
OF_A_PAGE = {"Origin": "http://page.example", "Sec-Fetch-Site": "cross-site"}
ORDERS = 40


@pytest.fixture(scope="module")
def room() -> Iterator[ListeningRoom]:
    with ListeningRoom(SocketLimits()) as found:
        yield found


def called(room: ListeningRoom, path: str, headers: dict[str, str | None]) -> Counter[str]:
    """How often each function ran on the venue's loop for one request that comes again."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            counted[frame.f_code.co_qualname] += 1

    client = room.client()
    client.get(path, headers=headers)  # the first one fills what is kept
    room.do(lambda _: sys.setprofile(count))
    client.get(path, headers=headers)
    room.do(lambda _: sys.setprofile(None))
    return counted


def fill(room: ListeningRoom) -> None:
    """More state: resting orders of one owner."""
    alice = room.client("alice")
    for number in range(ORDERS):
        body = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.0001"}
        placed = alice.post("/api/v3/order", {**body, "price": f"{50_000 + number}.00"})
        assert placed.status == 200, placed


@pytest.mark.parametrize("path", [HEALTH, f"{HEALTH}?stateHash=true"])
@pytest.mark.parametrize("headers", [THROUGH_A_PROXY, OF_A_PAGE], ids=["proxy", "page"])
def test_a_stranger_has_no_state_looked_at(
    room: ListeningRoom, headers: dict[str, str | None], path: str
) -> None:
    """Enemy: a stranger, or a web page, that asks for health to have the state digested.

    It is refused after the same few calls however much is open.
    """
    assert room.client().get(path, headers=headers).status == 403
    before = called(room, path, headers)
    fill(room)
    after = called(room, path, headers)
    assert before["Dispatcher.serve"] == after["Dispatcher.serve"] == 1
    assert not {"health", "state_hash"} & after.keys()
    assert before["OperatorDoor.check"] == after["OperatorDoor.check"] == (headers is not OF_A_PAGE)
    assert _of_the_door(before) == _of_the_door(after)


def test_an_operator_decides_whether_the_state_is_digested(room: ListeningRoom) -> None:
    """The count above would see it: an operator's request does compute it, unless told not to."""
    assert called(room, HEALTH, {})["state_hash"] == 1
    assert called(room, f"{HEALTH}?stateHash=false", {})["state_hash"] == 0


def test_questions_store_nothing_of_an_owner(room: ListeningRoom) -> None:
    """Most owners may never trade: health and lists give them no side, and no question stores a
    contract's modes."""
    operator, alice = room.client(), room.client("alice")
    one = alice.get("/capi/v3/account/symbolConfig?symbol=BTCUSDT")  # makes her contract side
    assert one.status == 200
    before = room.do(_sides)
    assert operator.post("/_venue/owners", {"name": "quiet"}).status == 200
    for client, path in (
        (operator, HEALTH), (operator, "/_venue/owners"),
        (alice, "/capi/v3/account/symbolConfig"),
    ):  # fmt: skip
        assert client.get(path).status == 200
    assert room.do(_sides) == before


def _sides(node: Node) -> tuple[list[int], dict[int, list[int]]]:
    """The owners with a spot side, and those with a contract side: of these their contracts."""
    holdings = node.engine.contracts.collateral.holdings
    contracts = {uid: list(holding.modes) for uid, holding in holdings.items()}
    return list(node.engine.spot.accounts), contracts


def _of_the_door(counted: Counter[str]) -> Counter[str]:
    """The calls of the door's own parts; ticks of the venue's clock may fall between them."""
    parts = ("Connection.", "Receiver.", "Request.", "Dispatcher.", "Desk.", "Operator", "Origins.")
    return Counter({name: count for name, count in counted.items() if name.startswith(parts)})
