"""A thousand sockets before `venue dev`: listeners lose no frame to those that misbehave."""

from __future__ import annotations

from pathlib import Path

from support.server import Server
from support.square import Sizes, hold

SIZES = Sizes(listening=700, stalling=100, closing=100, flooding=100, acts=40)


def test_listeners_lose_nothing_to_a_crowd(tmp_path: Path) -> None:
    """Enemy: a hundred clients that stop reading, a hundred that half-close, a hundred that flood.

    Every listener hears every frame of its channels: all of a channel hear the same bytes, each
    book continues from its snapshot, the trades are those that the venue shows, and private frames
    have consecutive numbers. The venue lets go of all of them in the end.
    """
    with Server(folder=tmp_path) as server:
        figures = hold(server, SIZES)
        assert figures.stalled == SIZES.stalling
        assert figures.ended == SIZES.closing
        assert figures.floods >= SIZES.flooding
        assert figures.frames > SIZES.listening * SIZES.acts
        health = server.client().get("/_venue/health").json
        assert (health["status"], health["streamDefects"]) == ("ok", 0)
        assert server.stop() == 0
        assert "Traceback" not in server.errors.read_text()
