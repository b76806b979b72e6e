"""How many frames of a private channel are kept for clients that resume."""

from __future__ import annotations

from typing import Final

FRAMES_KEPT: Final = 100_000  # of each channel


def frames_gone(newest: int, kept: int) -> int:
    """Return the last number that a channel no longer keeps when it has reached `newest`.

    It keeps `kept` frames and a few more: they are deleted a hundredth part at a time.
    """
    step = max(1, kept // 100)
    return max(0, newest // step * step - kept)
