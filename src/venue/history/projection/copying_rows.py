"""Copy trading's part of a batch: rows of ended copies and tracked positions."""

from __future__ import annotations

from msgspec.structs import astuple

from venue.core.messages.copy_events import CopyClosed, TrackClosed
from venue.core.messages.events import Event


class CopyingRows:
    """The rows of one batch, value after value as the columns stand."""

    __slots__ = ("copies", "tracks")

    def __init__(self) -> None:
        self.copies: list[object] = []
        self.tracks: list[object] = []

    def fold(self, event: Event, time: int) -> None:
        """Add the row of one event, if it makes one."""
        if type(event) is CopyClosed:
            self.copies += (*astuple(event), time)
        elif type(event) is TrackClosed:
            self.tracks += (*astuple(event), time)
