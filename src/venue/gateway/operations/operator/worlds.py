"""Operator operations on worlds."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.operation import Empty
from venue.api.operator.worlds import NamedWorld, WorldRequest, WorldView
from venue.gateway.door import Call
from venue.gateway.worlds import PREFIX, World, Worlds

NAMES_TOLD: Final = 20
NOT_FOUND: Final = 404


def worlds(call: Call, _: Empty) -> list[WorldView]:
    """Return all worlds, in the order in which they were made."""
    return [_view(world) for world in _of(call).all()]


async def create_world(call: Call, request: WorldRequest) -> WorldView:
    """Create a world."""
    there, state = _of(call), request.from_ or ""
    return _view(await there.create(request.name, agents=request.agents, state=state))


async def delete_world(call: Call, request: NamedWorld) -> WorldView:
    """End a world; the world as it was."""
    there = _of(call)
    world = there.find(request.name)
    if world is None:
        names = [known.name for known in there.all()]
        told = ", ".join(names[:NAMES_TOLD]) or "none"
        more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
        unknown = errors.invalid("name", f"no such world; there are: {told}{more}")
        raise ApiError(unknown.code, unknown.message, NOT_FOUND)
    view = _view(world)
    await there.delete(world)
    return view


def _of(call: Call) -> Worlds:
    """Return the venue's worlds; ApiError -1054 inside a world, which has none."""
    there = call.door.worlds
    if there is None:
        raise errors.failed_precondition("a world has no worlds: ask the venue itself")
    return there


def _view(world: World) -> WorldView:
    running = world.running
    return WorldView(
        name=world.name,
        path=f"{PREFIX.decode()}{world.name}",
        alive=running is not None,
        agents=world.agents,
        from_=world.state,
        sequence=running.sequence() if running is not None else 0,
        problem=running.failure if running is not None else "",
    )
