"""Calls of venue.api.operator.faults. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.faults
from venue.client.sending import Send


class OperatorFaultsCalls:
    """A method for each row."""

    _send: Send

    def faults(self) -> list[venue.api.operator.faults.FaultView]:
        """GET /_venue/faults"""
        return self._send(venue.api.operator.faults.faults, {})

    def add_fault(
        self,
        *,
        effect: venue.api.operator.faults.Effect,
        id: str | None = None,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """POST /_venue/faults"""
        return self._send(
            venue.api.operator.faults.add_fault,
            {"effect": effect, "id": id, "match": match, "when": when, "enabled": enabled},
        )

    def clear_faults(self) -> list[venue.api.operator.faults.FaultView]:
        """DELETE /_venue/faults"""
        return self._send(venue.api.operator.faults.clear_faults, {})

    def change_fault(
        self,
        *,
        id: str,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        effect: venue.api.operator.faults.Effect | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """PATCH /_venue/faults/{id}"""
        return self._send(
            venue.api.operator.faults.change_fault,
            {"id": id, "match": match, "when": when, "effect": effect, "enabled": enabled},
        )

    def remove_fault(self, *, id: str) -> venue.api.operator.faults.FaultView:
        """DELETE /_venue/faults/{id}"""
        return self._send(venue.api.operator.faults.remove_fault, {"id": id})

    def try_fault(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        owner: str | None = None,
        key: str | None = None,
        symbol: str | None = None,
        side: str | None = None,
        channel: str | None = None,
    ) -> list[venue.api.operator.faults.Tried]:
        """POST /_venue/faults/try"""
        return self._send(
            venue.api.operator.faults.try_fault,
            {
                "method": method,
                "path": path,
                "owner": owner,
                "key": key,
                "symbol": symbol,
                "side": side,
                "channel": channel,
            },
        )

    def fault_presets(self) -> list[venue.api.operator.faults.Preset]:
        """GET /_venue/faults/presets"""
        return self._send(venue.api.operator.faults.fault_presets, {})

    def apply_fault_preset(
        self, *, name: str, rate: str | None = None
    ) -> list[venue.api.operator.faults.FaultView]:
        """PUT /_venue/faults/presets/{name}"""
        return self._send(
            venue.api.operator.faults.apply_fault_preset, {"name": name, "rate": rate}
        )
