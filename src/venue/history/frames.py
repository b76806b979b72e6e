"""Rows of the frames' table: each holds the frames of a channel that were written together.

A row of one frame is its bytes. A row of several begins with a line of their commands' sequences;
then each frame has a line, as its JSON has no line break. `number` and `sequence` of a row are
those of its last frame. With many listeners this is a sixth of the rows, and of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from venue.api.streams.channels import KeptFrame

ROW_BYTES: Final = 32 * 1024  # a row of this size gets no further frame
SEVERAL: Final = b"["
Channel = tuple[int, int, str]  # uid, product, name

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[int]).decode


def by_channel(frames: Sequence[KeptFrame]) -> dict[Channel, list[KeptFrame]]:
    """Return the frames of each channel, in their order."""
    found: dict[Channel, list[KeptFrame]] = {}
    for frame in frames:
        channel = (frame.uid, frame.product, frame.channel)
        own = found.get(channel)
        if own is None:
            found[channel] = [frame]
        else:
            own.append(frame)
    return found


def pack_frames(channel: Channel, frames: list[KeptFrame]) -> list[tuple[object, ...]]:
    """Return the rows of a channel's frames, in the order of numbers: a row leaves none of them
    out."""
    rows: list[tuple[object, ...]] = []
    begin = size = 0
    follows = frames[0].number
    for at, frame in enumerate(frames):
        number = frame.number
        if size >= ROW_BYTES or number != follows:
            rows.append(_row(channel, frames[begin:at]))
            begin, size = at, 0
        size += len(frame.payload)
        follows = number + 1
    rows.append(_row(channel, frames[begin:]))
    return rows


def _row(channel: Channel, frames: list[KeptFrame]) -> tuple[object, ...]:
    last = frames[-1]
    payload = last.payload
    if len(frames) > 1:
        sequences = _encode([frame.sequence for frame in frames])
        payload = b"\n".join([sequences, *[frame.payload for frame in frames]])
    return (*channel, last.number, last.sequence, payload)


def unpack_frames(number: int, sequence: int, payload: bytes) -> list[tuple[int, int, bytes]]:
    """Return the frames of a row, oldest first: their numbers, sequences and bytes."""
    if not payload.startswith(SEVERAL):
        return [(number, sequence, payload)]
    head, *payloads = payload.split(b"\n")
    sequences = _decode(head)
    first = number - len(payloads) + 1
    return list(zip(range(first, number + 1), sequences, payloads, strict=True))
