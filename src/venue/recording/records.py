"""Records of private frames that a snapshot keeps."""

from __future__ import annotations

import msgspec

from venue.recording.notes import PastNotes


class Numbers(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The last number of a channel, and the last number whose frame was lost to a defect."""

    uid: int
    product: int
    channel: str
    newest: int
    lost: int


class RecorderPart(msgspec.Struct, array_like=True):
    """The recorder's part of a snapshot; `versions` are (uid, product, version)."""

    trusted: bool = True
    numbers: list[Numbers] = []
    versions: list[tuple[int, int, int]] = []
    past: PastNotes = msgspec.field(default_factory=PastNotes)
    kept: list[tuple[str, bytes]] = []
