"""The parts that requests of both products share: ids of orders, and spans of time."""

from __future__ import annotations

from typing import Protocol

from venue.api import errors
from venue.gateway.dispatch.decode import generated_order_id
from venue.times import LAST_US_OF_MS, US_PER_MS


class NamesOrder(Protocol):
    """A request for one order, by id or by client id."""

    order_id: int | None
    orig_client_order_id: str | None


def order_identity(request: NamesOrder) -> tuple[int, str]:
    """Return the order id, or the client id, that a request names; exactly one must be sent."""
    if request.order_id is not None:
        if request.orig_client_order_id is not None:
            raise errors.combination("orderId", "origClientOrderId")
        return request.order_id, ""
    if request.orig_client_order_id is None:
        raise errors.either("orderId", "origClientOrderId")
    return parse_client_id(request.orig_client_order_id)


def parse_client_id(client_id: str) -> tuple[int, str]:
    """Return the order id inside a client id of the venue's own form, or the client id itself."""
    number = generated_order_id(client_id)
    return number, "" if number else client_id


def span(start: int | None, end: int | None) -> tuple[int | None, int | None]:
    """Return an inclusive span of ms in µs. ApiError -1171 when it is reversed."""
    if start is not None and end is not None and start > end:
        raise errors.time_order()
    return (
        start * US_PER_MS if start is not None else None,
        end * US_PER_MS + LAST_US_OF_MS if end is not None else None,
    )
