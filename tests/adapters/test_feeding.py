"""The frames to a helper: the commands it gets, and its answers at the venue's end."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
from typing import Any, BinaryIO, cast

import msgspec
import pytest
import uvloop

from support.copies import python_path
from venue.core.messages.commands import Tick
from venue.helpers.feeding import CommandChunk
from venue.helpers.frames import DAMAGED, DONE, FAILED, HEAD
from venue.helpers.link import Link
from venue.helpers.serving import Damaged, serve

LARGE = 4 << 20  # bytes, more than the system takes at once


@pytest.mark.parametrize(
    ("after", "expected"),
    [(9, [10, 11, 12]), (10, [11, 12]), (12, []), (13, [])],
)
def test_a_chunk_gives_what_is_new_and_counts(after: int, expected: list[int]) -> None:
    payload = msgspec.msgpack.encode([Tick(time=sequence) for sequence in range(10, 15)])
    chunk = CommandChunk(10, 12, payload)
    assert [command.time for command in chunk.after(after)] == expected


def answers(kind: bytes, payload: bytes) -> int:
    if kind == b"x":
        raise Damaged("a file has changed")
    if kind == b"f":
        raise ValueError("no")
    return len(payload)


def test_an_answer_says_what_became_of_its_frame() -> None:
    frames = b"".join(HEAD.pack(kind, 2) + b"ab" for kind in (b"d", b"x", b"f"))
    outgoing = io.BytesIO()
    serve("there", answers, io.BytesIO(frames + b"cut"), outgoing)
    outgoing.seek(0)
    said: list[tuple[bytes, Any]] = []
    while head := outgoing.read(HEAD.size):
        kind, length = HEAD.unpack(head)
        said.append((kind, pickle.loads(outgoing.read(length))))
    assert said == [
        (DONE, "there"),
        (DONE, 2),
        (DAMAGED, "a file has changed"),
        (FAILED, "ValueError: no"),
    ]


def test_a_helper_ends_in_silence_when_the_venue_is_gone() -> None:
    theirs, its_output = os.pipe()
    os.close(theirs)
    with open(its_output, "wb", buffering=0) as outgoing:
        serve(None, answers, io.BytesIO(), cast(BinaryIO, outgoing))


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_large_frames_go_to_a_helper_on_either_loop(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path())

    async def story() -> None:
        link, first = await Link.start("support.echo", name="echo", patience_s=30)
        assert first is None
        data = bytes(range(256)) * (LARGE // 256)
        assert await link.send(b"e", data) == data
        await link.close()
        assert link.ended.done()

    run(story())
