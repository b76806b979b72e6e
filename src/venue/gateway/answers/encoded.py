"""A reply that is JSON already."""

from __future__ import annotations


class EncodedBody:
    """A body that a handler returns in place of a reply struct; written unchanged."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data
