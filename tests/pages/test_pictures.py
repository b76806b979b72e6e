"""The pictures of the documents can be taken again."""

from __future__ import annotations

import struct
from pathlib import Path

from support.browser import WIDE
from support.pictures import take


def test_each_picture_is_a_whole_page(tmp_path: Path) -> None:
    take(tmp_path)
    taken = sorted(tmp_path.iterdir())
    assert [path.name for path in taken] == ["bench.png", "why.png"]
    for path in taken:
        head = path.read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", head[16:24]) == WIDE
