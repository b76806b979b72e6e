"""Decides by the Host, Origin and Sec-Fetch-Site headers which web pages may call.

A page can make its visitor's browser call any address. The browser reports where the page comes
from, but not if the page's own name leads to the venue's address: then Host is that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final

from venue.api import errors

KNOWN_MAX: Final = 1_000  # Host headers that are remembered as right
PREFLIGHT: Final = (
    b"access-control-allow-methods: GET, POST, PUT, DELETE\r\n"
    b"access-control-allow-headers: access-key, access-sign, access-timestamp, access-passphrase,"
    b" authorization, content-type, locale\r\n"
    b"access-control-max-age: 600\r\n"
)
OF_PAGES: Final = frozenset((b"origin", b"sec-fetch-site"))  # headers: a browser asks
_OWN_SITES: Final = (b"none", b"same-origin")


class Origins:
    """The names of a listener, and the origins of web pages that may call it.

    Addresses, `localhost` and names without a dot are accepted: the owner of a web page cannot have
    one of them. Other names of the venue must be listed in `hosts`. `pages` are origins such as
    `http://localhost:5173`.
    """

    def __init__(self, hosts: Iterable[str] = (), pages: Iterable[str] = ()) -> None:
        self._hosts = {host.lower() for host in hosts}
        self._pages = {page.lower().rstrip("/").encode() for page in pages}
        self.known: set[bytes] = set()  # Host headers that were right

    def check(self, headers: Mapping[bytes, bytes], *, shown: bool = False) -> bytes:
        """Lines for the answer's head; ApiError -1190 (HTTP 403) for a page that may not call.

        `shown`: what is asked for is a page of the venue, to which any other page may link.
        """
        host = headers.get(b"host", b"")
        if host not in self.known:
            self._check_host(host)
        origin = headers.get(b"origin")
        if origin is None:
            linked = shown and headers.get(b"sec-fetch-mode") == b"navigate"
            if not linked and headers.get(b"sec-fetch-site", b"none") not in _OWN_SITES:
                raise _forbidden("The page that asks is of another site.")
            return b""
        origin = origin.lower()
        if origin in (b"http://" + host, b"https://" + host):
            return b""
        if origin not in self._pages:
            named = errors.quote_value(origin.decode("latin-1"))
            raise _forbidden(f"Pages of {named} may not call this venue (see --allow-origin).")
        return b"access-control-allow-origin: %s\r\nvary: origin\r\n" % origin

    def _check_host(self, host: bytes) -> None:
        name = _without_port(host.decode("latin-1").lower())
        if not (_is_nobodys(name) or name in self._hosts):
            shown = errors.quote_value(name)
            raise _forbidden(f"Header Host names {shown}, not this venue (see --allow-host).")
        if len(self.known) < KNOWN_MAX:
            self.known.add(host)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_nobodys(name: str) -> bool:
    """Return whether no stranger can point this name at the venue."""
    if "." not in name.rstrip(".") and ":" not in name:
        return True
    if name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _forbidden(detail: str) -> errors.ApiError:
    return errors.error(-1190, detail=detail)
