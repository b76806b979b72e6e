"""One client stalls, half-closes, resets or lags: every other hears all of every channel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.listening_room import ListeningRoom
from support.witness import KINDS, Market, Reader, witnesses
from venue.api.streams import Socket
from venue.gateway.connection import SocketLimits
from venue.gateway.session import SessionLimits

PATIENT = SessionLimits(idle_s=60, ping_s=60, messages=None, changes=None)
LIMITS = SocketLimits(session=PATIENT, queue_frames=100, send_bytes=16 * 1024, close_s=0.1)
ACTS_MAX = 200
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
    """Whatever the test does is no defect."""
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
