"""Commands and events of savepoints: the state is saved under a name, and reverted to."""

from msgspec import Struct

from venue.core.ranges import Whole


class KeepState(Struct, array_like=True, tag_field="what", tag=90, gc=False):
    """Save the present state under a name; replaces a state with that name.

    `aside` is data that others want to get back with it: opaque here, returned by `StateReverted`.
    """

    name: str
    aside: bytes = b""
    time: Whole = 0


class RevertState(Struct, array_like=True, tag_field="what", tag=91, gc=False):
    """Go back to the state saved under a name, and to its time; it stays saved. The sequence keeps
    growing: the journal is one line, in which this command starts a branch."""

    name: str
    time: Whole = 0


class DropState(Struct, array_like=True, tag_field="what", tag=92, gc=False):
    """Delete a saved state."""

    name: str
    time: Whole = 0


class StateKept(Struct, array_like=True, tag_field="what", tag=90):
    """A state was saved. `sequence` is the last command in it."""

    name: str
    sequence: int


class StateReverted(Struct, array_like=True, tag_field="what", tag=91):
    """The state and the time (µs) are again those after command `sequence`. `epoch` counts
    reverts."""

    name: str
    sequence: int
    time: int
    epoch: int
    aside: bytes


class StateDropped(Struct, array_like=True, tag_field="what", tag=92):
    """A saved state was deleted."""

    name: str
