"""A private channel resumed from a number: the missed frames, then the new ones, each once."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.client import Client
from support.helper_process import process_of
from support.holding import held
from support.listening import WAIT_S, Listener, Message, login
from support.listening_room import KEYS, ListeningRoom
from support.server import Server, flawless
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, price_contracts
from venue.core.messages.applied import Applied
from venue.core.messages.commands import CancelOrders, Command, PlaceOrder, Tick
from venue.core.messages.events import OrderPlaced
from venue.gateway.context import Node
from venue.gateway.streams.catchup import PAGE
from venue.gateway.streams.limits import SessionLimits, SocketLimits
from venue.rebuild import rebuild_history
from venue.recording.recorder import RENEWAL

INVALID = "INVALID_ARGUMENT: "
CHANNELS = {
    "spot": ("orders", "fill", "account"),
    "contract": ("orders", "fill", "account", "positions"),
}
WHOLE = "must be a whole number, from 0 to N"
ALICE = 10_000_001
QUEUE = 200  # frames of a small queue
SMALL = SocketLimits(
    session=SessionLimits(idle_s=WAIT_S, ping_s=WAIT_S, messages=None, changes=None),
    queue_frames=QUEUE,
    send_bytes=16 * 1024,
)
KEPT = 2 * PAGE  # frames of a small history


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with flawless("--no-agents", "--no-limits", folder=tmp_path_factory.mktemp("resume")) as found:
        price_contracts(found.client())
        yield found


def opened(server: Server, product: Product, name: str = "alice") -> Listener:
    return Listener(server.port, product.socket, login(server.account(name)))


def trade(server: Server, product: Product, times: int = 1) -> None:
    """Alice buys from bob what she asked for before: something in every channel of both."""
    alice, bob = server.client("alice"), server.client("bob")
    selling = {"side": "SELL"} | ({"positionSide": "SHORT"} if product is CONTRACT else {})
    for _ in range(times):
        for client, changes in ((alice, {}), (bob, selling)):
            answer = client.post(product.order, product.plain | changes)
            assert answer.status == 200, answer


def by_channel(frames: list[Message]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for frame in frames:
        found.setdefault(frame["e"], []).append(frame)
    return found


def up_to(listener: Listener, wanted: dict[str, int]) -> dict[str, list[Message]]:
    """Frames until each channel has come to a number."""
    found: list[Message] = []
    newest = dict.fromkeys(wanted, 0)
    while newest != wanted:
        found.append(listener.next())
        newest[found[-1]["e"]] = found[-1]["seq"]
    return by_channel(found)


def numbers(frames: list[Message]) -> list[int]:
    return [frame["seq"] for frame in frames]


def refused(listener: Listener, *params: str) -> str:
    answer = listener.ask({"method": "SUBSCRIBE", "params": list(params), "id": 7})
    assert (answer["result"], answer["id"]) == (False, 7)
    assert answer["msg"].startswith(INVALID)
    return str(answer["msg"]).removeprefix(INVALID)


def newest_of(listener: Listener, channel: str) -> int:
    """The number of a channel's newest frame, which a refusal tells."""
    return int(refused(listener, f"{channel}?from=999999").rpartition(" ")[2])


# -- resuming -------------------------------------------------------------------------------------


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_what_was_missed_and_then_what_happens(server: Server, product: Product) -> None:
    channels = CHANNELS[product.name]
    with opened(server, product) as always:
        always.subscribe(*channels)
        with opened(server, product) as first:
            first.subscribe(*channels)
            trade(server, product, 2)
            seen = by_channel(first.settle())
        last = {channel: numbers(seen[channel])[-1] for channel in channels}
        trade(server, product, 3)
        with opened(server, product) as again:
            again.subscribe(*(f"{channel}?from={last[channel]}" for channel in channels))
            trade(server, product, 2)
            told = by_channel(always.settle())
            missed = up_to(again, {channel: told[channel][-1]["seq"] for channel in channels})
            assert again.settle() == []
            trade(server, product)
            told_live, live = by_channel(always.settle()), by_channel(again.settle())
            assert live == told_live
    assert {channel: seen[channel] + missed[channel] for channel in channels} == told
    for channel in channels:
        found = numbers(told[channel])
        assert found == list(range(found[0], found[0] + len(found)))
    versions = sorted(frame["v"] for frames in told.values() for frame in frames)
    assert versions == list(range(versions[0], versions[0] + len(versions)))


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_from_the_beginning(server: Server, product: Product) -> None:
    """The other owner too, whose first socket was opened just now: its frames begin there."""
    with opened(server, product, "bob"):
        trade(server, product)
    newest: dict[str, int] = {}
    with opened(server, product, "bob") as bob:
        for channel in CHANNELS[product.name]:
            newest[channel] = newest_of(bob, channel)
        bob.subscribe(*(f"{channel}?from=0" for channel in CHANNELS[product.name]))
        told = up_to(bob, newest)
        assert bob.settle() == []
    for channel, frames in told.items():
        assert numbers(frames) == list(range(1, newest[channel] + 1))
        assert newest[channel] > 0


def test_the_answer_comes_first_and_nothing_else_when_nothing_was_missed(server: Server) -> None:
    trade(server, SPOT)
    with opened(server, SPOT) as alice:
        alice.say({"method": "SUBSCRIBE", "params": ["orders?from=0"], "id": 1})
        assert alice.receive() == {"result": True, "id": 1}
        assert alice.next()["seq"] == 1
        newest = newest_of(alice, "orders")
        up_to(alice, {"orders": newest})
    with opened(server, SPOT) as alice:
        alice.subscribe(f"orders?from={newest}")
        assert alice.settle() == []
        trade(server, SPOT)
        assert numbers(alice.settle())[0] == newest + 1


def test_other_spellings(server: Server) -> None:
    trade(server, CONTRACT)
    with opened(server, CONTRACT) as alice:
        alice.subscribe("order?from=0", "position?from=0")
        assert alice.next()["seq"] == 1
        alice.unsubscribe("orders?from=3", "position")
        alice.settle()
        trade(server, CONTRACT)
        assert alice.settle() == []


def test_two_subscriptions_of_a_channel_are_one(server: Server) -> None:
    with opened(server, SPOT) as alice:
        alice.subscribe("fill", "fill?from=0", "fill")
        alice.subscribe("fill")
        newest = newest_of(alice, "fill")
        up_to(alice, {"fill": newest})
        trade(server, SPOT)
        assert numbers(alice.settle()) == [newest + 1]
        # Named with a number again, it begins again there, and is one still.
        alice.subscribe(f"fill?from={newest - 1}")
        up_to(alice, {"fill": newest + 1})
        trade(server, SPOT)
        assert numbers(alice.settle()) == [newest + 2]
        alice.unsubscribe("fill")
        trade(server, SPOT)
        assert alice.settle() == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("orders?from=", f"invalid sequence : , {WHOLE}"),
        ("orders?from=x", f"invalid sequence : x, {WHOLE}"),
        ("orders?from=-1", f"invalid sequence : -1, {WHOLE}"),
        ("orders?from=1.0", f"invalid sequence : 1.0, {WHOLE}"),
        ("orders?from=1&from=2", f"invalid sequence : 1&from=2, {WHOLE}"),
        ("orders?from=٣", f"invalid sequence : \\u0663, {WHOLE}"),
        (f"orders?from={10**18}", f"invalid sequence : {10**18}, {WHOLE}"),
        (
            "order?from=1000000",
            "invalid sequence : 1000000, orders has come to N: must be at most N",
        ),
        ("orders?", "invalid event : orders?"),
        ("orders?to=5", "invalid event : orders?to=5"),
        ("nope?from=5", "invalid event : nope?from=5"),
        ("BTCUSDT@ticker?from=5", "invalid event : BTCUSDT@ticker?from=5"),
    ],
)  # fmt: skip
def test_what_cannot_be_resumed(server: Server, name: str, words: str) -> None:
    trade(server, SPOT)
    with opened(server, SPOT) as alice:
        newest = newest_of(alice, "orders")
        assert refused(alice, "account", name) == words.replace("N", str(newest))
        trade(server, SPOT)
        assert alice.settle() == []


def test_public_channels_have_no_past(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/public") as anyone:
        assert refused(anyone, "BTCUSDT@trade?from=0") == "invalid event : trade?from=0"


def test_many_frames_while_more_come(server: Server) -> None:
    """Thousands of frames pass while others are resumed over and over."""
    alice = server.client("alice")
    done = Event()

    def go_on() -> None:
        while not done.is_set():
            assert alice.post(SPOT.order, SPOT.plain).status == 200
            assert alice.delete(f"{SPOT.all}?symbol=BTCUSDT").status == 200

    with opened(server, SPOT):
        trade(server, SPOT, 100)
    trading = Thread(target=go_on)
    trading.start()
    try:
        for first in range(0, 500, 50):
            with opened(server, SPOT) as again:
                newest = newest_of(again, "orders")
                again.subscribe(f"orders?from={first}")
                found = [again.next() for _ in range(newest + 300 - first)]
                assert numbers(found) == list(range(first + 1, newest + 301))
                again.unsubscribe("orders")
    finally:
        done.set()
        trading.join()
    assert newest > 2_000


# -- small queues, a small history, and failures --------------------------------------------------


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


# -- restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_numbers_go_on_after_a_restart(tmp_path: Any, how: str) -> None:
    """With the frames that a rebuilt history has: the same."""
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents", "--no-limits")
    told: list[dict[str, list[Message]]] = []
    for _ in range(2):
        with Server(*state, folder=tmp_path) as server, opened(server, SPOT) as alice:
            trade(server, SPOT, 2)
            begun = Client(server.port, server.account("alice"))
            partly = SPOT.plain | {"side": "SELL", "quantity": "0.005"}
            assert begun.post(SPOT.order, SPOT.plain).status == 200
            assert server.client("bob").post(SPOT.order, partly).status == 200
            begun.close()
            alice.subscribe("orders?from=0", "fill?from=0", "account?from=0")
            newest = {channel: newest_of(alice, channel) for channel in CHANNELS["spot"]}
            told.append(up_to(alice, newest))
            if how == "stop":  # with a snapshot at its end
                assert server.stop() == 0
            else:
                server.kill()
    first, second = told
    for channel, frames in second.items():
        assert numbers(frames) == list(range(1, len(frames) + 1))
        assert frames[: len(first[channel])] == first[channel]
    # The order that was open at the restart still knows what its first fill cost.
    filled = [frame["d"][0] for frame in second["orders"] if frame["d"][0]["status"] == "FILLED"]
    assert {item["cumFillFee"] for item in filled} == {"0.00001000"}
    rebuild_history(str(tmp_path / "venue.db"))
    with Server(*state, folder=tmp_path) as server, opened(server, SPOT) as alice:
        alice.subscribe("orders?from=0", "fill?from=0", "account?from=0")
        assert up_to(alice, {channel: len(frames) for channel, frames in second.items()}) == second
