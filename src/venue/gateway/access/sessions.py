"""Remembers the browsers that a venue lets act from its own pages, in memory only.

A browser sends a cookie to every port of a host, so a cookie alone proves too little: a page of
another port gets it too. A page shows a second secret beside it, in a header, which only pages of
the venue's own origin were told.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

PAGE: Final = b"x-venue-page"  # the header in which a page shows its token
SESSIONS_MAX: Final = 64  # browsers; the one that came first is forgotten for another
_SECRET_BYTES: Final = 32


class PageSession(Struct, frozen=True):
    """A browser that was let in. `cookie` is its name, `token` what its pages show.

    `local`: it was let in as a program of the venue's own user on this machine, without the
    operator's token, and each of its requests must come from there.
    """

    cookie: bytes
    token: bytes
    local: bool


class PageSessions:
    """The sessions of one process. `port` keeps the cookies of venues on one host apart."""

    def __init__(self, port: int) -> None:
        self._name = b"venue-%d" % port
        self._secret = secrets.token_bytes(_SECRET_BYTES)
        self._by_cookie: OrderedDict[bytes, PageSession] = OrderedDict()

    def begin(self, headers: Mapping[bytes, bytes], *, local: bool) -> PageSession:
        """Let a browser in; one that was let in the same way before keeps its session."""
        known = self._by_cookie.get(self._cookie(headers))
        if known is not None and known.local == local:
            return known
        cookie = secrets.token_hex(_SECRET_BYTES).encode()
        session = PageSession(cookie, self._token(cookie), local)
        self._by_cookie[cookie] = session
        if len(self._by_cookie) > SESSIONS_MAX:
            self._by_cookie.popitem(last=False)
        return session

    def find(self, headers: Mapping[bytes, bytes], token: bytes) -> PageSession | None:
        """Return the session of a browser's cookie, if its page shows the right token."""
        session = self._by_cookie.get(self._cookie(headers))
        if session is None or not hmac.compare_digest(session.token, token):
            return None
        return session

    def line(self, session: PageSession) -> bytes:
        """Return the header that gives a browser its cookie."""
        return b"set-cookie: %s=%s; Path=/; HttpOnly; SameSite=Strict\r\n" % (
            self._name,
            session.cookie,
        )

    def _cookie(self, headers: Mapping[bytes, bytes]) -> bytes:
        for one in headers.get(b"cookie", b"").split(b";"):
            name, _, value = one.strip().partition(b"=")
            if name == self._name:
                return value
        return b""

    def _token(self, cookie: bytes) -> bytes:
        return hmac.new(self._secret, cookie, hashlib.sha256).hexdigest().encode()
