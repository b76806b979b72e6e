"""The file `run.venue`: the commands and requests of one run of a venue, sealed, without secrets.

A line of magic, a line of JSON that names version, rules, size and digest, then the contents,
packed. Nothing in it is code.
"""

from __future__ import annotations

import zlib
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from venue.api.operator.wire import WireEntry
from venue.api.profile import Profile
from venue.core import rules
from venue.files import private_files
from venue.journal import built

MAGIC: Final = b"venue run 1\n"
MAGIC_BEGIN: Final = b"venue run "  # of every format
HEADER_MAX: Final = 1_024  # bytes of the second line
PACKED_MAX: Final = 1 << 28  # bytes: a larger file is not read
UNPACKED_MAX: Final = 1 << 30  # bytes: a file that unpacks to more is no run of a venue
RATIO_MAX: Final = 100  # unpacked to packed: the runs of venues reach a third of that
UNPACKED_FREE: Final = 1 << 20  # bytes that a file may unpack to, whatever its size
PIECE_LEAST: Final = 8  # bytes of a piece of commands, at least
ENTRY_LEAST: Final = 100  # bytes of an entry of the wire log, at least
_LEVEL: Final = 6


class RunRefused(Exception):
    """A file cannot be used as a run; the text says why, and how to mend it. Nothing has
    changed."""


class RunHeader(msgspec.Struct):
    """The version and rules that wrote a bundle, with the size and digest of its body."""

    version: str
    rules: int
    size: int
    digest: str


class RunFile(msgspec.Struct):
    """The contents of a bundle.

    `snapshot` is a packed snapshot that the commands follow; empty: they begin with command 1.
    `commands` are pieces: the first one's number, and commands as msgpack. `time` is that of the
    last command, in µs; `state_hash` that of the state after it. `wire` are requests and frames.
    `end` is a packed snapshot after the last command; empty: the run is short. `profile` is that of
    the venue.
    """

    seed: str
    begin: int
    last: int
    time: int
    state_hash: str
    settings: dict[str, str | bool | list[str]]
    snapshot: bytes
    commands: list[tuple[int, bytes]]
    wire: list[WireEntry]
    end: bytes = b""
    profile: str = Profile.DOCUMENT.value


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RunFile).decode
_header = msgspec.json.Decoder(RunHeader)
_HEAD_MAX: Final = 5  # bytes before the items of a packed list


class Lists(msgspec.Struct):
    """The lists of a bundle, not looked into yet."""

    commands: msgspec.Raw
    wire: msgspec.Raw


_outer = msgspec.msgpack.Decoder(Lists)


def sealed(run: RunFile) -> bytes:
    """Return a bundle's bytes. RunRefused: it would be too large to be read again."""
    plain = _encode(run)
    if len(plain) > UNPACKED_MAX:
        raise RunRefused(
            f"the run takes {len(plain)} bytes, a bundle {UNPACKED_MAX} at most: stop the venue and"
            " open its --state file instead"
        )
    body = zlib.compress(plain, _LEVEL)
    if len(plain) > _room(body):  # a run that repeats itself: packed less, it can be read again
        body = zlib.compress(plain, 0)
    header = RunHeader(built.name(), rules.RULES, len(body), "")
    header.digest = _digest(header, body)
    return MAGIC + msgspec.json.encode(header) + b"\n" + body


def write(path: str, run: RunFile) -> int:
    """Put a bundle in place as a whole, its owner's alone; its size. OSError, RunRefused."""
    data = sealed(run)
    private_files.put(Path(path), data)
    return len(data)


def unsealed(data: bytes, name: str) -> RunFile:
    """Return the contents of a bundle's bytes, checked whole. RunRefused: they are cut, damaged or
    foreign."""
    header, body = _parts(data, name)
    if len(body) < header.size:
        raise _cut(name, f"of {header.size} bytes after its head {len(body)} are there")
    if len(body) > header.size or _digest(header, body) != header.digest:
        raise RunRefused(f"{name} is damaged, its digest does not fit: copy it again")
    if header.rules != rules.RULES:
        raise RunRefused(
            f"{name} was made by venue {header.version} under rules {header.rules}; this is venue"
            f" {built.name()} with rules {rules.RULES}, and would give other answers: open it"
            f" with venue {header.version}"
        )
    try:
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(body, _room(body))
        if not unpacking.eof or unpacking.unused_data:
            raise RunRefused(f"{name} holds more than {_room(body)} bytes: it is no run of a venue")
        _check_counts(plain, name)
        return _decode(plain)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise RunRefused(
            f"{name} cannot be read by venue {built.name()} ({problem}): open it with venue"
            f" {header.version}, which made it"
        ) from problem


def _room(body: bytes) -> int:
    """Return how many bytes the body of a bundle may unpack to."""
    return min(UNPACKED_MAX, UNPACKED_FREE + RATIO_MAX * len(body))


def _check_counts(plain: bytes, name: str) -> None:
    """RunRefused when there are more pieces or entries than their bytes can hold: each takes far
    more memory than it takes bytes."""
    outer = _outer.decode(plain)
    for data, least in ((outer.commands, PIECE_LEAST), (outer.wire, ENTRY_LEAST)):
        packed = bytes(data)
        if _length(packed[:_HEAD_MAX]) * least > len(packed):
            raise RunRefused(f"{name} is not as a venue writes it: make the bundle again")


def _length(head: bytes) -> int:
    """Return how many items a packed list says that it has."""
    first = head[0]
    if first & 0xF0 == 0x90:
        return first & 0x0F
    sizes = {0xDC: 2, 0xDD: 4}
    return int.from_bytes(head[1 : 1 + sizes[first]]) if first in sizes else 0


def _parts(data: bytes, name: str) -> tuple[RunHeader, bytes]:
    """Return the head, and the bytes after it. RunRefused."""
    magic = data[: len(MAGIC)]
    if magic != MAGIC:
        if MAGIC.startswith(magic):
            raise _cut(name, f"it ends after {len(data)} bytes")
        raise RunRefused(
            f"{name} is a bundle of another format than this version's, which is"
            f" {MAGIC.decode().strip()!r}: open it with the version of venue that made it"
        )
    head, found, body = data[len(MAGIC) :].partition(b"\n")
    if not found and len(head) <= HEADER_MAX:
        raise _cut(name, f"it ends after {len(data)} bytes")
    try:
        return _header.decode(head), body
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise RunRefused(f"{name} is damaged, its head cannot be read: copy it again") from problem


def _cut(name: str, where: str) -> RunRefused:
    return RunRefused(f"{name} is cut, {where}: copy it again")


def _digest(header: RunHeader, body: bytes) -> str:
    """Return the digest of the body, and of the version and rules that wrote it."""
    said = _encode((header.version, header.rules))
    return blake2b(said + body, digest_size=32).hexdigest()
