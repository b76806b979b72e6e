"""Who is an operator."""

from __future__ import annotations

import hmac
from ipaddress import ip_address
from typing import Final

from venue.api import errors

LOCAL_HOSTS: Final = (b"127.0.0.1", b"localhost", b"[::1]")
FORWARDED: Final = (b"forwarded", b"x-forwarded-", b"x-real-ip")  # how their names begin


class OperatorDoor:
    """Who is an operator: whoever calls from this machine, or shows the token."""

    def __init__(self, token: str = "") -> None:
        self._token = token.encode()

    def check(self, ip: str, headers: list[tuple[bytes, bytes]]) -> None:
        """ApiError -1051 (HTTP 403) for anyone else."""
        named = dict(headers)
        shown = named.get(b"authorization", b"")
        if self._token and hmac.compare_digest(shown, b"Bearer " + self._token):
            return
        host = named.get(b"host", b"").lower()
        local = host.rpartition(b":")[0] if host[-1:].isdigit() and b":" in host else host
        forwarded = any(name.startswith(FORWARDED) for name in named)
        if not _loopback(ip) or local not in LOCAL_HOSTS or forwarded:
            raise errors.error(-1051)


def _loopback(ip: str) -> bool:
    try:
        return ip_address(ip).is_loopback
    except ValueError:
        return False
