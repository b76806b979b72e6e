"""The functions by which the calls of a client are sent."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol, TypeVar

from venue.api.operation import Operation

Money = str | int | Decimal  # the types of a parameter that is an amount
Q = TypeVar("Q")
R = TypeVar("R")


class Send(Protocol):
    """Sends a row's values and waits for the reply."""

    def __call__(self, row: Operation[Q, R], values: dict[str, Any]) -> R: ...


class AsyncSend(Protocol):
    """As `Send`, for asyncio."""

    async def __call__(self, row: Operation[Q, R], values: dict[str, Any]) -> R: ...
