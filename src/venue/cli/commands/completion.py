"""`venue completion`: what a shell needs to complete commands."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from cyclopts import Parameter

from venue.cli.printing import tell


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Which shell it is for.")],
) -> None:
    """Print a script that completes commands and options: eval "$(venue completion bash)"."""
    from venue.cli.app import app

    tell(app.generate_completion(prog_name="venue", shell=shell))


COMMANDS: Final = {"completion": completion}
