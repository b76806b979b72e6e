"""Decides who is an operator: a caller with the token or, where none is set, a process of the
venue's own user.

An address proves nothing: behind a proxy on this machine every client has the machine's own
address, and so do the machine's other users. A proxy may even run as the venue's user. So a request
without a token must have the form in which a program on this machine sends it. A real venue has a
token.
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
HTTP_PORT: Final = 80  # clients leave it out of Host
ROOT: Final = 0  # the user id that may do everything anyway
# Headers of programs that ask for themselves. Any other one may have come from a proxy (Via,
# X-Forwarded-For, X-Request-Id) or a page (Origin, Referer, Cookie).
OWN_HEADERS: Final = frozenset(
    (
        b"accept", b"accept-charset", b"accept-encoding", b"accept-language", b"authorization",
        b"cache-control", b"connection", b"content-length", b"content-type", b"date", b"expect",
        b"host", b"http2-settings", b"keep-alive", b"locale", b"pragma", b"te", b"upgrade",
        b"user-agent", b"access-key", b"access-sign", b"access-timestamp", b"access-passphrase",
        b"sec-fetch-mode", b"x-venue-act-as",
    )
)  # fmt: skip
OF_NODE: Final = b"cors"  # the Sec-Fetch-Mode that Node's fetch sends; a page sends others as well
REMEDY: Final = "; set VENUE_OPERATOR_TOKEN for the venue and for its operators"
OTHER: Final = (
    "operators send this venue's token; commands take it from VENUE_OPERATOR_TOKEN or, on the"
    " venue's machine, from FILE.operator"
)


class OperatorDoor:
    """Checks requests of operator rows. `behind_proxy`: an address on this machine is no right.
    `port`: the venue's; 0: without a token nobody is an operator."""

    def __init__(self, token: str = "", *, behind_proxy: bool = False, port: int = 0) -> None:
        self._token = token.encode()
        self._behind_proxy = behind_proxy
        self._hosts = {b"%s:%d" % (host, port) for host in LOCAL_HOSTS if port}
        if port == HTTP_PORT:
            self._hosts.update(LOCAL_HOSTS)
        self._shown = f"127.0.0.1:{port}"
        self._users = (os.getuid(), ROOT)

    def may_be_one(self, owner: Callable[[], int | None]) -> bool:
        """Return whether a connection may be an operator's, before anything was said on it."""
        return bool(self._token) or owner() in (None, *self._users)

    def check(
        self,
        ip: str,
        headers: Mapping[bytes, bytes],
        owner: Callable[[], int | None],
        *,
        old: bool = False,
    ) -> None:
        """ApiError -1051 (HTTP 403) for anyone else. `owner` gives the user id at the other end;
        `old`: the request is of HTTP 1.0, which proxies speak.

        A token that is set is always asked for. Where the system does not tell who is at the
        other end, everybody on this machine is taken for the venue's user.
        """
        if self._token:
            shown = headers.get(b"authorization", b"")
            if not hmac.compare_digest(shown, b"Bearer " + self._token):
                raise errors.no_operator(OTHER)
            return
        why = self._why_not(ip, headers, old=old)
        if why:
            raise errors.no_operator(why + REMEDY)
        if owner() not in (None, *self._users):
            raise errors.no_operator("another user of this machine asks" + REMEDY)

    def _why_not(self, ip: str, headers: Mapping[bytes, bytes], *, old: bool) -> str:
        """Return the sign that a request came through a proxy or of a page; empty without any."""
        if self._behind_proxy:
            return "behind a proxy operators need a token"
        if not _loopback(ip):
            return "the request comes from another machine"
        if old:
            return "HTTP/1.0 is a proxy's"
        if headers.get(b"host", b"").lower() not in self._hosts:
            return f"Host is not {self._shown}, so the request was forwarded"
        if not OWN_HEADERS.issuperset(headers):
            name = next(name for name in headers if name not in OWN_HEADERS)
            return f"header {errors.shown(name.decode('latin-1'))} is of a proxy or a page"
        if headers.get(b"sec-fetch-mode", OF_NODE) != OF_NODE:
            return "header 'sec-fetch-mode' is of a page"
        return ""


def _loopback(ip: str) -> bool:
    try:
        return ip_address(ip).is_loopback
    except ValueError:
        return False
