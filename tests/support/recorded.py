"""The recording of the rules' number: commands, and the digest of all that the engine said of them.

It is what holds the number: as soon as the engine says anything else of these commands, a journal
that was written under the number replays to another state. `python -m support.recorded FILE` makes
a new one (`make recorded`); `python -m support.recorded --check FILE` tells whether today's core
says the same as was noted.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from support.recorded_walks import walks
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.rules import RULES
from venue.core.state.snapshot import begin, state_hash

COMMANDS: Final = 9_000  # of the random walks
PIECE: Final = 100  # commands between two digests
SIZE: Final = 8  # bytes of a digest
_encode = msgspec.msgpack.Encoder().encode


class Recorded(msgspec.Struct):
    """The commands of one engine; after each piece of them a digest of all events so far, after the
    last one also of the state."""

    name: str
    commands: list[Command]
    digests: list[bytes]


class Recording(msgspec.Struct):
    """Lives of several engines under the rules of a number."""

    rules: int
    walks: list[Recorded]


def said(commands: Sequence[Command]) -> Iterator[list[Event]]:
    """The events of each command."""
    engine = begin()
    for command in commands:
        yield engine.apply(command)


def digests(commands: Sequence[Command]) -> list[bytes]:
    """As in `Recorded`."""
    engine, heard = begin(), blake2b(digest_size=SIZE)
    found = []
    for number, command in enumerate(commands, 1):
        heard.update(_encode(engine.apply(command)))
        if number == len(commands):
            heard.update(state_hash(engine).encode())
        if number % PIECE == 0 or number == len(commands):
            found.append(heard.digest())
    return found


def differences(recording: Recording) -> list[str]:
    """Where today's engine says something else: the first such piece of each walk."""
    found = []
    for walk in recording.walks:
        today = digests(walk.commands)
        for number, (then, now) in enumerate(zip(walk.digests, today, strict=True)):
            if then != now:
                first, last = number * PIECE + 1, min((number + 1) * PIECE, len(walk.commands))
                found.append(f"walk {walk.name!r}, commands {first} to {last}")
                break
    return found


def record(count: int) -> Recording:
    """New walks, of about `count` random commands, under today's rules."""
    return Recording(RULES, [Recorded(name, own, digests(own)) for name, own in walks(count)])


def read(path: Path) -> Recording:
    """The recording of a file."""
    return msgspec.msgpack.decode(gzip.decompress(path.read_bytes()), type=Recording)


def main(arguments: Sequence[str]) -> int:
    """Record, or check what was recorded; 1 when it is no more what it was."""
    if arguments[0] == "--check":
        recording = read(Path(arguments[1]))
        told = differences(recording)
        print(f"rules {recording.rules}:", "; ".join(told) or "the same")
        return 1 if told or recording.rules != RULES else 0
    recording = record(int(arguments[1]) if len(arguments) > 1 else COMMANDS)
    packed = gzip.compress(msgspec.msgpack.encode(recording), mtime=0)
    Path(arguments[0]).write_bytes(packed)
    count = sum(len(walk.commands) for walk in recording.walks)
    print(f"rules {RULES}: {count} commands, {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
