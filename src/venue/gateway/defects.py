"""Contains broken invariants in streams where they happen, and counts them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("venue.gateway")


class Defects:
    """Counts the defects since the start. Each ended connections that it had touched, no others."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def contain(self, where: str, act: Callable[..., object], *given: Any) -> bool:
        """Act; false when that raised. The exception is logged and counted, and goes no further."""
        try:
            act(*given)
        except Exception:
            log.exception("defect in %s", where)
            self.count += 1
            return False
        return True
