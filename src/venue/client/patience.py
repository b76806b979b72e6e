"""Asks a venue again while its history is behind the caller's last write."""

from __future__ import annotations

import time
from typing import Any, Final

from venue.api.operation import Row
from venue.client.blocking import Client
from venue.client.http import Answer

BUSY: Final = 503
BEHIND: Final = b"history is behind"  # the venue has waited for it in vain
BEHIND_S: Final = 30.0


def ask_patiently(
    client: Client, row: Row, values: dict[str, Any], stamp: int | None = None
) -> Answer:
    """As `ask_once`; while a busy venue's history is behind, ask again, for half a minute."""
    ends = time.monotonic() + BEHIND_S
    while True:
        answer = client.ask_once(row, values, stamp)
        if answer.status != BUSY or BEHIND not in answer.body or time.monotonic() > ends:
            return answer
        stamp = stamp + 1 if stamp is not None else None  # another request
