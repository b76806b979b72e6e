"""The `venue` command. Its commands import what they need themselves: help stays fast."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, NoReturn

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from venue.cli import commands
from venue.cli.operator import die as _die
from venue.cli.options import FileOptions as OptionsFile
from venue.journal import built


def _misread(problem: CycloptsError) -> NoReturn:
    """End with one line, as every refusal, for arguments that no command takes."""
    if isinstance(problem, UnusedCliTokensError):
        told = " ".join(problem.unused_tokens or ())
        _die(f"{told}: this command takes no more arguments; --help lists what it takes")
    _die(" ".join(str(problem).split()))


app = App(
    name="venue",
    help="A trading venue you run yourself: a practice exchange on your machine.",
    version=built.name,
    error_formatter=_misread,
)

app.config = (OptionsFile(app),)
for _found in walk_packages(commands.__path__, f"{commands.__name__}."):
    for _name, _command in getattr(import_module(_found.name), "COMMANDS", {}).items():
        if isinstance(_command, App):
            app.command(_command)
        else:
            app.command(_command, name=_name)


@app.meta.default
def _configured(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    config: Annotated[
        str | None, Parameter(help="File of options, by command; any option may stand there.")
    ] = None,
) -> None:
    if config is not None:
        if not os.path.isfile(config):
            _die(f"{config}: no such file")
        app.config = (OptionsFile(app, config),)
    app(tokens)


def main() -> None:
    """The command's entry point."""
    try:
        app.meta()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
