"""Finds out which user of this machine holds the other end of a connection (Linux only).

It asks the kernel for the one socket (sock_diag(7)). Where the kernel gives no answer, it reads the
tables of all sockets (proc(5)), which takes milliseconds.
"""

from __future__ import annotations

import errno
import socket
import struct
import sys
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Final

TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
NOBODY: Final = -1  # there is no such socket on this machine, or no process holds it any more
_LOCAL, _REMOTE, _UID, _INODE = 1, 2, 7, 9  # columns
_WORD: Final = 4  # bytes; addresses are written in words of the machine's byte order

_SOCK_DIAG: Final = 4  # the netlink family
_BY_FAMILY: Final = 20
_ERROR: Final = 2
_REQUEST: Final = 1
_ANY: Final = 0xFFFF_FFFF  # of states, and as a cookie
_HEAD: Final = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_ASKED: Final = struct.Struct("=BBBBI")  # inet_diag_req_v2: family, protocol, extensions, states
_PORTS: Final = struct.Struct(">HH")  # inet_diag_sockid, which goes on with two addresses
_TOLD: Final = struct.Struct("=64x2I")  # inet_diag_msg ends with the user id and the inode
_ANSWER_MAX: Final = 8192

End = tuple[str, int]  # address and port


def owner_of(client: End, server: End) -> int | None:
    """Return the user id of the socket at `client` that is connected to `server`, or NOBODY.

    A socket that its process has closed is NOBODY's: the system calls its owner root. None when the
    system gives no information about sockets.
    """
    if not TABLES[0].is_file():
        return None
    try:
        return _ask_socket(client, server)
    except OSError:
        pass
    try:
        return _looked_up(client, server)
    except OSError:
        return NOBODY


def _ask_socket(client: End, server: End) -> int:
    """Ask for one socket. OSError when the kernel does not answer such questions."""
    packed = [ip_address(ip).packed for ip in (client[0], server[0])]
    family = socket.AF_INET if len(packed[0]) == _WORD else socket.AF_INET6
    question = _ASKED.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY)
    question += _PORTS.pack(client[1], server[1])
    question += b"".join(one.ljust(16, b"\0") for one in packed)
    question += struct.pack("=III", 0, _ANY, _ANY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.send(_HEAD.pack(_HEAD.size + len(question), _BY_FAMILY, _REQUEST, 1, 0) + question)
        answer = kernel.recv(_ANSWER_MAX)
    if _HEAD.unpack_from(answer)[1] == _ERROR:
        (number,) = struct.unpack_from("=i", answer, _HEAD.size)
        if number == -errno.ENOENT:
            return NOBODY
        raise OSError(-number, "sock_diag")
    ports = _PORTS.unpack_from(answer, _HEAD.size + 4)
    uid, inode = _TOLD.unpack_from(answer, _HEAD.size)
    # Where there is no such connection, a socket that listens at its port may be told of.
    return int(uid) if inode and ports == (client[1], server[1]) else NOBODY


def _looked_up(client: End, server: End) -> int:
    """Look through all sockets."""
    local, remote = _table_notation(client), _table_notation(server)
    for table in TABLES:
        if not table.is_file():
            continue
        for line in table.read_text("ascii").splitlines()[1:]:
            columns = line.split()
            if columns[_LOCAL] in local and columns[_REMOTE] in remote:
                return int(columns[_UID]) if int(columns[_INODE]) else NOBODY
    return NOBODY


def _table_notation(end: End) -> set[str]:
    """Return an address and port in the tables' notation; an IPv4 one may be in either table."""
    address = ip_address(end[0])
    packed = [address.packed]
    if isinstance(address, IPv4Address):
        packed.append(bytes(10) + b"\xff\xff" + address.packed)
    return {f"{_words(one)}:{end[1]:04X}" for one in packed}


def _words(packed: bytes) -> str:
    step = -1 if sys.byteorder == "little" else 1
    return "".join(
        packed[at : at + _WORD][::step].hex().upper() for at in range(0, len(packed), _WORD)
    )
