"""Reads options of commands from a file: one that was named, or one that was only found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from cyclopts import App, ArgumentCollection, CycloptsError
from cyclopts.config import Toml

# A file in the working directory may come from anybody. Options that open the venue to others, name
# files or say where a token is sent are taken only from a file that was named, or from the command
# itself.
FOUND: Final = "venue.toml"
OF_FOUND: Final = (
    "agents", "batch-place", "capacity", "count", "depth-ms", "format", "history", "limit",
    "output", "port", "product", "profile", "quiet", "seed",
    "strict",
)  # fmt: skip


class FileOptions:
    """Options of a file, by command; CycloptsError for a name that no command knows.

    Of a file that was only found, the harmless ones; CycloptsError for any other one.
    """

    def __init__(self, root: App, path: str = "") -> None:
        self._root = root
        self._named = bool(path)
        self._path = path or FOUND

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        if not commands:  # before the command is known: a file names no other file
            return
        file = Toml(self._path, allow_unknown=True)
        try:
            config = file.config
        except CycloptsError as problem:
            raise CycloptsError(msg=f"{self._path} is no TOML file: {problem}") from None
        for name in _section(self._root, commands, arguments, config, self._path):
            if not self._named and name not in OF_FOUND:
                raise CycloptsError(
                    msg=f"{'.'.join([*commands, name])} is not taken from a {FOUND} that was only"
                    f" found in the working directory. Say --config {FOUND} when it is yours, or"
                    f" give the option itself. Without that it may hold: {', '.join(OF_FOUND)}."
                )
        file(app, commands, arguments)


def _section(
    root: App, commands: tuple[str, ...], arguments: ArgumentCollection, config: Any, path: str
) -> list[str]:
    """The options that a file gives this command; CycloptsError for one that there is not."""
    section = config
    app = root
    for at, command in enumerate(commands):
        _check(path, ".".join(commands[:at]), section, app)
        section = section.get(command, {})
        if not isinstance(section, dict):
            raise CycloptsError(msg=f"{path}: [{'.'.join(commands[: at + 1])}] must be a table")
        app = app[command]
    options = [name.removeprefix("--") for one in arguments for name in one.names]
    return _check(path, ".".join(commands), section, [*app, *options])


def _check(path: str, where: str, section: dict[str, Any], known: Iterable[str]) -> list[str]:
    names = [name for name in known if not name.startswith("-")]
    given = [name.replace("_", "-") for name in section]
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            told = f"; did you mean {near[0]}?" if near else ""
            place = f" in [{where}]" if where else ""
            raise CycloptsError(msg=f"{path}: there is no {name}{place}{told}")
    return given
