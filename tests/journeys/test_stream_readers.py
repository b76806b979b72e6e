"""One client stalls, half-closes, resets or lags: every other hears all of every channel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.listening import Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.witness import KINDS, OWNER, Market, Reader, witnesses
from venue.api.streams.channels import Socket
from venue.gateway.streams import connection
from venue.gateway.streams.limits import SessionLimits, SocketLimits

PATIENT = SessionLimits(idle_s=60, ping_s=60, messages=None, changes=None)
LIMITS = SocketLimits(session=PATIENT, queue_frames=100, send_bytes=16 * 1024, close_s=0.1)
ACTS_MAX = 200
PRIVATE = "/spot/v3/ws/private"
FURTHER = 3  # acts after which every channel must have spoken again

each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.path for kind in KINDS])


@pytest.fixture(scope="module")
def room() -> Iterator[ListeningRoom]:
    with ListeningRoom(LIMITS) as found:
        yield found


@pytest.fixture(scope="module")
def market(room: ListeningRoom) -> Market:
    return Market(room)


@pytest.fixture
def quiet(room: ListeningRoom, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check after the test that nothing in it was a defect."""
    yield
    assert caplog.text == ""
    health = room.client().get("/_venue/health").json
    assert (health["status"], health["streamDefects"]) == ("ok", 0)


def stall(market: Market, reader: Reader) -> None:
    """Act until the venue holds frames that the reader does not take."""
    for _ in range(ACTS_MAX):
        if reader.unsent():
            return
        market.act()
    raise AssertionError("the system took everything")


def until_gone(market: Market, reader: Reader) -> None:
    """Act until the venue has let go of the reader."""
    for _ in range(ACTS_MAX):
        if reader.unsent() is None:
            return
        market.act()
    raise AssertionError("the venue keeps a reader that is gone")


@pytest.mark.usefixtures("quiet")
@each_kind
@pytest.mark.parametrize("way", ["stalled", "half-closed", "half-closed late", "reset", "slow"])
def test_readers(room: ListeningRoom, market: Market, kind: Socket, way: str) -> None:
    reader = Reader(room, kind)  # first: frames reach it before the witnesses
    with witnesses(room) as others:
        stall(market, reader)
        if way == "half-closed late":  # more waits than the transport takes: nothing is read
            market.act()
            market.act()
        if way.startswith("half-closed"):
            reader.end()
        elif way == "reset":
            reader.cable.cut()
        if way == "slow":
            for _ in range(FURTHER):
                reader.read()
                market.act()
        else:
            until_gone(market, reader)
        for _ in range(FURTHER):
            market.act()
            for witness in others:
                witness.hear()
        for witness in others:
            witness.check()
    reader.close()


class Counted:
    """A transport that notes the size of each write; everything else is the real one's."""

    def __init__(self, transport: Any, sizes: list[int]) -> None:
        self._transport = transport
        self._sizes = sizes

    def write(self, data: bytes) -> None:
        self._sizes.append(len(data))
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def count(room: ListeningRoom, listener: Listener) -> list[int]:
    """The sizes of all later writes to a listener."""
    port, sizes = listener.socket.local_address[1], list[int]()

    def act(_: Any) -> None:
        found = room.connection(port)
        found._transport = Counted(found._transport, sizes)

    room.do(act)
    return sizes


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("most", "writes"), [(connection.TOGETHER_BYTES, 2), (1_000, 5)])
def test_what_a_batch_tells_a_socket_leaves_with_one_write(
    room: ListeningRoom,
    market: Market,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    writes: int,
) -> None:
    """But for more than is written at once: then each frame by itself, in the same order."""
    monkeypatch.setattr(connection, "TOGETHER_BYTES", most)
    with Listener(room.port, PRIVATE, login(KEYS[OWNER]), compression=None) as listener:
        listener.subscribe("orders", "fill", "account")
        sizes = count(room, listener)
        market.act()  # an order rests, and is filled
        told = [listener.next() for _ in range(5)]
        assert [one["e"] for one in told] == ["orders", "account", "orders", "fill", "account"]
        assert [one["v"] - told[0]["v"] for one in told] == list(range(5))
        assert len(sizes) == writes
