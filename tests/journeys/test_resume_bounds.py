"""Resuming where queues and history are small, and where something fails."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.helper_process import process_of
from support.holding import held
from support.listening import Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.resuming import numbers, refused, up_to
from support.socket_desk import SPOT
from support.waits import WAIT_S
from venue.core.messages.applied import Applied
from venue.core.messages.commands import CancelOrders, Command, PlaceOrder, Tick
from venue.core.messages.events import OrderPlaced
from venue.gateway.streams.catchup import PAGE
from venue.gateway.streams.limits import SessionLimits, SocketLimits
from venue.node.node import Node
from venue.recording.recorder import RENEWAL

ALICE = 10_000_001
QUEUE = 200  # frames of a small queue
SMALL = SocketLimits(
    session=SessionLimits(idle_s=WAIT_S, ping_s=WAIT_S, messages=None, changes=None),
    queue_frames=QUEUE,
    send_bytes=16 * 1024,
)
KEPT = 2 * PAGE  # frames of a small history


@pytest.fixture
def room() -> Iterator[ListeningRoom]:
    with ListeningRoom(SMALL, frames_kept=KEPT) as found:
        yield found


def alice_at(room: ListeningRoom, **options: Any) -> Listener:
    return Listener(room.port, SPOT.socket, login(KEYS["alice"]), **options)


def stalled(room: ListeningRoom) -> Listener:
    """One with small buffers that does not read on by itself."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", room.port))
    return alice_at(room, sock=connection, max_queue=1, compression=None)


def submit(room: ListeningRoom, commands: list[Command]) -> None:
    """Have commands applied together, and wait for it."""

    def act(node: Node) -> asyncio.Future[list[Applied]]:
        return node.submit(commands)

    done = Event()
    room.do(act).add_done_callback(lambda _: done.set())
    assert done.wait(WAIT_S)


def order_frames(room: ListeningRoom, count: int) -> None:
    """So many frames of alice's orders: one of each placing, one of each cancelling."""
    pair = (
        lambda: PlaceOrder(ALICE, "BTCUSDT", 0, 0, 0, 1000, 4_000_000),
        lambda: CancelOrders(ALICE, "BTCUSDT"),
    )
    for begin in range(0, count, 100):
        submit(room, [pair[number % 2]() for number in range(begin, min(begin + 100, count))])


def closed(listener: Listener) -> tuple[int, str]:
    """The code and the reason with which the server ended it; read all frames before."""
    with pytest.raises(ConnectionClosed) as end:
        listener.until(lambda _: False)
    assert end.value.rcvd is not None
    return end.value.rcvd.code, end.value.rcvd.reason


def test_what_is_no_longer_kept(room: ListeningRoom) -> None:
    with alice_at(room):
        order_frames(room, KEPT + 500)
    with alice_at(room) as alice:
        words = "invalid sequence : 499, older frames of orders are not kept: must be at least 500"
        assert refused(alice, "orders?from=499") == words
        assert refused(alice, "orders?from=x").endswith(f"from 500 to {KEPT + 500}")
        alice.subscribe("orders?from=500")
        found = up_to(alice, {"orders": KEPT + 500})["orders"]
    assert numbers(found) == list(range(501, KEPT + 501))


def test_unsubscribing_while_the_past_is_told(room: ListeningRoom) -> None:
    with alice_at(room):
        order_frames(room, KEPT)
    with stalled(room) as alice:
        alice.say({"method": "SUBSCRIBE", "params": ["orders?from=0"], "id": 1})
        assert alice.receive() == {"result": True, "id": 1}
        alice.next()
        alice.unsubscribe("orders")
        told = len(alice.frames)
        assert numbers(alice.settle()) == list(range(2, told + 2))
        assert told < KEPT - 100
        order_frames(room, 10)
        assert alice.settle() == []
        alice.subscribe(f"orders?from={KEPT}")
        assert numbers(list(up_to(alice, {"orders": KEPT + 10})["orders"]))[0] == KEPT + 1


def test_a_reader_that_is_slow_is_waited_for(room: ListeningRoom) -> None:
    """More than its queue takes: the past comes at the reader's pace."""
    with alice_at(room):
        order_frames(room, KEPT)
    with stalled(room) as slow, alice_at(room) as quick:
        for listener in (slow, quick):
            listener.subscribe("orders?from=0")
        up_to(quick, {"orders": KEPT})
        order_frames(room, QUEUE // 2)
        quick.settle()
        told = up_to(slow, {"orders": KEPT + QUEUE // 2})["orders"]
    assert numbers(told) == list(range(1, KEPT + QUEUE // 2 + 1))


def test_a_reader_that_is_too_slow_for_what_happens(room: ListeningRoom) -> None:
    """With less than a page to go, frames wait for it as in its queue."""
    with alice_at(room):
        order_frames(room, PAGE)
    with stalled(room) as slow, alice_at(room) as quick:
        slow.subscribe("orders?from=0")
        quick.subscribe("orders")
        for _ in range(4):
            order_frames(room, QUEUE)
            quick.settle()
        code, reason = closed(slow)
        order_frames(room, 10)
        assert len(quick.settle()) == 10
    assert (code, reason[:10]) == (1008, "too slow: ")


def test_a_reader_that_is_too_slow_for_what_is_kept(room: ListeningRoom) -> None:
    with alice_at(room):
        order_frames(room, KEPT)
    with stalled(room) as slow:
        slow.subscribe("orders?from=0")
        assert slow.next()["seq"] == 1
        order_frames(room, KEPT)
        with alice_at(room) as quick:
            quick.subscribe(f"orders?from={2 * KEPT - 1}")
            up_to(quick, {"orders": 2 * KEPT})  # history has taken the old ones away
        assert closed(slow) == (1008, f"message {PAGE + 1} is no longer kept")


def test_without_history_nothing_is_resumed(
    room: ListeningRoom, caplog: pytest.LogCaptureFixture
) -> None:
    with alice_at(room):
        order_frames(room, KEPT)
    with stalled(room) as slow, alice_at(room) as alice:
        slow.subscribe("orders?from=0")
        assert slow.next()["seq"] == 1
        path, pid = room.do(lambda node: (node.history._path, process_of(node.history).pid))
        with held(path, pid):
            assert closed(slow) == (1011, "history is not available")
            assert refused(alice, "orders?from=1") == (
                "history is not available : nothing can be resumed"
            )
            alice.subscribe("orders")
            order_frames(room, 2)
            assert numbers(alice.settle()) == [KEPT + 1, KEPT + 2]
    assert "history failed" in caplog.text


def test_a_defect_ends_private_sockets_and_what_it_lost_is_not_passed_over(
    room: ListeningRoom, caplog: pytest.LogCaptureFixture
) -> None:
    impossible = OrderPlaced(1, ALICE, "NOPE", 0, 0, 0, 1, 1, "", 1)

    def spoil(node: Node) -> None:
        """The recorder meets an order of a market that is not listed."""
        applied = Applied(node.engine.sequence, node.engine.time, Tick(), [impossible])
        node.recorder.note(applied)

    with alice_at(room) as alice, alice_at(room) as resuming:
        alice.subscribe("orders")
        order_frames(room, 10)
        resuming.subscribe("orders?from=5", "fill?from=0")
        room.do(spoil)
        order_frames(room, 2)  # the venue goes on
        for listener in (alice, resuming):
            assert closed(listener) == (1011, "internal error")
    with alice_at(room) as alice:
        alice.subscribe("orders")
        assert closed(alice) == (1011, "internal error")
    assert "defect in the private frames" in caplog.text
    sequence = room.do(lambda node: node.engine.sequence)
    for begin in range(sequence, RENEWAL, 1000):
        submit(room, [Tick() for _ in range(min(1000, RENEWAL - begin))])
    with alice_at(room) as alice:
        words = refused(alice, "orders?from=10")
        assert words.endswith("older frames of orders are not kept: must be at least 11")
        alice.subscribe("orders?from=11", "fill?from=1")
        order_frames(room, 1)
        assert numbers(alice.settle()) == [12]


def test_a_login_waits_for_the_venue(room: ListeningRoom) -> None:
    """A venue that takes no more commands cannot note that a login was used."""
    with alice_at(room) as alice:
        room.do(lambda node: asyncio.ensure_future(node.sequencer.stop()))
        alice.subscribe("orders?from=0")
        for name in ("alice", "bob"):
            with pytest.raises(InvalidStatus) as busy:
                Listener(room.port, SPOT.socket, login(KEYS[name]))
            assert busy.value.response.status_code == 503
            assert json.loads(busy.value.response.body)["code"] == -1008
