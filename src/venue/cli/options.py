"""Options of commands from a file: one that was named, or one that was only found."""

from __future__ import annotations

from typing import Any, Final

from cyclopts import App, ArgumentCollection, CycloptsError
from cyclopts.config import Toml

# A file in the working directory may come from anybody. What opens the venue to others, names files
# or says where a token is sent, is taken from a file that was named, or from the command itself.
FOUND: Final = "venue.toml"
OF_FOUND: Final = (
    "agents", "batch-place", "capacity", "count", "depth-ms", "format", "history", "limit",
    "output", "port", "product", "quiet", "seed",
)  # fmt: skip


def named(path: str) -> Toml:
    """All options of a file, by command."""
    return Toml(path, allow_unknown=True)


def found(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Harmless options from the working directory's file; CycloptsError for any other one."""
    if not commands:  # before the command is known: a file names no other file
        return
    file = named(FOUND)
    section: Any = file.config
    for command in commands:
        section = section.get(command) if isinstance(section, dict) else None
    for name in section if isinstance(section, dict) else ():
        if name.replace("_", "-") not in OF_FOUND:
            raise CycloptsError(
                msg=f"{'.'.join([*commands, name])} is not taken from a {FOUND} that was only found"
                f" in the working directory. Say --config {FOUND} when it is yours, or give the"
                f" option itself. Without that it may hold: {', '.join(OF_FOUND)}."
            )
    file(app, commands, arguments)
