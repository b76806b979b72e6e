"""Whether a journal has its end: all acknowledged commands are in it, or it is not opened.

A commit that a kill or a power cut tore was never acknowledged, and SQLite leaves it out silently.
As silently it leaves out all that follows a damaged frame of its write-ahead log. Two things tell
them apart: more than one commit after the part it takes, and the sequence noted beside the journal.
"""

from __future__ import annotations

import os
import struct
from mmap import mmap
from pathlib import Path
from typing import Final

from venue import private_files

ENDING: Final = ".acknowledged"  # of the file beside a journal
_WORDS: Final = struct.Struct(">2Q")
_SIZE: Final = _WORDS.size
_NUMBER_MAX: Final = (1 << 64) - 1
_HEADER: Final = struct.Struct(">8I")  # a log's: magic, version, page size, -, two salts, two sums
_FRAME: Final = struct.Struct(">4I8x")  # page, pages of the file if it commits, two salts, two sums
_MAGIC: Final = 0x377F0682  # its last bit: the order of bytes in checksums
_WORD: Final = 0xFFFFFFFF


class Ending:
    """The last sequence of a journal that may have been acknowledged, in a file beside it.

    It is written after that commit and never synced. So it may be too small after a power cut, and
    is never too large: a journal that ends before it has lost commands.
    """

    def __init__(self, journal: str) -> None:
        self.path = journal + ENDING
        self._page: mmap | None = None

    def read(self) -> int:
        """The noted sequence; 0 when there is none, or it cannot be read."""
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
        data = _sealed(sequence)
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
        """Let the file go."""
        if self._page is not None:
            self._page.close()
            self._page = None


def _sealed(sequence: int) -> bytes:
    """A number, and its complement."""
    return _WORDS.pack(sequence, _NUMBER_MAX ^ sequence)


def torn_commit(log: str, taken: int) -> bool:
    """Whether any part of a log's present round lies after the `taken` frames that SQLite takes.

    ValueError when it is more than one commit can have left there: the log is damaged.
    """
    try:
        with Path(log).open("rb") as file:
            header = file.read(_HEADER.size)
            count = os.fstat(file.fileno()).st_size - _HEADER.size
            if len(header) < _HEADER.size or count < _FRAME.size or not any(header):
                return False
            if not _intact(header):
                raise ValueError("its first bytes are not as written")
            page, salts = _HEADER.unpack(header)[2], _HEADER.unpack(header)[4:6]
            found = committed = False
            for number in range(taken, count // (_FRAME.size + page)):
                file.seek(_HEADER.size + number * (_FRAME.size + page))
                _, pages, *own = _FRAME.unpack(file.read(_FRAME.size))
                if tuple(own) != salts:
                    continue  # of a former round
                if committed:
                    raise ValueError(f"frame {taken + 1} is not as written, and others follow")
                found = True
                committed = pages > 0
            return found
    except FileNotFoundError:
        return False


def _intact(header: bytes) -> bool:
    """Whether a log's header has the checksum that it names."""
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
