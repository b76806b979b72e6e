"""The pytest plugin: a venue for each test, with its clock, its faults and stock clients; and
`Machine`, which needs Hypothesis."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from venue.testing.machine import Machine as Machine


def __getattr__(name: str) -> Any:
    if name != "Machine":
        raise AttributeError(f"module 'venue.testing' has no attribute {name!r}")
    from venue.testing.machine import Machine

    return Machine
