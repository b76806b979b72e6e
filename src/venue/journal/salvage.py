"""Finds the rows that a damaged journal still holds in its bytes, even where pages are damaged.

A row is found by its record's own header, at any place in a page: the page's header and pointers,
the pages above it and the schema may all be damaged. A row that is found may be old, or damaged
itself: the hash chain decides which of them are valid.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from venue.journal.chain import DIGEST

PAGE: Final = 4096  # bytes of each page of a journal
HEADER_MAX: Final = 7  # bytes of the header of a row's record
_WAL_HEADER: Final = 32
_FRAME: Final = struct.Struct(">2I8s8x")  # page, pages of the file if it commits, salts, sums
_SIZES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}  # bytes of SQLite's integers
_DIGEST: Final = bytes([12 + 2 * DIGEST])  # the type of a digest in a record's header
_INTEGER: Final = rb"[\x01-\x06\x08\x09]"
# A record's header: its own length, then the type of each column; the first is the row's number.
_BATCH: Final = re.compile(
    rb"(?=(\x05\x00([\x01\x02\x09])([\x0c-\x7f])" + _DIGEST + rb"|"
    rb"\x06\x00([\x01\x02\x09])([\x80-\xff][\x00-\x7f])" + _DIGEST + rb"|"
    rb"\x07\x00([\x01\x02\x09])([\x80-\xff]{2}[\x00-\x7f])" + _DIGEST + rb"))",
    re.DOTALL,
)
_ARCHIVED: Final = re.compile(rb"(?=(\x03(" + _INTEGER + rb")" + _DIGEST + rb"))", re.DOTALL)
_SEGMENT: Final = re.compile(rb"(?=(\x04\x00([\x0d-\x7f])(" + _INTEGER + rb")))", re.DOTALL)


class Row(Struct, frozen=True):
    """A row of commands as it was found."""

    first: int
    payload: bytes
    digest: bytes


def pages_of(path: str) -> list[bytes]:
    """Return a journal's pages with those of its log, as far as commits end in it. OSError."""
    data = Path(path).read_bytes()
    pages = [data[at : at + PAGE].ljust(PAGE, b"\0") for at in range(0, len(data), PAGE)]
    log = Path(f"{path}-wal")
    taken: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for number, commits, page in _frames(log.read_bytes() if log.exists() else b""):
        waiting[number] = page
        if commits:
            taken |= waiting
            waiting = {}
    for number in sorted(taken):
        if number == len(pages) + 1:
            pages.append(taken[number])
        elif 1 <= number <= len(pages):
            pages[number - 1] = taken[number]
    return pages


def _frames(log: bytes) -> Iterator[tuple[int, bool, bytes]]:
    salts = log[16:24]
    for at in range(_WAL_HEADER, len(log) - _FRAME.size - PAGE + 1, _FRAME.size + PAGE):
        number, commits, own = _FRAME.unpack_from(log, at)
        if own == salts:
            yield number, commits > 0, log[at + _FRAME.size : at + _FRAME.size + PAGE]


def rows(pages: list[bytes]) -> Iterator[Row]:
    """Whatever looks like a row of commands."""
    for page in pages:
        for found in _BATCH.finditer(page):
            row = _row(pages, page, found)
            if row is not None:
                yield row


def nearly(pages: list[bytes], first: int) -> Iterator[Row]:
    """Whatever would look like the row of a number if one bit of its record's header, or of the
    pointer to its rest, were another."""
    begin = _varint_bytes(first)
    for page in pages:
        at = page.find(begin)
        while at >= 0:
            record = at + len(begin)
            tried = [*range(record, record + HEADER_MAX)]
            found = _BATCH.match(page, record)
            if found is not None:
                tried += range(record + _local(_total(found)), record + _local(_total(found)) + 4)
            for place in tried:
                yield from _with_changed_bit(pages, page, record, place)
            at = page.find(begin, at + 1)


def _with_changed_bit(pages: list[bytes], page: bytes, record: int, place: int) -> Iterator[Row]:
    if place >= PAGE:
        return
    for bit in range(8):
        changed = page[:place] + bytes([page[place] ^ 1 << bit]) + page[place + 1 :]
        found = _BATCH.match(changed, record)
        row = _row(pages, changed, found) if found is not None else None
        if row is not None:
            yield row


def _total(found: re.Match[bytes]) -> int:
    """Return the bytes of a record whose header was found."""
    count_type, length = [one for one in found.groups()[1:] if one is not None]
    return len(found[1]) + _SIZES[count_type[0]] + (_varint(length) - 12) // 2 + DIGEST


def _row(pages: list[bytes], page: bytes, found: re.Match[bytes]) -> Row | None:
    total = _total(found)
    record = _record(pages, page, found.start(), total)
    if record is None:
        return None
    count_type = next(one for one in found.groups()[1:] if one is not None)
    before = len(found[1]) + _SIZES[count_type[0]]
    payload, digest = record[before : total - DIGEST], record[total - DIGEST :]
    return Row(_number_before(page, found.start()), payload, digest)


def archived_rows(pages: list[bytes]) -> list[tuple[int, bytes]]:
    """Whatever looks like the row that says where a journal begins."""
    found = []
    for page in pages:
        for one in _ARCHIVED.finditer(page):
            at, size = one.end() + len(one[1]), _SIZES[one[2][0]]
            digest = page[at + size : at + size + DIGEST]
            if len(digest) == DIGEST:
                found.append((_integer(one[2][0], page[at : at + size]), digest))
    return found


def segments(pages: list[bytes]) -> list[tuple[int, str, int]]:
    """Whatever looks like a segment: its first command, version and rules."""
    found = []
    for page in pages:
        for one in _SEGMENT.finditer(page):
            size = (one[2][0] - 13) // 2
            at = one.end() + len(one[1])
            text, end = page[at : at + size], at + size + _SIZES[one[3][0]]
            if one[2][0] % 2 and re.fullmatch(rb"[0-9][0-9a-z.+]*|unknown|damaged", text):
                rules = _integer(one[3][0], page[at + size : end])
                found.append((_number_before(page, one.start()), text.decode(), rules))
    return found


def _record(pages: list[bytes], page: bytes, at: int, total: int) -> bytes | None:
    """Return a record's bytes; a long one continues in other pages."""
    local = _local(total)
    if at + local + (4 if local < total else 0) > PAGE:
        return None
    found = page[at : at + local]
    follower = int.from_bytes(page[at + local : at + local + 4], "big") if local < total else 0
    while len(found) < total:
        if not 1 <= follower <= len(pages):
            return None
        found += pages[follower - 1][4:]
        follower = int.from_bytes(pages[follower - 1][:4], "big")
    return found[:total]


def _local(total: int) -> int:
    """Return how many bytes of a record are in its own page."""
    most = PAGE - 35
    if total <= most:
        return total
    least = (PAGE - 12) * 32 // 255 - 23
    local = least + (total - least) % (PAGE - 4)
    return local if local <= most else least


def _varint_bytes(number: int) -> bytes:
    """Return a number as SQLite writes it before a record."""
    found = bytes([number & 0x7F])
    while number := number >> 7:
        found = bytes([number & 0x7F | 0x80]) + found
    return found


def _varint(data: bytes) -> int:
    number = 0
    for byte in data:
        number = number << 7 | byte & 0x7F
    return number


def _number_before(page: bytes, at: int) -> int:
    """Return a row's number, which is stored before its record."""
    begin = at - 1
    while begin > max(0, at - 9) and page[begin - 1] & 0x80:
        begin -= 1
    return _varint(page[max(0, begin) : at])


def _integer(kind: int, data: bytes) -> int:
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True)
