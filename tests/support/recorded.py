"""Recorded commands of both products, and the digest of all that the engine says about them.

`python -m support.recorded FILE [COMMANDS]` makes a new recording of about so many commands, which
is due when a rule changes on purpose; `python -m support.recorded --check FILE` tells whether
today's core says the same of them as was noted.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from support.recording import contract_commands, spot_commands
from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.state import snapshot

COMMANDS: Final = 6_000
CONTRACT_WALKS: Final = 3  # each in a world of its own
_encode = msgspec.msgpack.Encoder().encode


class Recording(msgspec.Struct):
    """The commands of several engines, and the digest of their events and states."""

    walks: list[list[Command]]
    digest: str


def digest(walks: Sequence[Sequence[Command]]) -> str:
    """Of every event in order, and of each engine's state at the end."""
    found = blake2b(digest_size=16)
    for commands in walks:
        engine = Engine()
        for command in commands:
            found.update(_encode(engine.apply(command)))
        found.update(snapshot.state_hash(engine).encode())
    return found.hexdigest()


def kinds(walks: Sequence[Sequence[Command]]) -> dict[str, int]:
    """How many events of each type today's engine states, by name."""
    counts: dict[str, int] = {}
    for commands in walks:
        engine = Engine()
        for command in commands:
            for event in engine.apply(command):
                name = type(event).__name__
                counts[name] = counts.get(name, 0) + 1
    return counts


def record(count: int) -> Recording:
    """Walks of about `count` commands in all, a quarter of them spot."""
    walks = [spot_commands(count // 4)]
    each = (count - count // 4) // CONTRACT_WALKS
    walks += [contract_commands(seed, each) for seed in range(CONTRACT_WALKS)]
    return Recording(walks, digest(walks))


def read(path: Path) -> Recording:
    """The recording of a file."""
    return msgspec.msgpack.decode(gzip.decompress(path.read_bytes()), type=Recording)


def main(arguments: Sequence[str]) -> int:
    """Record, or check what was recorded; 1 when it is no more what it was."""
    if arguments[0] == "--check":
        recording = read(Path(arguments[1]))
        same = digest(recording.walks) == recording.digest
        print(sum(map(len, recording.walks)), "commands:", "the same" if same else "NOT the same")
        return 0 if same else 1
    count = int(arguments[1]) if len(arguments) > 1 else COMMANDS
    recording = record(count)
    packed = gzip.compress(msgspec.msgpack.encode(recording), mtime=0)
    Path(arguments[0]).write_bytes(packed)
    print(sum(map(len, recording.walks)), "commands,", len(packed), "bytes,", recording.digest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
