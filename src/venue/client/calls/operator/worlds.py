"""Calls of venue.api.operator.worlds. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.worlds
from venue.client.sending import Send


class OperatorWorldsCalls:
    """A method for each row."""

    _send: Send

    def worlds(self) -> list[venue.api.operator.worlds.WorldView]:
        """GET /_venue/worlds"""
        return self._send(venue.api.operator.worlds.worlds, {})

    def create_world(
        self, *, name: str, agents: bool | None = None, from_: str | None = None
    ) -> venue.api.operator.worlds.WorldView:
        """POST /_venue/worlds"""
        return self._send(
            venue.api.operator.worlds.create_world, {"name": name, "agents": agents, "from": from_}
        )

    def delete_world(self, *, name: str) -> venue.api.operator.worlds.WorldView:
        """DELETE /_venue/worlds/{name}"""
        return self._send(venue.api.operator.worlds.delete_world, {"name": name})
