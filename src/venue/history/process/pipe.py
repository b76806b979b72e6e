"""The frames on the pipe between the venue and history's process, as `worker` says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core.instruments import Asset, Contract, Instrument
from venue.core.messages.events import Event

CATALOG: Final = b"c"
PROJECT: Final = b"p"
PART: Final = b"m"  # of the transaction that the next frame of another kind projects
CHECKPOINT: Final = b"k"
ASK: Final = b"q"
ARCHIVE: Final = b"a"  # take the next piece of old rows to an archive
FORGET: Final = b"g"  # take the next piece of old rows out, where they are too much
OPEN: Final = b"o"  # begin with this file; of a process that has several histories, with it again
DROP: Final = b"r"  # and forget it
BASE: Final = b"b"  # others begin as this one is, which ends
COPY: Final = b"y"  # write a file that is as this history is now
NUMBER_BYTES: Final = 8  # of a history, before the payload, where a process has several
BASE_BITS: Final = 32  # of such a number: above them is the number of what it begins with


def base_path(folder: str | Path, base: int) -> Path:
    """Return the file that the histories which begin as `base` are copies of."""
    return Path(folder) / f"begun.{base}"


def address_payload(number: int, payload: bytes = b"") -> bytes:
    """Return a payload for one of several histories."""
    return number.to_bytes(NUMBER_BYTES) + payload


class Entry(msgspec.Struct, array_like=True, gc=False):
    """One applied command, as it travels: `Applied` without its command."""

    sequence: int
    time: int
    events: list[Event]
    agents: tuple[int, ...] = ()


class ForgetRequest(msgspec.Struct, array_like=True):
    """The rows to take out of a history of more than `most` bytes: those placed after the begin of
    a span and settled before its end (µs)."""

    spans: list[tuple[int, int]]
    most: int


class OpenRequest(msgspec.Struct, array_like=True):
    """The file that a process is for. A `temporary` one goes with the venue."""

    path: str
    frames_kept: int  # of each private channel
    temporary: bool


Listed = tuple[list[Asset], list[Instrument], list[Contract]]
Batch = tuple[list[list[Entry]], list[list[KeptFrame]]]
"""Commands in chunks, and the frames that came of each."""
