"""Calls of venue.api.countdown. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.countdown
from venue.client.sending import Send


class CountdownCalls:
    """A method for each row."""

    _send: Send

    def cancel_after(self, *, timeout: int) -> venue.api.countdown.CancelAfterReply:
        """POST /api/v3/cancelAllAfter"""
        return self._send(venue.api.countdown.cancel_after, {"timeout": timeout})

    def contract_cancel_after(self, *, timeout: int) -> venue.api.countdown.CancelAfterReply:
        """POST /capi/v3/cancelAllAfter"""
        return self._send(venue.api.countdown.contract_cancel_after, {"timeout": timeout})
