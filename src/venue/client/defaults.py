"""Defaults of a client: the address, the time limit, the number of repetitions."""

from __future__ import annotations

from typing import Final

DEFAULT_URL: Final = "http://127.0.0.1:8787"
TIMEOUT_S: Final = 10.0
RETRIES: Final = 2
