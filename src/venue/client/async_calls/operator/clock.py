"""Calls of venue.api.operator.clock. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.clock
from venue.client.sending import AsyncSend, Money


class OperatorClockAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def clock(self) -> venue.api.operator.clock.ClockView:
        """GET /_venue/clock"""
        return await self._send(venue.api.operator.clock.clock, {})

    async def change_clock(
        self,
        *,
        mode: str,
        rate: Money | None = None,
        offset: str | None = None,
        at: str | None = None,
    ) -> venue.api.operator.clock.ClockView:
        """POST /_venue/clock"""
        return await self._send(
            venue.api.operator.clock.change_clock,
            {"mode": mode, "rate": rate, "offset": offset, "at": at},
        )

    async def advance_clock(
        self,
        *,
        by: str | None = None,
        to: str | None = None,
        to_next: str | None = None,
        dry_run: bool | None = None,
        sparse: bool | None = None,
    ) -> venue.api.operator.clock.Advance:
        """POST /_venue/clock/advance"""
        return await self._send(
            venue.api.operator.clock.advance_clock,
            {"by": by, "to": to, "to_next": to_next, "dry_run": dry_run, "sparse": sparse},
        )

    async def stop(self) -> venue.api.operator.clock.Stopping:
        """POST /_venue/stop"""
        return await self._send(venue.api.operator.clock.stop, {})
