"""An operator's settings: batches, words of answers, contracts closed to the interface."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.names import API_CLOSED
from venue.api.operation import Empty
from venue.api.operator.venue import ChangeSettingsRequest, Settings
from venue.core.messages.commands import ChangeSetting
from venue.gateway.door import Call
from venue.gateway.operations.operator.venue import submit_command

WORDINGS: Final = ("document", "live")
ENVELOPES: Final = ("object", "array")


def settings(call: Call, _: Empty) -> Settings:
    """Return the venue's settings."""
    node = call.node
    return Settings(
        node.setting("batchPlace", "false") == "true",
        node.batch_cancel_wording(),
        node.setting("contractBatchPlace", "false") == "true",
        node.setting("contractBatchCancelEnvelope", "object"),
        list(node.api_closed()),
    )


async def change_settings(call: Call, request: ChangeSettingsRequest) -> Settings:
    """Change the settings that are given."""
    if request.batch_cancel_wording not in (None, *WORDINGS):
        raise errors.invalid("batchCancelWording", f"must be one of {', '.join(WORDINGS)}")
    if request.contract_batch_cancel_envelope not in (None, *ENVELOPES):
        rule = f"must be one of {', '.join(ENVELOPES)}"
        raise errors.invalid("contractBatchCancelEnvelope", rule)
    for name, value in (
        ("batchPlace", _switch(request.batch_place)),
        ("batchCancelWording", request.batch_cancel_wording),
        ("contractBatchPlace", _switch(request.contract_batch_place)),
        ("contractBatchCancelEnvelope", request.contract_batch_cancel_envelope),
        (API_CLOSED, _contracts(call, request.api_closed)),
    ):
        if value is not None:
            await submit_command(call, ChangeSetting(name, value))
    return settings(call, Empty())


def _contracts(call: Call, symbols: list[str] | None) -> str | None:
    """Listed contracts as the journal keeps them, each once."""
    if symbols is None:
        return None
    markets = call.node.engine.perps
    found = dict.fromkeys(symbol.upper() if symbol.isascii() else symbol for symbol in symbols)
    for symbol in found:
        if symbol not in markets:
            rule = f"no such contract symbol: {errors.quote_value(symbol)}"
            raise errors.invalid("apiClosed", rule)
    return ",".join(found)


def _switch(on: bool | None) -> str | None:
    """Return a switch as the journal keeps it."""
    return None if on is None else str(on).lower()
