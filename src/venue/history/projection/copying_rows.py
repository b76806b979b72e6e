"""Copy trading's part of a batch: rows of what has ended."""

from __future__ import annotations

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
            self.copies += (
                event.copy_no, event.uid, event.lead_uid, event.tracking_no, event.symbol,
                event.side, event.order_id, event.leverage, event.open_size, event.open_value,
                event.open_fee, event.close_value, event.close_fee, event.realized, event.paid,
                event.created, time,
            )  # fmt: skip
        elif type(event) is TrackClosed:
            self.tracks += (
                event.tracking_no, event.uid, event.symbol, event.side, event.order_id,
                event.leverage, event.open_size, event.open_value, event.open_fee,
                event.close_value, event.close_fee, event.realized, event.followers,
                event.created, time,
            )  # fmt: skip
