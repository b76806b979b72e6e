"""Private frames in history: exactly once, the newest ones, in order."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.helper_process import process_of
from support.recording import Room, contract_commands, spot_commands
from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.helpers.link import HelperFailed
from venue.history.check import check_frames
from venue.history.frames import unpack_frames
from venue.history.frames_kept import frames_gone
from venue.history.process.client import History
from venue.history.process.unprojected import BATCH_MAX
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import spot as queries
from venue.history.sql import transaction
from venue.history.store import Store, open_history
from venue.recording.numbering import OwnKey

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def room() -> Room:
    """More commands than fit one of history's transactions."""
    found = Room()
    found.say(contract_commands(0, BATCH_MAX + 300))
    return found


def stored(store: Store) -> Rows:
    """All frames, each by itself."""
    found: Rows = []
    with transaction(store.connection):
        rows = store.connection.execute(
            "SELECT * FROM frames ORDER BY uid, product, channel, number"
        )
        for *channel, number, sequence, payload in rows:
            found += [(*channel, *one) for one in unpack_frames(number, sequence, payload)]
    return found


def expected(frames: list[KeptFrame]) -> Rows:
    return sorted(
        (frame.uid, frame.product, frame.channel, frame.number, frame.sequence, frame.payload)
        for frame in frames
    )


def busiest(frames: list[KeptFrame]) -> tuple[OwnKey, list[KeptFrame]]:
    channels: dict[OwnKey, list[KeptFrame]] = {}
    for frame in frames:
        channels.setdefault((frame.uid, frame.product, frame.channel), []).append(frame)
    return max(channels.items(), key=lambda found: len(found[1]))


@pytest.mark.parametrize("kept", [10**6, 30, 7])
@pytest.mark.parametrize("seed", [1, 2])
def test_however_it_is_cut_and_repeated(room: Room, tmp_path: Path, kept: int, seed: int) -> None:
    """Each batch begins again with commands that are there; now and then the file is reopened."""
    choice = Random(seed)
    path = str(tmp_path / "history")
    store = open_history(path)
    projector = Projector(store, Catalog(), kept)
    at = 0
    while at < len(room.applied):
        size, again = choice.choice((1, 10, 200)), choice.choice((0, 0, 5))
        batch = room.applied[max(at - again, 0) : at + size]
        within = range(batch[0].sequence, batch[-1].sequence + 1)
        projector.project(batch, [one for one in room.frames if one.sequence in within])
        at += size
        if choice.random() < 0.1:
            store.close()
            store = open_history(path)
            known = Catalog.listing(
                room.engine.ledger.assets,
                [],
                [perp.contract for perp in room.engine.contracts.markets.values()],
            )
            projector = Projector(store, known, kept)
    frames, left = expected(room.frames), stored(store)
    newest = {row[:3]: row[3] for row in frames}
    with transaction(store.connection):
        rows = list(store.connection.execute("SELECT uid, product, channel, number FROM frames"))
    assert all(row[3] > frames_gone(newest[row[:3]], kept) for row in rows)
    for channel, last in newest.items():  # those of a row go together
        all_of_it = [row for row in frames if row[:3] == channel]
        there = [row for row in left if row[:3] == channel]
        assert len(there) >= last - frames_gone(last, kept)
        assert there == all_of_it[-len(there) :]
    assert (len(rows) < len(left), left == frames) == (True, kept == 10**6)
    store.close()


def test_frames_and_commands_are_one_transaction(room: Room) -> None:
    store = open_history(None)
    projector = Projector(store, Catalog())
    projector.project(room.applied[:100], [])
    late = [KeptFrame(150, 5, 0, "orders", 1, b"{}")] * 2
    with pytest.raises(Exception, match="UNIQUE"):
        projector.project(room.applied[100:200], late)
    assert (projector.last_sequence(), store.last_sequence(), stored(store)) == (100, 100, [])
    projector.project(room.applied[100:200], late[:1])
    assert len(stored(store)) == 1
    store.clear()
    assert stored(store) == []
    store.close()


def test_pages(room: Room) -> None:
    store = open_history(None)
    Projector(store, Catalog()).project(room.applied, room.frames)
    key, frames = busiest(room.frames)
    told = [(frame.number, frame.payload) for frame in frames]
    newest = len(told)
    assert newest > 50
    with transaction(store.connection):

        def page(after: int, to: int, limit: int) -> list[tuple[int, bytes]]:
            return queries.frames(store.connection, key, after, to, limit)

        assert page(0, newest, 10**6) == told
        assert page(10, 20, 500) == told[10:20]
        assert page(10, newest, 7) == told[10:17]
        assert page(newest, newest, 500) == []
        assert queries.frames(store.connection, (key[0], key[1], "nope"), 0, 10, 10) == []
    store.close()


def test_the_check_sees_what_is_missing(room: Room) -> None:
    store, kept = open_history(None), 60
    projector = Projector(store, Catalog(), kept)
    for applied in room.applied:  # so that each frame is a row
        own = [frame for frame in room.frames if frame.sequence == applied.sequence]
        projector.project([applied], own)
    channels = {
        key: (frames_gone(newest, kept), newest)
        for key, (_, newest) in room.recorder.numbering.ranges().items()
    }
    connection = store.connection
    with transaction(connection):
        assert check_frames(connection, channels, later=False) == []
        key, _ = busiest(room.frames)
        uid, _, channel = key
        oldest, newest = channels[key]
        assert oldest > 0
        count = newest - oldest - 1
        words = f"owner {uid}, contract channel {channel}: {count} frames after {oldest}"
        lost = "DELETE FROM frames WHERE uid = ? AND product = 1 AND channel = ? AND number = ?"
        connection.execute(lost, (uid, channel, newest - 3))
        (gap,) = check_frames(connection, channels, later=False)
        assert gap == f"{words}, the last is {newest}; there should be all up to {newest}"
        nobody = dict.fromkeys([(5, 0, "orders")], (0, 0))
        (unknown,) = check_frames(connection, {}, later=False)[:1]
        assert unknown.endswith("which never had any")
        assert check_frames(connection, channels | nobody, later=False) == [gap]
    store.close()


def test_long_frames_make_short_pages(room: Room) -> None:
    store = open_history(None)
    payload = bytes(queries.PAGE_BYTES // 4)
    frames = [KeptFrame(1, 5, 0, "orders", number, payload) for number in range(1, 11)]
    Projector(store, Catalog()).project(room.applied[:1], frames)
    with transaction(store.connection):
        page = queries.frames(store.connection, (5, 0, "orders"), 0, 10, 500)
    assert [number for number, _ in page] == [1, 2, 3, 4, 5]
    store.close()


def test_a_worker_that_dies_gets_the_frames_again(tmp_path: Path) -> None:
    room = Room()
    room.say(spot_commands(3 * BATCH_MAX))
    half = len(room.applied) // 2
    path = str(tmp_path / "history")

    async def scene() -> None:
        history = await History.start(path)
        history.begin(Engine())
        history.follow(room.applied[:half], [one for one in room.frames if one.sequence <= half])
        await history.reach(half // 3, 30.0)
        os.kill(process_of(history).pid, signal.SIGKILL)
        with pytest.raises(HelperFailed):
            await history.drain()
        await history.close()
        history = await History.start(path)
        reached = history.last_sequence()
        assert half // 3 <= reached <= half
        history.begin(room.engine)
        for start in range(max(reached - 20, 0), len(room.applied), 333):
            batch = room.applied[start : start + 333]
            within = range(batch[0].sequence, batch[-1].sequence + 1)
            history.follow(batch, [one for one in room.frames if one.sequence in within])
        await history.drain()
        key, frames = busiest(room.frames)
        asked = await history.ask(queries.frames, key, 0, len(frames), 10**6)
        assert asked == [(frame.number, frame.payload) for frame in frames]
        await history.close()

    asyncio.run(scene())
    store = open_history(path)
    assert stored(store) == expected(room.frames)
    store.close()
