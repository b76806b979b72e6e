"""Runs a command in the foreground: its terminal, its signals, its exit code, and the processes
that it starts."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from venue.practice import end_with_parent
from venue.redirect.isolation import Isolation

PASSED_ON: Final = (
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
ENDING: Final = (signal.SIGTERM, signal.SIGHUP)  # a command that goes on after these is killed
GRACE_S: Final = 2.0  # that processes have which the command leaves
LOOKS: Final = 40  # as often in it
NOT_FOUND: Final = 127
NOT_RUN: Final = 126
BY_SIGNAL: Final = 128


class NotRun(Exception):
    """The command cannot be started; carries why, and the exit code."""

    def __init__(self, words: str, code: int) -> None:
        super().__init__(words)
        self.code = code


class Foreground:
    """Runs one command as a process group of its own."""

    def __init__(
        self, stop_s: float, isolation: Isolation | None, tell: Callable[[str], None]
    ) -> None:
        self._stop_s = stop_s
        self._isolation = isolation
        self._tell = tell
        self._pid = 0
        self._early: list[signal.Signals] = []
        self._killing: asyncio.TimerHandle | None = None
        self._terminal = _terminal()

    async def run(self, words: tuple[str, ...], environment: Mapping[str, str]) -> int:
        """Return the exit code of the command, when it and all of its group have ended. NotRun."""
        loop = asyncio.get_running_loop()
        for number in PASSED_ON:  # one that comes now is passed on when there is a command
            loop.add_signal_handler(number, self._pass_on, number)
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=environment, process_group=0, preexec_fn=self._begin
            )
        except FileNotFoundError:
            raise NotRun(f"{words[0]}: {_lacking(words[0])}", NOT_FOUND) from None
        except (OSError, ValueError) as problem:
            words_of_it = getattr(problem, "strerror", None) or str(problem)
            raise NotRun(f"{words[0]} cannot be started: {words_of_it}", NOT_RUN) from None
        self._pid = process.pid
        for number in self._early:
            self._pass_on(number)
        loop.add_signal_handler(signal.SIGCHLD, self._look)
        try:
            code = await process.wait()
            await self._end_group()
        finally:
            self._give_terminal(os.getpgrp())
            if self._killing is not None:
                self._killing.cancel()
        return code if code >= 0 else BY_SIGNAL - code

    def _begin(self) -> None:
        """Called in the new process, before it becomes the command."""
        if self._isolation is not None:
            self._isolation.enter()
        self._give_terminal(os.getpid())  # before the command reads from it
        end_with_parent()

    def _pass_on(self, number: signal.Signals) -> None:
        if not self._pid:
            self._early.append(number)
            return
        self._signal(number)
        if number in ENDING and self._killing is None:
            loop = asyncio.get_running_loop()
            self._killing = loop.call_later(self._stop_s, self._kill, number)

    def _kill(self, number: signal.Signals) -> None:
        self._tell(f"the command went on for {self._stop_s:g} s after {number.name}: it is killed")
        self._signal(signal.SIGKILL)

    def _look(self) -> None:
        """Stop together with a command that its user stops (^Z), and continue together with it."""
        with suppress(ChildProcessError):
            flags = os.WSTOPPED | os.WNOHANG
            if os.waitid(os.P_PID, self._pid, flags) is not None and self._terminal is not None:
                self._give_terminal(os.getpgrp())
                os.kill(os.getpid(), signal.SIGSTOP)
                self._give_terminal(self._pid)
                self._signal(signal.SIGCONT)

    async def _end_group(self) -> None:
        """End the processes that the command has left in its group."""
        if not self._signal(signal.SIGTERM):
            return
        self._tell("the command has ended; the processes that it left are ended too")
        for _ in range(LOOKS):
            await asyncio.sleep(GRACE_S / LOOKS)
            if not self._signal(0):
                return
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> bool:
        """Return whether there is a process in the group that gets it."""
        try:
            os.killpg(self._pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _give_terminal(self, group: int) -> None:
        """Let a group read from the terminal."""
        if self._terminal is None:
            return
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            with suppress(OSError):
                os.tcsetpgrp(self._terminal, group)
        finally:
            signal.signal(signal.SIGTTOU, before)


def _lacking(program: str) -> str:
    """Return why a program is not found: a script that is there names another one as its own."""
    if os.sep in program and os.path.exists(program):
        return "the interpreter that its first line names, or its loader, is not there"
    return "there is no such program"


def _terminal() -> int | None:
    """Return the terminal's descriptor, while this process is the one that reads from it."""
    with suppress(OSError):
        if os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp():
            return 0
    return None
