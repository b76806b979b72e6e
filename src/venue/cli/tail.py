"""`venue tail`: frames of channels as lines of JSON."""

from __future__ import annotations

import json
import shutil
import sys

from venue.cli.printing import tell
from venue.cli.streams import Streams
from venue.lab.credentials import Credentials


def tail(
    url: str, product: str, channels: list[str], account: Credentials | None, count: int | None
) -> None:
    """Print frames as they come, `count` of them or until ^C; Lost: a stream ended."""
    try:
        with Streams(url, product, account) as streams:
            streams.listen(channels)
            printed = 0
            while count is None or printed < count:
                frame = streams.next()
                tell(_fitting(json.dumps(frame, separators=(",", ":"), ensure_ascii=False)))
                sys.stdout.flush()
                printed += 1
    except KeyboardInterrupt:
        return


def _fitting(text: str) -> str:
    """A frame as a terminal's line; whole where the output is none."""
    width = shutil.get_terminal_size().columns
    if not sys.stdout.isatty() or len(text) <= width:
        return text
    told = f"... ({len(text)} characters)"
    return text[: max(width - len(told), 0)] + told
