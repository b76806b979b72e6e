"""Determines the address that a request counts for, when trusted proxies are in front of the
venue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

FORWARDED_FOR: Final = b"x-forwarded-for"
MAPPED: Final = "::ffff:"
CLIENT_BITS: Final = 64  # of an IPv6 address; the others are the client's choice
HOPS_MAX: Final = 16  # addresses that are looked at, from the nearest on


class Proxies:
    """The addresses of trusted proxies: the venue believes what these say about their clients.

    ValueError when one is neither an address nor a network.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._trusted: list[IPv4Network | IPv6Network] = [ip_network(text) for text in trusted]

    def __bool__(self) -> bool:
        """Return whether there are any trusted proxies."""
        return bool(self._trusted)

    def trusts(self, ip: str) -> bool:
        """Return whether this is one of them."""
        if not self._trusted:
            return False
        try:
            address = ip_address(ip)
        except ValueError:
            return False
        return any(address in network for network in self._trusted)

    def client(self, peer: str, headers: Mapping[bytes, bytes]) -> str:
        """Return the nearest address that is not a proxy's; farther ones are only that client's
        word."""
        if not self.trusts(peer):
            return peer
        said = headers.get(FORWARDED_FOR, b"").decode("latin-1").split(",")
        for text in reversed(said[-HOPS_MAX:]):
            try:
                hop = plain(str(ip_address(text.strip())))
            except ValueError:
                return peer  # the proxy did not say who it is
            if not self.trusts(hop):
                return hop
        return peer


def counted_as(ip: str) -> str:
    """Return the address that a limit counts: for an IPv6 address its /64, because one client
    usually has all addresses in it."""
    return _network(ip) if ":" in ip else ip


@lru_cache(maxsize=4096)
def _network(ip: str) -> str:
    address = IPv6Address(ip.partition("%")[0])  # without the name of a link
    return str(IPv6Network((address, CLIENT_BITS), strict=False))


def plain(ip: str) -> str:
    """Return an IPv4 address that came as an IPv6 one, however it is written, as IPv4; others as
    they are.

    ValueError when it is no address.
    """
    if not ip.startswith(MAPPED):
        return ip
    mapped = IPv6Address(ip).ipv4_mapped
    return str(mapped) if mapped is not None else ip
