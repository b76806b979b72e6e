"""What goes over the pipe between the venue and history's process, as `worker` says."""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core.instruments import Asset, Contract, Instrument
from venue.core.messages.events import Event

HEAD: Final = struct.Struct(">cI")
CATALOG: Final = b"c"
PROJECT: Final = b"p"
PART: Final = b"m"  # of what the next one projects
CHECKPOINT: Final = b"k"
ASK: Final = b"q"
ARCHIVE: Final = b"a"  # take the next piece of old rows to an archive
OPEN: Final = b"o"  # of a process that has several histories: begin with this one again
DROP: Final = b"r"  # and forget it
BASE: Final = b"b"  # others begin as this one is, which ends
DONE: Final = b"d"
FAILED: Final = b"f"
DAMAGED: Final = b"x"  # failed, because the file is not as it was written
TEMPORARY: Final = "temporary"  # of a file: it goes with the venue
NUMBER_BYTES: Final = 4  # of a history, before the payload, where a process has several


def shared(number: int, payload: bytes = b"") -> bytes:
    """A payload for one of several histories."""
    return number.to_bytes(NUMBER_BYTES) + payload


class Entry(msgspec.Struct, array_like=True, gc=False):
    """One applied command, as it travels."""

    sequence: int
    time: int
    events: list[Event]


Listed = tuple[list[Asset], list[Instrument], list[Contract]]
Batch = tuple[list[Entry], list[KeptFrame]]  # commands, and the frames that came of them
