"""Limits of streams: of a session, of a listener's sockets, of how often frames are made; and the
counters for them."""

from __future__ import annotations

from msgspec import Struct

from venue.gateway.access.attempts import ATTEMPTS_MAX


class SessionLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one session; seconds. None: unlimited.

    `changes` are subscribe and unsubscribe messages in an hour, `messages` those of all kinds in a
    second, `faults` messages that were refused, ever; `pings` may stay without an answer in a row.
    `in_flight` operations may wait for their answers.
    """

    channels: int = 100
    changes: int | None = 240
    messages: int | None = 500
    faults: int | None = 100
    idle_s: float = 60.0
    ping_s: float = 60.0
    pings: int = 10
    in_flight: int = 1_000


class SocketLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one listener's sockets; seconds and bytes. None: unlimited.

    `attempts` to connect count per address in five minutes, `frames` are pings, pongs and fragments
    of one in a second. When a queue is full, beyond `send_bytes` on their way, its connection
    is ended: the client reads too slowly.
    """

    session: SessionLimits = SessionLimits()
    attempts: int | None = ATTEMPTS_MAX
    frames: int | None = 100
    connections_per_ip: int | None = 100
    connections: int | None = 2_000
    message_bytes: int = 16 * 1024
    queue_frames: int = 4_000
    queue_bytes: int = 4 * 1024 * 1024
    send_bytes: int = 128 * 1024
    close_s: float = 5.0


class Timing(Struct, frozen=True, kw_only=True):
    """The shortest time between two frames of a channel, in seconds; others have none."""

    depth_s: float = 0.5
    ticker_s: float = 0.2
    kline_s: float = 0.2


class Allowance:
    """Counts what may happen so often in fixed windows; `most` None: as often as it likes."""

    __slots__ = ("_count", "_end", "_most", "_window_s")

    def __init__(self, most: int | None, window_s: float) -> None:
        self._most = most
        self._window_s = window_s
        self._count = 0
        self._end = 0.0

    def take(self, now: float) -> bool:
        """Return whether it may happen once more at `now`, in seconds."""
        if self._most is None:
            return True
        if now >= self._end:
            self._count = 0
            self._end = now + self._window_s
        self._count += 1
        return self._count <= self._most

    def is_exceeded(self, times: int) -> bool:
        """Return whether so many times as much has happened in this window."""
        return self._most is not None and self._count > times * self._most
