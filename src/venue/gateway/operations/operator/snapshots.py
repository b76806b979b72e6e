"""Operator operations on snapshots."""

from __future__ import annotations

from venue.api import errors
from venue.api.operation import Empty
from venue.api.operator.snapshots import READY, Reverted, SnapshotId, SnapshotView
from venue.core.messages.applied import Applied
from venue.core.messages.events import Event, Rejected
from venue.core.messages.savepoints import DropState, StateReverted
from venue.core.savepoints import Savepoint
from venue.core.state.snapshot import digest
from venue.gateway.door import Call, Door
from venue.gateway.operations.operator.keys import note_rewrites
from venue.gateway.operations.refusals.spot import refusal
from venue.node.node import Node
from venue.node.sequencer import Overloaded, Stopped
from venue.node.timekeeper import Busy
from venue.times import US_PER_MS


def snapshots(call: Call, _: Empty) -> list[SnapshotView]:
    """Return the states that are kept, the oldest first."""
    return [_view(kept) for kept in call.node.engine.kept_states.values()]


async def keep_snapshot(call: Call, request: SnapshotId) -> SnapshotView:
    """Keep the state as it is now; a former one of this name is replaced."""
    node = call.node
    _check_free(request.name)
    async with node.saving:
        try:
            _outcome(await node.timekeeper.keep(request.name, node.reverts.dump))
        except (Busy, Overloaded, Stopped) as problem:
            raise errors.busy(f"{problem}; nothing was done") from None
        return _view(node.engine.kept_states[request.name])


async def delete_snapshot(call: Call, request: SnapshotId) -> SnapshotView:
    """Keep a state no more."""
    node = call.node
    _check_free(request.name)
    async with node.saving:
        kept = find_state(node, request.name)
        _outcome(await node.submit([DropState(request.name)]))
        return _view(kept)


async def revert(call: Call, request: SnapshotId) -> Reverted:
    """Go back to a kept state, which stays kept."""
    return await _revert(call.door, request.name)


async def reset(call: Call, _: Empty) -> Reverted:
    """Go back to the state in which the venue began to answer."""
    return await _revert(call.door, READY)


async def _revert(door: Door, name: str) -> Reverted:
    node = door.node
    kept = find_state(node, name)
    try:
        applied = await node.timekeeper.revert(name)
    except (Busy, Overloaded, Stopped) as problem:
        raise errors.busy(f"{problem}; nothing was done") from None
    event = _outcome(applied)
    assert isinstance(event, StateReverted)
    await door.keys.settle()  # those of owners that are gone ended with the revert
    await note_rewrites(door)  # the note went back with the state
    time = event.time // US_PER_MS
    return Reverted(name, event.epoch, applied[0].sequence, time, digest(kept.state))


def _outcome(applied: list[Applied]) -> Event:
    """Return the outcome of one command; ApiError when it was refused."""
    (event,) = applied[0].events
    if isinstance(event, Rejected):
        raise refusal(event)
    return event


def _check_free(name: str) -> None:
    if name == READY:
        raise errors.invalid("name", f"{READY!r} is the venue's own: reset goes back to it")


def find_state(node: Node, name: str, field: str = "name") -> Savepoint:
    """Return the kept state of a name. ApiError 404 with the names that there are; it names
    `field`."""
    kept = node.engine.kept_states
    state = kept.get(name)
    if state is None:
        there = ", ".join(kept) or "none is kept"
        raise errors.not_there(field, f"no snapshot has this name; there are: {there}")
    return state


def _view(kept: Savepoint) -> SnapshotView:
    return SnapshotView(kept.name, kept.sequence, kept.time // US_PER_MS, len(kept.state))
