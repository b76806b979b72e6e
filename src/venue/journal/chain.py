"""The journal's hash chain: the same commands give the same digests, however they were batched."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

BLOCK: Final = 1024  # commands after which the hash starts again; no row crosses such a boundary
DIGEST: Final = 32
START: Final = bytes(DIGEST)  # stands for the digest before the first command


class Chain:
    """A running digest over commands. It can be continued from any multiple of `BLOCK`.

    Within a block the digest is blake2b(digest of the block before + the commands' own msgpack
    bytes so far). `sequence` is the last command in it.
    """

    __slots__ = ("_hash", "digest", "sequence", "start")

    def __init__(self, sequence: int = 0, digest: bytes = START) -> None:
        """Continue after `sequence`, a multiple of `BLOCK`, from the chain's `digest` there."""
        assert sequence % BLOCK == 0, sequence
        self.sequence = sequence
        self.start = self.digest = digest  # after the previous block; after the last command
        self._hash = blake2b(digest, digest_size=DIGEST)

    def room(self) -> int:
        """Return how many commands still fit into this block; never 0."""
        return BLOCK - self.sequence % BLOCK

    def add(self, payload: bytes, count: int) -> bytes:
        """Add `count` commands packed as one msgpack array; return the digest after the last of
        them.

        ValueError when `payload` does not begin as an array of `count`, or leaves the block.
        """
        if not 0 < count <= self.room():
            raise ValueError(f"{count} commands do not fit into the block after {self.sequence}")
        header = _array_header(count)
        if not payload.startswith(header):
            raise ValueError(f"the payload is not an array of {count} commands")
        # Without the header: it depends on the batch, the elements do not.
        self._hash.update(memoryview(payload)[len(header) :])
        self.sequence += count
        digest = self.digest = self._hash.digest()
        if self.sequence % BLOCK == 0:
            self.start = digest
            self._hash = blake2b(digest, digest_size=DIGEST)
        return digest


def digest_with(chain: Chain, payload: bytes) -> bytes:
    """Return the digest that a chain would come to with a payload of any length; it stays as it
    is."""
    tried = chain._hash.copy()
    tried.update(memoryview(payload)[len(_array_header(commands_in(payload))) :])
    return tried.digest()


def commands_in(payload: bytes) -> int:
    """Return the length of a msgpack array of commands from its first bytes; ValueError when it is
    none."""
    if payload[:1] == b"\xdc" and len(payload) > 2:
        return int.from_bytes(payload[1:3], "big")
    if not payload or payload[0] & 0xF0 != 0x90:
        raise ValueError("the payload is not an array of commands")
    return payload[0] & 0x0F


def _array_header(count: int) -> bytes:
    if count < 16:
        return bytes((0x90 | count,))
    return b"\xdc" + count.to_bytes(2, "big")
