"""The exchange's own names, and the venue's addresses to which they lead."""

from __future__ import annotations

from typing import Final

DOMAIN: Final = "weex.com"  # all of its names lead to the venue
# The names that the venue has a certificate for: those of the interface, and any other of one part.
CERTIFIED: Final = (DOMAIN, f"*.{DOMAIN}")
# The names that programs are known to use, for a list that cannot say "all".
NAMED: Final = tuple(
    f"{name}{DOMAIN}"
    for name in ("", "api-spot.", "api-contract.", "api-broker.", "ws-spot.", "ws-contract.")
)
# An address of loopback that stands for the exchange where a program looks up a name alone.
STANDS_FOR_IT: Final = "127.86.69.88"
HERE: Final = ("localhost", "127.0.0.1", "::1")  # this machine
# The sockets of both products have the same paths there; a venue tells them apart by a first part.
SOCKETS: Final = {f"ws-spot.{DOMAIN}": "/spot", f"ws-contract.{DOMAIN}": "/contract"}
PLAIN_PORT: Final = 80  # without TLS; all other ports speak it
SECURE_PORT: Final = 443


def is_exchange(host: str) -> bool:
    """Return whether a name is the exchange's."""
    name = host.lower().rstrip(".")
    return name == DOMAIN or name.endswith(f".{DOMAIN}")


def venue_path(host: str, target: str) -> str:
    """Return a request's target on the venue, for the one at a name of the exchange."""
    return SOCKETS.get(host.lower().rstrip("."), "") + target


def split_port(place: str, otherwise: int) -> tuple[str, int]:
    """Return a name and its port, of `name:port`, `[address]:port` or a name alone. ValueError."""
    name, _, port = place.rpartition(":")
    if not name or (place.endswith("]") and place.startswith("[")):
        name, port = place, str(otherwise)
    if not port.isdecimal() or not 0 < int(port) <= 65_535:
        raise ValueError(f"{place} names no port")
    return name.strip("[]"), int(port)
