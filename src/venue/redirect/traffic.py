"""Counts a command's connections, for the report to its user at the end."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

NAMES_MAX: Final = 100  # that are told apart


class Traffic(Struct):
    """By name of a host: requests that the venue got, connections that began to speak TLS, and
    attempts to reach other hosts that were refused. Names only: paths may hold secrets."""

    served: dict[str, int] = field(default_factory=dict)
    greeted: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0  # requests while no venue was there
    strangers: int = 0  # connections of other users of this machine, which were refused


def count(counts: dict[str, int], name: str) -> None:
    """Count a name, unless there are too many others."""
    if name in counts or len(counts) < NAMES_MAX:
        counts[name] = counts.get(name, 0) + 1


def told(traffic: Traffic) -> list[str]:
    """Sentences on all that a user of the command would not expect."""
    lines = []
    for name, times in traffic.greeted.items():
        if name not in traffic.served:
            lines.append(
                f"{name} was called {_times(times)} and asked nothing: the program does not take"
                " the certificate made for this command. It pins another one, or has a store of its"
                " own"
            )
    if traffic.cut:
        hosts = ", ".join(f"{name} ({_times(times)})" for name, times in traffic.cut.items())
        lines.append(f"refused, as --only-venue says: {hosts}")
    if traffic.unanswered:
        lines.append(f"no venue answered {_times(traffic.unanswered)}")
    if traffic.strangers:
        lines.append(f"programs of other users connected {_times(traffic.strangers)}: refused")
    if not traffic.served and not traffic.greeted:
        lines.append("no request to the exchange came to the venue")
    return lines


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
