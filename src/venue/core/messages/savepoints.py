"""Commands and events of savepoints: the state is kept under a name, and gone back to."""

from msgspec import Struct

from venue.core.ranges import Whole


class KeepState(Struct, array_like=True, tag_field="what", tag=90, gc=False):
    """Keep the state as it is now under a name; a state that had the name is replaced.

    `aside` is data that others want back with it: opaque here, given back by `StateReverted`.
    """

    name: str
    aside: bytes = b""
    time: Whole = 0


class RevertState(Struct, array_like=True, tag_field="what", tag=91, gc=False):
    """Go back to the state kept under a name, and to its time; it is kept on. The sequence goes on
    growing: the journal is one line, in which this command begins a branch."""

    name: str
    time: Whole = 0


class DropState(Struct, array_like=True, tag_field="what", tag=92, gc=False):
    """Keep a state no more."""

    name: str
    time: Whole = 0


class StateKept(Struct, array_like=True, tag_field="what", tag=90):
    """A state was kept. `sequence` is the last command in it."""

    name: str
    sequence: int


class StateReverted(Struct, array_like=True, tag_field="what", tag=91):
    """The state is that after command `sequence` again, and so is the time (µs). `epoch` counts."""

    name: str
    sequence: int
    time: int
    epoch: int
    aside: bytes


class StateDropped(Struct, array_like=True, tag_field="what", tag=92):
    """A state is kept no more."""

    name: str
