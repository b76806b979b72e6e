"""Gives a command a network of its own, from which it reaches this process alone. Needs Linux."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from typing import Final, NamedTuple

from venue.redirect.hosts import NAMED, PLAIN_PORT, SECURE_PORT, STANDS_FOR_IT
from venue.redirect.names import SEARCHED

MOUNTS, USERS, NETWORK = 0x00020000, 0x10000000, 0x40000000  # CLONE_NEWNS, NEWUSER, NEWNET
PRIVATE: Final = 0x44000  # MS_REC | MS_PRIVATE: mounts are seen by nobody else
BIND: Final = 0x1000  # MS_BIND
GET_FLAGS, SET_FLAGS, SET_ADDRESS = 0x8913, 0x8914, 0x8916  # SIOC...IFFLAGS, SIOCSIFADDR
UP: Final = 0x1  # IFF_UP
HOSTS: Final = Path("/etc/hosts")
RESOLVER: Final = Path("/etc/resolv.conf")
NAMES_PORT: Final = 53
KINDS: Final = ((USERS, "user"), (NETWORK, "net"), (MOUNTS, "mnt"))
DONE: Final = b"y"
SOCKETS: Final = 5  # that are handed over after the descriptors of namespaces


class Isolation(NamedTuple):
    """The namespaces of a command, and the sockets that listen there: with TLS, without it at the
    exchange's port and at the venue's, and for the proxy; `asked` gets questions for names."""

    spaces: list[tuple[int, int]]
    sockets: list[socket.socket]
    asked: socket.socket

    def enter(self) -> None:
        """Move this process there; it is about to run the command. Raises OSError."""
        folder = os.getcwd()
        for descriptor, kind in self.spaces:
            _called("setns", descriptor, kind)
        os.chdir(folder)

    def close(self) -> None:
        """Close the namespaces; they end with the command."""
        self.asked.close()
        for descriptor, _ in self.spaces:
            os.close(descriptor)


def isolate(folder: Path, port: int) -> Isolation | None:
    """Namespaces in which the exchange's names lead to this process, as does the `port` of
    loopback; None when the system does not let us. `folder` keeps their list of hosts."""
    ours, its = socket.socketpair()
    with ours:
        with its:
            pid = os.fork()
            if pid == 0:
                _hand_over(its, folder, port)
        said, descriptors, _, _ = socket.recv_fds(ours, len(DONE), len(KINDS) + SOCKETS)
        os.waitpid(pid, 0)
    if said != DONE:
        return None
    kinds = KINDS[len(KINDS) - (len(descriptors) - SOCKETS) :]
    spaces = [(descriptors.pop(0), kind) for kind, _ in kinds]
    *sockets, asked = [socket.socket(fileno=one) for one in descriptors]
    return Isolation(spaces, sockets, asked)


def _hand_over(to: socket.socket, folder: Path, port: int) -> None:
    """Make the namespaces around this process, hand them over and end."""
    try:
        kinds = _leave()
        _loopback_up()
        _called("mount", None, b"/", None, PRIVATE, None)
        _put(HOSTS, HOSTS.read_bytes() + _own_hosts(), folder)
        _put(RESOLVER, f"nameserver 127.0.0.1\nsearch {SEARCHED}\n".encode(), folder)
        asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asked.bind(("", NAMES_PORT))
        sockets = [_listening(one) for one in (SECURE_PORT, PLAIN_PORT, port, 0)] + [asked]
        spaces = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in kinds]
        socket.send_fds(to, [DONE], [*spaces, *(one.fileno() for one in sockets)])
    except (OSError, AttributeError):
        pass  # the other side hears nothing
    finally:
        os._exit(0)


def _leave() -> Sequence[str]:
    """Leave the network and the mounts of this machine; the kinds that were made. A caller that is
    not root first becomes one in a namespace of users. Raises OSError."""
    names = [name for _, name in KINDS]
    with suppress(OSError):
        _called("unshare", NETWORK | MOUNTS)
        return names[1:]
    uid, gid = os.geteuid(), os.getegid()
    _called("unshare", USERS | NETWORK | MOUNTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    return names


def _loopback_up() -> None:
    with socket.socket() as one:
        asked = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", ioctl(one, GET_FLAGS, asked))
        ioctl(one, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | UP))
        # With 127.0.0.1 alone, look-ups that ask for no more than the machine can use find nothing.
        second = socket.inet_aton(STANDS_FOR_IT)
        ioctl(one, SET_ADDRESS, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, second))


def _put(file: Path, content: bytes, folder: Path) -> None:
    """Show the command this content in place of a file; a system without the file needs none."""
    ours = folder / file.name
    ours.write_bytes(content)
    with suppress(OSError):
        _called("mount", bytes(ours), bytes(file), None, BIND, None)


def _own_hosts() -> bytes:
    return f"\n{STANDS_FOR_IT} {' '.join(NAMED)}\n".encode()


def _listening(port: int) -> socket.socket:
    return socket.create_server(("", port))


def _called(name: str, *arguments: object) -> None:
    """Call a function of the system. Raises OSError; AttributeError where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)
