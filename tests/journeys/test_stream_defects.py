"""Defects in streams, planted: each ends what it touched, nobody else, and health counts it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from support.listening import Book, Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.socket_desk import SPOT as SPOT_ORDERS
from support.socket_desk import place
from support.waits import WAIT_S
from support.witness import KINDS, OWNER, Market, Witness, channels, witnesses
from venue.api.streams.channels import Socket, trade
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.gateway.access.auth import Authenticator
from venue.gateway.streams import hub, socket_orders
from venue.gateway.streams.catchup import CatchUp
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.limits import SessionLimits, SocketLimits
from venue.gateway.streams.public_frames import Shaper, shaper
from venue.gateway.streams.session import Session
from venue.vocabulary import Product

SPOT = "/spot/v3/ws/public"
PRIVATE = "/spot/v3/ws/private"
PATIENT = SessionLimits(idle_s=60, ping_s=60, messages=None, changes=None)
INTERNAL_ERROR = 1011

each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.path for kind in KINDS])


@pytest.fixture
def room() -> Iterator[ListeningRoom]:
    with ListeningRoom(SocketLimits(session=PATIENT)) as found:
        yield found


@pytest.fixture
def market(room: ListeningRoom) -> Market:
    return Market(room)


class Planted(Exception):
    """The exception that a defect raises here."""


def fail(*_: Any, **__: Any) -> Any:
    raise Planted


def defects(room: ListeningRoom) -> int:
    """As health counts them; its status says that there are some."""
    health = room.client().get("/_venue/health").json
    count = int(health["streamDefects"])
    words = f"streams failed: {count} since the start, see the log" if count else "ok"
    assert health["status"] == words
    return count


def closed(listener: Listener) -> int | None:
    """The code of a close that comes by itself; None when the connection broke."""
    with pytest.raises(ConnectionClosedError) as found:
        _drain(listener)
    return found.value.rcvd.code if found.value.rcvd is not None else None


def _drain(listener: Listener) -> None:
    while True:
        listener.socket.recv(WAIT_S)


def hear(market: Market, others: list[Witness]) -> None:
    """Every channel says something new, and nothing is missing."""
    for _ in range(2):
        market.act()
        for witness in others:
            witness.hear()
    for witness in others:
        witness.check()


# -- one connection -------------------------------------------------------------------------------


class Torn:
    """A transport on which a call fails; everything else is the real one's."""

    def __init__(self, transport: Any, *broken: str) -> None:
        self._transport = transport
        for name in broken:
            setattr(self, name, fail)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def tear(room: ListeningRoom, listener: Listener, *broken: str) -> None:
    """From now on calls of a listener's transport fail."""
    port = listener.socket.local_address[1]

    def act(_: Any) -> None:
        found = room.connection(port)
        found._transport = Torn(found._transport, *broken)

    room.do(act)


@each_kind
@pytest.mark.parametrize("broken", [("write",), ("write", "abort")], ids="-".join)
def test_a_write_that_raises(
    room: ListeningRoom, market: Market, kind: Socket, broken: tuple[str, ...]
) -> None:
    with Listener(room.port, kind.path, login(KEYS[OWNER])) as bad:
        bad.subscribe(*channels(kind))
        bad.settle()
        tear(room, bad, *broken)
        with witnesses(room) as others:
            hear(market, others)
        assert defects(room) == len(broken)
        if "abort" not in broken:
            assert closed(bad) is None


def test_a_defect_when_the_venue_stops() -> None:
    with ListeningRoom(SocketLimits(session=PATIENT)) as room:
        bad, good = Listener(room.port, SPOT), Listener(room.port, SPOT)
        tear(room, bad, "write")
    assert closed(good) == 1012
    assert closed(bad) is None
    good.close()
    bad.close()


@pytest.mark.parametrize("name", ["begin", "hear", "quit"])
def test_a_defect_in_a_session(
    room: ListeningRoom, market: Market, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with witnesses(room) as others, Listener(room.port, SPOT) as bad:
        bad.subscribe("BTCUSDT@trade")
        port = bad.socket.local_address[1]
        with monkeypatch.context() as patch:
            patch.setattr(Session, name, fail)
            if name == "begin":
                with pytest.raises(ConnectionClosedError):
                    Listener(room.port, SPOT)
            else:
                bad.say({"method": "UNSUBSCRIBE", "params": ["BTCUSDT@trade"], "id": 1})
                if name == "quit":
                    bad.close()
                while room.unsent(port) is not None:
                    pass
        hear(market, others)
    assert defects(room) == (2 if name == "quit" else 1)  # it is tried again at the very end


def test_a_defect_in_a_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = SocketLimits(session=SessionLimits(ping_s=0.05, idle_s=60))
    with ListeningRoom(limits) as room, Listener(room.port, PRIVATE, login(KEYS[OWNER])) as bad:
        bad.subscribe("orders")
        monkeypatch.setattr(Session, "_now_ms", fail)
        assert closed(bad) is None
        assert defects(room) == 1


def test_a_defect_in_a_login(
    room: ListeningRoom, market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    with witnesses(room) as others:
        with monkeypatch.context() as patch:
            patch.setattr(Authenticator, "verify", fail)
            with pytest.raises(InvalidStatus) as found:
                Listener(room.port, PRIVATE, login(KEYS[OWNER]))
        assert found.value.response.status_code == 500
        hear(market, others)
    assert defects(room) == 1


def test_a_defect_in_a_resumed_channel(
    room: ListeningRoom, market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    with witnesses(room) as others:
        with monkeypatch.context() as patch, Listener(
            room.port, PRIVATE, login(KEYS[OWNER])
        ) as bad:  # fmt: skip
            patch.setattr(CatchUp, "_catch_up", fail)
            bad.subscribe("orders?from=0")
            assert closed(bad) == INTERNAL_ERROR
        hear(market, others)
    assert defects(room) == 1


def test_an_answer_that_cannot_be_encoded(
    room: ListeningRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = socket_orders._encode

    def made(answer: Any) -> bytes:
        return bytes(fail() if answer.status == 200 else encode(answer))

    monkeypatch.setattr(socket_orders, "_encode", made)
    with Listener(room.port, PRIVATE, login(KEYS[OWNER])) as alice:
        answer = alice.ask(place(SPOT_ORDERS))
        assert answer["status"] == 500
        assert alice.settle() == []


# -- one channel ----------------------------------------------------------------------------------


class Faulty:
    """A shaper of which calls fail while they are named in `broken`."""

    def __init__(self, real: Shaper, broken: set[str]) -> None:
        self._real = real
        self._broken = broken
        self.heeds = real.heeds

    def first(self, now: int) -> bytes:
        return fail() if "first" in self._broken else self._real.first(now)

    def later(self, now: int) -> bytes | None:
        return fail() if "later" in self._broken else self._real.later(now)

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        if "note" in self._broken:
            fail()
        self._real.note(time, trade)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """By channel, the calls of shapers that fail from now on."""
    found: dict[str, set[str]] = {}

    def made(*given: Any) -> Shaper:
        return Faulty(shaper(*given), found.setdefault(given[-1], set()))

    monkeypatch.setattr(hub, "shaper", made)
    return found


@pytest.mark.parametrize(
    ("channel", "call"),
    [("depth15", "later"), ("ticker", "later"), ("trade", "later"), ("trade", "note")],
)
def test_a_frame_that_cannot_be_made(
    room: ListeningRoom, market: Market, broken: dict[str, set[str]], channel: str, call: str
) -> None:
    """A listener that misses a frame is told so; a later one has the channel from its beginning."""
    with Listener(room.port, SPOT) as bad, Listener(room.port, SPOT) as good:
        bad.subscribe(f"BTCUSDT@{channel}", "BTCUSDT@bookTicker")
        good.subscribe("BTCUSDT@bookTicker", "BTCUSDT@kline_1m_LAST_PRICE")
        good.settle()
        broken[channel].add(call)
        market.act()
        assert closed(bad) == INTERNAL_ERROR
        assert {frame["e"] for frame in good.settle()} == {"bookTicker", "kline"}
    broken[channel].clear()
    assert defects(room) == 1
    with witnesses(room) as others:
        hear(market, others)
    assert defects(room) == 1


def test_a_first_frame_that_cannot_be_made(
    room: ListeningRoom, market: Market, broken: dict[str, set[str]]
) -> None:
    with Listener(room.port, SPOT) as early:
        early.subscribe("BTCUSDT@depth15")
        book = Book(early.next())
        market.act()
        for frame in early.settle():
            book.take(frame)
        for channel in ("depth15", "trade"):  # with a listener, and without one
            broken.setdefault(channel, set()).add("first")
            with Listener(room.port, SPOT) as bad:
                bad.subscribe(f"BTCUSDT@{channel}")
                assert closed(bad) == INTERNAL_ERROR
            broken[channel].clear()
        assert room.do(lambda _: list(room.hub._public)) == [(Product.SPOT, "BTCUSDT", "depth15")]
        with witnesses(room) as others:
            hear(market, others)
        for frame in early.settle():
            book.take(frame)
    assert defects(room) == 2


class Blind:
    """A table that cannot be read."""

    get = staticmethod(fail)


def test_events_that_cannot_be_followed(
    room: ListeningRoom, market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The venue goes on: it stops for defects of its own, not for those of its streams."""
    with Listener(room.port, PRIVATE, login(KEYS[OWNER])) as private:
        private.subscribe("orders")
        with monkeypatch.context() as patch, Listener(room.port, SPOT) as bad:
            bad.subscribe("BTCUSDT@trade", "BTCUSDT@ticker")
            patch.setattr(hub, "TOUCHES", Blind)
            market.act()
            assert closed(bad) == INTERNAL_ERROR
        assert defects(room) == 1
        assert {frame["e"] for frame in private.settle()} == {"orders"}
        with witnesses(room) as others:
            hear(market, others)


class Ear:
    """A listener in the venue itself; one that is `slow` is gone with the frame after its first."""

    def __init__(self, leave: Callable[[Ear], None] | None = None) -> None:
        self.frames: list[bytes] = []
        self._leave = leave

    def send(self, frame: Frame) -> None:
        self.frames.append(frame.plain)
        if self._leave is not None and len(self.frames) > 1:
            self._leave(self)

    def send_all(self, frames: list[Frame]) -> None:
        for frame in frames:
            self.send(frame)

    def end(self, code: int, reason: str) -> None:
        raise AssertionError(reason)

    def drop(self) -> None:
        raise AssertionError("dropped")

    def mute(self, seconds: float | None) -> None:
        raise AssertionError(f"muted for {seconds}")

    def fits(self, frames: int, size: int) -> bool:
        return True

    async def ready(self) -> None:
        """It always is."""


def test_a_channel_whose_last_listener_goes_while_another_joins(
    room: ListeningRoom, market: Market
) -> None:
    key = (Product.SPOT, "BTCUSDT", "trade")
    late = Ear()
    slow = Ear(lambda ear: room.hub.leave(ear, key))

    def follow(batch: list[Applied]) -> None:
        """Join between a trade and its frame."""
        traded = any(isinstance(event, Trade) for applied in batch for event in applied.events)
        if traded and not late.frames:
            room.hub.join(late, key, trade)

    room.do(lambda _: room.hub.join(slow, key, trade))
    room.do(lambda node: node.outbox.follow(follow))
    for _ in range(3):
        market.act()
    assert room.do(lambda _: (len(slow.frames), len(late.frames))) == (2, 3)
    assert defects(room) == 0


# -- on the way to a stream -----------------------------------------------------------------------


def test_an_upgrade_waits_for_the_answers_before_it(room: ListeningRoom, market: Market) -> None:
    upgrade = (
        f"GET {SPOT} HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    ping = "GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\n\r\n"
    with socket.create_connection(("127.0.0.1", room.port), WAIT_S) as wire:
        wire.sendall((ping + upgrade).encode())
        answers = b""
        while more := wire.recv(65536):
            answers += more
    first, second = answers.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200 ")
    assert second.startswith(b"400 ")
    assert b"An upgrade must wait for the answers before it." in second
    with socket.create_connection(("127.0.0.1", room.port), WAIT_S) as wire:
        wire.sendall(ping.encode())
        assert wire.recv(65536).startswith(b"HTTP/1.1 200 ")
        wire.sendall(upgrade.encode())
        assert wire.recv(12) == b"HTTP/1.1 101"
