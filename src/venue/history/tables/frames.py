"""The table of private frames: the newest of each channel, as they were sent."""

from __future__ import annotations

from venue.history.tables.table import TableRow


class FrameRow(TableRow, frozen=True, gc=False):
    """Frames of a channel that were written together (`history.frames`).

    Rows stand in the order of writing, the index alone is sorted by channel: frames of many owners
    are written one after another.
    """

    table = "frames"
    key = ("uid", "product", "channel", "number")

    uid: int
    product: int
    channel: str
    number: int  # of the last frame, its `seq`
    sequence: int  # of the command that caused the last frame
    payload: bytes
