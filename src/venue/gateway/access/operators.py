"""Operators: callers with the token or, where none is set, processes of the venue's own user.

An address alone says nothing: behind a proxy on this machine every client has the machine's own
address, and other users of the machine have it too.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Final

from venue.api import errors
from venue.api.operation import VENUE

OPERATOR_PATHS: Final = f"{VENUE.prefix}/".encode()  # how theirs begin, and nobody else's
LOCAL_HOSTS: Final = (b"127.0.0.1", b"localhost", b"[::1]")
FORWARDED: Final = (b"forwarded", b"x-forwarded-", b"x-real-ip", b"via")  # how their names begin
ROOT: Final = 0  # the user id that may do everything anyway


class OperatorDoor:
    """Checks requests of operator rows. `behind_proxy`: an address on this machine is no right."""

    def __init__(self, token: str = "", *, behind_proxy: bool = False) -> None:
        self._token = token.encode()
        self._behind_proxy = behind_proxy
        self._users = (os.getuid(), ROOT)

    def may_be_one(self, owner: Callable[[], int | None]) -> bool:
        """Whether a connection may be an operator's, before anything was said on it."""
        return bool(self._token) or owner() in (None, *self._users)

    def check(
        self, ip: str, headers: Mapping[bytes, bytes], owner: Callable[[], int | None]
    ) -> None:
        """ApiError -1051 (HTTP 403) for anyone else. `owner` gives the user id at the other end.

        A token that is set is always asked for. Where the system does not tell who is at the
        other end, everybody on this machine is taken for the venue's user.
        """
        if self._token:
            shown = headers.get(b"authorization", b"")
            if not hmac.compare_digest(shown, b"Bearer " + self._token):
                raise errors.error(-1051)
            return
        host = headers.get(b"host", b"").lower()
        local = host.rpartition(b":")[0] if host[-1:].isdigit() and b":" in host else host
        forwarded = any(name.startswith(FORWARDED) for name in headers)
        if self._behind_proxy or forwarded or local not in LOCAL_HOSTS or not _loopback(ip):
            raise errors.error(-1051)
        if owner() not in (None, *self._users):
            raise errors.error(-1051)


def _loopback(ip: str) -> bool:
    try:
        return ip_address(ip).is_loopback
    except ValueError:
        return False
