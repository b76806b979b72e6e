"""How many connections may be open, and what each may send: the bounds of one listener."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.gateway.access.proxies import counted_as

RESERVED: Final = 32  # connections beyond the limits, for operators
RESERVED_PER_IP: Final = 4
LINGERING_MAX: Final = 100  # refused connections that may still read their answer, at once


class HttpLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one listener; seconds and bytes. None for connections: unlimited."""

    header_s: float = 5.0
    request_s: float = 10.0
    idle_s: float = 60.0
    write_s: float = 30.0
    linger_s: float = 2.0
    header_bytes: int = 8 * 1024
    headers: int = 40
    target_bytes: int = 4 * 1024
    body_bytes: int = 16 * 1024
    connections_per_ip: int | None = 100
    connections: int | None = 2_000


class Gate:
    """Counts the open connections of one listener, per address (`counted_as`).

    A few more connections are admitted beyond the limits, for operators: a client that fills an
    address's connections must not lock them out.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self._by_ip: dict[str, int] = {}
        self._reserved: dict[str, int] = {}
        self.open = 0
        self.lingering = 0

    def enter(self, ip: str, *, capped: bool = True) -> str | None:
        """Count a connection, or say why it may not come in. `capped`: per address."""
        ip = counted_as(ip)
        here = self._by_ip.get(ip, 0)
        per_ip, total = self._limits.connections_per_ip, self._limits.connections
        if total is not None and self.open >= total:
            return f"The venue has its maximum of {total} connections."
        if capped and per_ip is not None and here >= per_ip:
            return f"This address has its maximum of {per_ip} connections."
        self._by_ip[ip] = here + 1
        self.open += 1
        return None

    def enter_reserve(self, ip: str) -> bool:
        """Count a connection for operators only; False when all of these are in use too."""
        ip = counted_as(ip)
        here = self._reserved.get(ip, 0)
        if here >= RESERVED_PER_IP or sum(self._reserved.values()) >= RESERVED:
            return False
        self._reserved[ip] = here + 1
        return True

    def leave(self, ip: str, *, reserved: bool = False) -> None:
        """Count one less."""
        ip = counted_as(ip)
        counted = self._reserved if reserved else self._by_ip
        here = counted.pop(ip) - 1
        if here:
            counted[ip] = here
        if not reserved:
            self.open -= 1
