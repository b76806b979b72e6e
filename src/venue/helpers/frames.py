"""The format of frames between the venue and a helper: one byte of kind, four of length,
payload."""

from __future__ import annotations

import struct
from typing import Final

HEAD: Final = struct.Struct(">cI")
DONE: Final = b"d"  # the kinds of answers
FAILED: Final = b"f"
DAMAGED: Final = b"x"  # failed, because a file is not as it was written
