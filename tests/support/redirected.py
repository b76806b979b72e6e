"""Commands under `venue with`, with nothing but the venue in reach."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from support.command import Done, run
from support.server import Server
from venue.redirect.isolation import isolate
from venue.redirect.running import UNSURE

UNCUT = f"venue with: {UNSURE}\n"


@cache
def isolates() -> bool:
    """Whether this system lets a command be cut off."""
    with tempfile.TemporaryDirectory() as folder:
        made = isolate(Path(folder), 0)
        if made is not None:
            made.close()
            for one in made.sockets:
                one.close()
        return made is not None


def under(server: Server, *words: str, **environment: str) -> Done:
    """A command of `venue with alice`; its errors without the word that nothing is cut off."""
    done = run("with", "alice", "--only-venue", "--url", server.url, "--", *words, **environment)
    if not isolates():
        assert done.stderr.startswith(UNCUT) or done.returncode == 2
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout, done.stderr.removeprefix(UNCUT)
        )
    assert UNCUT not in done.stderr
    return done
