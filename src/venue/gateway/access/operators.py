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
from venue.gateway.access.sessions import PAGE, PageSession, PageSessions

OPERATOR_PATHS: Final = f"{VENUE.prefix}/".encode()  # how theirs begin, and an owner's own part
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
SAME_ORIGIN: Final = b"same-origin"  # the Sec-Fetch-Site of a page that asks its own origin
OF_NODE: Final = b"cors"  # the Sec-Fetch-Mode that Node's fetch sends; a page sends others as well
# Headers that browsers send besides; those that begin with `sec-` too.
OF_BROWSERS: Final = frozenset(
    (b"cookie", b"dnt", b"if-none-match", b"origin", b"priority", b"referer", PAGE)
)
REMEDY: Final = "; set VENUE_OPERATOR_TOKEN for the venue and for its operators"
OTHER: Final = (
    "operators send this venue's token; commands take it from VENUE_OPERATOR_TOKEN or, on the"
    " venue's machine, from FILE.operator"
)
SESSION_GONE: Final = "this page's session is over; load the page again"


class OperatorDoor:
    """Checks requests of operator rows. `behind_proxy`: an address on this machine is no right.
    `port`: the venue's; 0: without a token nobody is an operator.

    A browser of an operator has a session, which begins as an operator's request does: with the
    token or, where none is set, on this machine and by the venue's own user.
    """

    def __init__(self, token: str = "", *, behind_proxy: bool = False, port: int = 0) -> None:
        self._token = token.encode()
        self._behind_proxy = behind_proxy
        self._hosts = {b"%s:%d" % (host, port) for host in LOCAL_HOSTS if port}
        if port == HTTP_PORT:
            self._hosts.update(LOCAL_HOSTS)
        self._shown = f"127.0.0.1:{port}"
        self._users = (os.getuid(), ROOT)
        self.sessions = PageSessions(port)

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
        if PAGE in headers:
            self.check_page(headers[PAGE], ip, headers, owner, old=old)
        elif self._token:
            self._check_token(headers)
        else:
            self._check_local(ip, headers, owner, old=old)

    def begin_session(
        self,
        ip: str,
        headers: Mapping[bytes, bytes],
        owner: Callable[[], int | None],
        *,
        old: bool = False,
    ) -> PageSession:
        """Let an operator's browser in, as `check` does its programs; ApiError -1051.

        Only a page of the venue's own origin may ask: a browser names the origin of whoever posts.
        """
        host = headers.get(b"host", b"").lower()
        if headers.get(b"origin", b"").lower() not in (b"http://" + host, b"https://" + host):
            raise errors.no_operator("only a page of the venue itself begins a session")
        _check_site(headers)
        if self._token:
            self._check_token(headers)
        else:
            self._check_local(ip, headers, owner, old=old, page=True)
        return self.sessions.begin(headers, local=not self._token)

    def check_page(
        self,
        token: bytes,
        ip: str,
        headers: Mapping[bytes, bytes],
        owner: Callable[[], int | None],
        *,
        old: bool = False,
    ) -> None:
        """ApiError -1051 (HTTP 403) unless a page with this token is one of an operator."""
        session = self.sessions.find(headers, token)
        if session is None:
            raise errors.no_operator(SESSION_GONE)
        _check_site(headers)
        if session.local:
            self._check_local(ip, headers, owner, old=old, page=True)

    def _check_token(self, headers: Mapping[bytes, bytes]) -> None:
        shown = headers.get(b"authorization", b"")
        if not hmac.compare_digest(shown, b"Bearer " + self._token):
            raise errors.no_operator(OTHER)

    def _check_local(
        self,
        ip: str,
        headers: Mapping[bytes, bytes],
        owner: Callable[[], int | None],
        *,
        old: bool,
        page: bool = False,
    ) -> None:
        why = self._why_not(ip, headers, old=old, page=page)
        if why:
            raise errors.no_operator(why + REMEDY)
        if owner() not in (None, *self._users):
            raise errors.no_operator("another user of this machine asks" + REMEDY)

    def _why_not(self, ip: str, headers: Mapping[bytes, bytes], *, old: bool, page: bool) -> str:
        """Return the sign that a request came through a proxy or of a page; empty without any."""
        if self._behind_proxy:
            return "behind a proxy operators need a token"
        if not _loopback(ip):
            return "the request comes from another machine"
        if old:
            return "HTTP/1.0 is a proxy's"
        if headers.get(b"host", b"").lower() not in self._hosts:
            return f"Host is not {self._shown}, so the request was forwarded"
        name = next((name for name in headers if not _is_own(name, page=page)), None)
        if name is not None:
            return f"header {errors.quote_value(name.decode('latin-1'))} is of a proxy or a page"
        if not page and headers.get(b"sec-fetch-mode", OF_NODE) != OF_NODE:
            return "header 'sec-fetch-mode' is of a page"
        return ""


def _check_site(headers: Mapping[bytes, bytes]) -> None:
    """ApiError -1051 for a page of which the browser says that another origin has it."""
    if headers.get(b"sec-fetch-site", SAME_ORIGIN) != SAME_ORIGIN:
        raise errors.no_operator("the page that asks is of another origin")


def _is_own(name: bytes, *, page: bool) -> bool:
    """Return whether a program that asks for itself sends this header or, of a `page`, a browser
    does."""
    return name in OWN_HEADERS or (page and (name in OF_BROWSERS or name.startswith(b"sec-")))


def _loopback(ip: str) -> bool:
    try:
        return ip_address(ip).is_loopback
    except ValueError:
        return False
