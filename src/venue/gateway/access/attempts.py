"""How often an address may try to open a stream."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.gateway.access.proxies import counted_as

ATTEMPTS_MAX: Final = 300
ATTEMPTS_S: Final = 300.0
CALLERS_MAX: Final = 100_000  # addresses counted apart in one window; those beyond count together


class Attempts:
    """Counts attempts per address in windows of five minutes; `most` None: unlimited."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._count: dict[str, int] = {}
        self._end = 0.0

    def note(self, ip: str, now: float) -> None:
        """Count one at a monotonic time in seconds; ApiError -1003 (HTTP 429) beyond the most."""
        most = self._most
        if most is None:
            return
        if now >= self._end:
            self._count = {}
            self._end = now + ATTEMPTS_S
        ip = counted_as(ip)
        if ip not in self._count and len(self._count) >= CALLERS_MAX:
            ip = ""
        count = self._count[ip] = self._count.get(ip, 0) + 1
        if count > most:
            wait = int(self._end - now) + 1
            raise errors.too_many_requests(
                f"Too many connections: this address opened {most} in five minutes; wait {wait} s.",
                wait,
            )
