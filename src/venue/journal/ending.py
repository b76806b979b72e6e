"""Checks that a journal has all acknowledged commands; otherwise it is not opened.

A commit that was cut off by a kill or a power cut was never acknowledged, and SQLite drops it
silently. It also silently drops all that follows a damaged frame of its write-ahead log. Two facts
tell these cases apart: more than one commit after the part that it takes, and the sequence noted
beside the journal.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from mmap import mmap
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from venue.files import private_files

ENDING: Final = ".acknowledged"  # of the file beside a journal
_WORDS: Final = struct.Struct(">2Q")
_SIZE: Final = _WORDS.size
_NUMBER_MAX: Final = (1 << 64) - 1
_HEADER: Final = struct.Struct(">8I")  # a log's: magic, version, page size, -, two salts, two sums
_FRAME: Final = struct.Struct(">4I8x")  # page, pages of the file if it commits, two salts, two sums
_MAGIC: Final = 0x377F0682  # its last bit: the order of bytes in checksums
_WORD: Final = 0xFFFFFFFF


class Pages(NamedTuple):
    """A database's file, without its log: the size of its pages, and one of them by its number."""

    size: int
    read: Callable[[int], bytes]


class Ending:
    """The last sequence of a journal that may have been acknowledged, in a file beside it.

    It is written after that commit and never synced. So it may be too small after a power cut, and
    is never too large: a journal that ends before it has lost commands.
    """

    def __init__(self, journal: str) -> None:
        self.path = journal + ENDING
        self._page: mmap | None = None

    def read(self) -> int:
        """Return the noted sequence; 0 when there is none, or it cannot be read."""
        try:
            data = Path(self.path).read_bytes()[:_SIZE]
        except OSError:
            return 0
        if len(data) < _SIZE:
            return 0
        sequence, complement = _WORDS.unpack(data)
        return int(sequence) if complement == _NUMBER_MAX ^ sequence else 0

    def note(self, sequence: int) -> None:
        """Note a sequence; OSError."""
        data = _encode_number(sequence)
        if self._page is None:
            private_files.create(Path(self.path))
            file = os.open(self.path, os.O_RDWR)
            try:
                os.pwrite(file, data, 0)  # a full disk is an error here, and none later
                self._page = mmap(file, _SIZE)
            finally:
                os.close(file)
        self._page[:] = data

    def close(self) -> None:
        """Close the file."""
        if self._page is not None:
            self._page.close()
            self._page = None


def _encode_number(sequence: int) -> bytes:
    """Return a number, and its complement."""
    return _WORDS.pack(sequence, _NUMBER_MAX ^ sequence)


def torn_commit(log: str, taken: int, pages: Pages) -> bool:
    """Return whether any part of a log's present round comes after the `taken` frames that SQLite
    takes, or a new round was about to begin.

    ValueError when this is more than one commit can have left there: the log is damaged.
    """
    try:
        with Path(log).open("rb") as file:
            header = file.read(_HEADER.size)
            count = os.fstat(file.fileno()).st_size - _HEADER.size
            if len(header) < _HEADER.size or count < _FRAME.size or not any(header):
                return False
            if not _intact(header):
                # Only a log whose pages are all in the file gets a new header.
                if _adds_nothing(file, pages):
                    return True
                raise ValueError("its first bytes are not as written")
            page, salts = _HEADER.unpack(header)[2], _HEADER.unpack(header)[4:6]
            found = committed = False
            for _, whole, own in _frames(file, page, taken):
                if own != salts:
                    continue  # of a former round
                if committed:
                    raise ValueError(f"frame {taken + 1} is not as written, and others follow")
                found = True
                committed = whole > 0
            return found
    except FileNotFoundError:
        return False


def _frames(file: BinaryIO, size: int, first: int) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the frames of a log with pages of a size: the page's number, the pages of the file if
    it commits, and the salts. The file's position is then at the page."""
    count = (os.fstat(file.fileno()).st_size - _HEADER.size) // (_FRAME.size + size)
    for number in range(first, count):
        file.seek(_HEADER.size + number * (_FRAME.size + size))
        page, whole, *salts = _FRAME.unpack(file.read(_FRAME.size))
        yield page, whole, (salts[0], salts[1])


def _adds_nothing(file: BinaryIO, pages: Pages) -> bool:
    """Return whether the database's file has all that the log's commits wrote."""
    committed: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    last, round_ = 0, None
    for page, whole, salts in _frames(file, pages.size, 0):
        round_ = round_ or salts
        if salts != round_:
            break  # of a former round
        pending[page] = file.read(pages.size)
        if whole:
            committed.update(pending)
            pending, last = {}, whole
    return bool(committed) and all(
        pages.read(page) == data for page, data in committed.items() if page <= last
    )


def _intact(header: bytes) -> bool:
    """Return whether a log's header has the checksum that it states."""
    fields = _HEADER.unpack(header)
    if fields[0] & ~1 != _MAGIC:
        return False
    order = ">6I" if fields[0] & 1 else "<6I"
    words = struct.unpack(order, header[:24])
    first = second = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & _WORD
        second = (second + odd + first) & _WORD
    return (first, second) == fields[6:]
