"""Cancel-all-after: a countdown per product, which each request sets again."""

from __future__ import annotations

from venue.api.countdown import CancelAfterReply, CancelAfterRequest
from venue.core.messages.commands import SetCancelAfter
from venue.core.messages.events import CancelAfterSet, Rejected
from venue.gateway.door import Call
from venue.gateway.operations.refusals.spot import refusal
from venue.vocabulary import Product


async def cancel_after(call: Call, request: CancelAfterRequest) -> CancelAfterReply:
    """Set or switch off the caller's countdown for spot orders."""
    return await _set(call, request, Product.SPOT)


async def contract_cancel_after(call: Call, request: CancelAfterRequest) -> CancelAfterReply:
    """Set or switch off the caller's countdown for contract orders."""
    return await _set(call, request, Product.CONTRACT)


async def _set(call: Call, request: CancelAfterRequest, product: Product) -> CancelAfterReply:
    timeout_us = request.timeout * 1_000_000
    command = SetCancelAfter(call.uid, int(product), timeout_us, call.request_id)
    (applied,) = await call.submit([command])
    (event,) = applied.events
    if isinstance(event, Rejected):
        raise refusal(event)
    assert isinstance(event, CancelAfterSet), event
    return CancelAfterReply(request.timeout, event.deadline // 1000, applied.time // 1000)
