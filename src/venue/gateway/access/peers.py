"""Which user of this machine holds the other end of a connection (Linux tells; see proc(5))."""

from __future__ import annotations

import sys
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Final

TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
NOBODY: Final = -1  # there is no such socket on this machine
_LOCAL, _UID = 1, 7  # columns
_WORD: Final = 4  # bytes; addresses are written in words of the machine's byte order


def owner_of(ip: str, port: int) -> int | None:
    """The user id of the socket at this loopback address, or NOBODY.

    None when the system does not tell.
    """
    if not TABLES[0].is_file():
        return None
    wanted = {f"{text}:{port:04X}" for text in _written(ip)}
    for table in TABLES:
        if not table.is_file():
            continue
        for line in table.read_text("ascii").splitlines()[1:]:
            columns = line.split()
            if columns[_LOCAL] in wanted:
                return int(columns[_UID])
    return NOBODY


def _written(ip: str) -> list[str]:
    """An address as the tables write it; an IPv4 one may stand in either table."""
    address = ip_address(ip)
    if isinstance(address, IPv4Address):
        return [_words(address.packed), _words(bytes(10) + b"\xff\xff" + address.packed)]
    return [_words(address.packed)]


def _words(packed: bytes) -> str:
    step = -1 if sys.byteorder == "little" else 1
    return "".join(
        packed[at : at + _WORD][::step].hex().upper() for at in range(0, len(packed), _WORD)
    )
