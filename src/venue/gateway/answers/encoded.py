"""A reply that is JSON already."""

from __future__ import annotations


class Encoded:
    """What a handler returns in place of a reply struct: the body, written as it stands."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data
