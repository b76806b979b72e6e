"""Runs the bot: a command with a process group, which is ended as a whole."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from venue.crashtest.errors import CrashTestError
from venue.practice import end_with_parent

WORDS_MAX: Final = 300  # characters of its last line
ADDRESS: Final = re.compile("0x[0-9a-f]+")
TAIL: Final = 4_000  # bytes of its output in which that line is looked for


class Command:
    """A started command; its output goes to a file."""

    def __init__(self, process: asyncio.subprocess.Process, output: Path) -> None:
        self._process = process
        self._output = output

    @classmethod
    async def start(cls, words: list[str], environment: dict[str, str], output: Path) -> Command:
        """Start the command in an environment. CrashTestError."""
        with output.open("wb") as said:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=said,
                    stderr=asyncio.subprocess.STDOUT,
                    env=environment,
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            except (OSError, ValueError) as problem:
                words_of_it = getattr(problem, "strerror", None) or str(problem)
                raise CrashTestError(f"{words[0]} cannot be started: {words_of_it}") from None
        return cls(process, output)

    @property
    def code(self) -> int | None:
        """The exit code; None while the command runs."""
        return self._process.returncode

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the whole process group."""
        self._signal(signal.SIGTERM)

    async def end(self) -> None:
        """Kill the whole process group."""
        self._signal(signal.SIGKILL)
        await self._process.wait()

    async def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether the command has ended."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return self.code is not None

    def last_words(self) -> str:
        """Return the last line that the command printed, without addresses in memory."""
        with self._output.open("rb") as said:
            said.seek(max(0, self._output.stat().st_size - TAIL))
            lines = said.read().decode("utf-8", "replace").strip().splitlines()
        words = " ".join(lines[-1].split()) if lines else "nothing"
        return ADDRESS.sub("0x", words)[:WORDS_MAX]

    def size(self) -> int:
        """Return how many bytes the command has printed."""
        return self._output.stat().st_size

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
