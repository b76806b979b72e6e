"""Documents that a venue serves beside its operations: descriptions of its interface, its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from venue.api.operation import VENUE
from venue.gateway.transport.request import Request

READS: Final = (b"GET", b"HEAD")
SESSION: Final = f"{VENUE.prefix}/session".encode()  # where the session of a browser begins
FILES: Final = b"/pages/"  # how paths of the pages' files begin
VIEWS: Final = (b"/why/", b"/learn")  # how paths begin that the bench shows by itself
HEAVY: Final = 20  # the weight of some hundred kilobytes, or of what nobody may try often


class Document(Protocol):
    """Whatever answers requests for one path. `methods` are those that it knows; to a `page` any
    other page may link. A request costs a `weight`."""

    methods: tuple[bytes, ...]
    page: bool
    weight: int

    def answer(self, request: Request) -> None:
        """Answer a request of one of its methods; ApiError for one that it refuses."""


Documents = Callable[[bytes], Document | None]  # finds one by its path


def is_of_pages(path: bytes) -> bool:
    """Return whether browsers ask for a path before their page can show a header."""
    return path in (b"/", b"/favicon.ico", SESSION) or path.startswith((FILES, *VIEWS))


class Description:
    """A description of the interface, in JSON, made when it is first asked for."""

    methods: tuple[bytes, ...] = READS
    page = False
    weight = HEAVY

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make
        self._made = b""

    def answer(self, request: Request) -> None:
        """Answer with the description."""
        if not self._made:
            self._made = msgspec.json.encode(self._make())
        request.answer(200, self._made)
