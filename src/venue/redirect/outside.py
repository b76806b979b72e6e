"""Connects to all other hosts: directly, or through the proxy that the environment named before."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from venue.redirect.passing import END, HEAD_MAX, Head, Streams

# In which order the variables are asked for a proxy; the first that is set counts for all hosts.
VARIABLES: Final = (
    "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY",
)  # fmt: skip
CONNECT_S: Final = 30.0


class NotReached(Exception):
    """A host cannot be reached; carries why."""


class OtherProxy(Exception):
    """The environment names a proxy that cannot be used; carries why."""


class Before(NamedTuple):
    """The proxy that was there before; `credentials` is a field's value, or empty."""

    host: str
    port: int
    credentials: str


def before(given: Mapping[str, str]) -> Before | None:
    """Return the proxy that the environment names. OtherProxy."""
    found = next(((name, given[name]) for name in VARIABLES if given.get(name)), None)
    if found is None:
        return None
    name, url = found
    with suppress(ValueError):
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme == "http" and parts.hostname:
            known = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
            credentials = f"Basic {b64encode(known.encode()).decode()}" if parts.username else ""
            return Before(parts.hostname, parts.port or 80, credentials)
    raise OtherProxy(f"{name} names a proxy that is no http:// one: unset it for this command")


class Outside:
    """Connections to other hosts."""

    def __init__(self, proxy: Before | None) -> None:
        self._proxy = proxy

    async def tunnel(self, host: str, port: int) -> Streams:
        """Return a connection to a host. NotReached."""
        if self._proxy is None:
            return await _connect(host, port)
        streams = await _connect(self._proxy.host, self._proxy.port)
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        head = Head("CONNECT", place, "HTTP/1.1", [("Host", place), *self._known()])
        streams[1].write(head.packed())
        try:
            answer = await streams[0].readuntil(END)
        except (OSError, EOFError, asyncio.LimitOverrunError):
            answer = b""
        line = answer.partition(b"\r\n")[0].decode("latin-1").split(" ")
        if len(line) < 2 or line[1] != "200":
            streams[1].transport.abort()
            told = " ".join(line[1:]) or "nothing"
            raise NotReached(f"the proxy of the environment answered {told} for {host}")
        return streams

    async def ask(self, host: str, port: int, asked: Head, in_place: Head) -> Streams:
        """Return a connection on which a request is on its way, and no other can follow.
        NotReached."""
        if self._proxy is None:
            streams, head = await _connect(host, port), in_place
        else:
            streams = await _connect(self._proxy.host, self._proxy.port)
            head = asked._replace(fields=[*asked.fields, *self._known()])
        streams[1].write(head.alone().packed())
        return streams

    def _known(self) -> list[tuple[str, str]]:
        """Return the fields by which the proxy knows us."""
        if self._proxy is None or not self._proxy.credentials:
            return []
        return [("Proxy-Authorization", self._proxy.credentials)]


async def _connect(host: str, port: int) -> Streams:
    try:
        async with asyncio.timeout(CONNECT_S):
            return await asyncio.open_connection(host, port, limit=HEAD_MAX)
    except (OSError, TimeoutError, UnicodeError) as problem:
        raise NotReached(f"{host} cannot be reached: {problem}") from problem
