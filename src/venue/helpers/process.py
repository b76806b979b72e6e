"""Starts a module of the venue as a helper process, with a socket to its input and one back.

uvloop starts a process by a fork, which copies the page tables of this one: that stopped a venue of
1.6 GB for 100 ms. `subprocess` shares them with the new process until that runs its program
(vfork).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any, Final

from venue.helpers.frames import HEAD
from venue.helpers.program import environment

PROGRAM: Final = "venue.helpers.program"
KILLED_S: Final = 3.0  # how long a killed process may take to end


class HelperProcess:
    """A process that runs a module of ours. Belongs to one event loop."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: asyncio.WriteTransport,
        stdout: asyncio.ReadTransport,
        reader: asyncio.StreamReader,
    ) -> None:
        self.pid = process.pid
        self.stdin = stdin
        self._stdout = stdout
        self._reader = reader
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        Thread(target=self._await_end, name="helper's end", daemon=True).start()

    @property
    def returncode(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.returncode

    def send(self, kind: bytes, payload: bytes) -> None:
        """Send a frame. OSError or RuntimeError when the process is known to have ended."""
        self.stdin.write(HEAD.pack(kind, len(payload)) + payload)

    async def receive(self) -> tuple[bytes, Any]:
        """Return the next frame, its kind and value. IncompleteReadError when there is no more."""
        try:
            kind, length = HEAD.unpack(await self._reader.readexactly(HEAD.size))
            payload = await self._reader.readexactly(length)
        except asyncio.IncompleteReadError:
            self._stdout.close()
            raise
        return kind, pickle.loads(payload)  # noqa: S301 - our own process

    def worked(self) -> int:
        """Return the processor time that it has had, in ns; 0 where the system does not tell it."""
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_bytes().split()[0])
        except (OSError, IndexError, ValueError):
            return 0

    async def wait(self) -> int:
        """Wait for its end; return its exit code."""
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        """Send SIGKILL, also to a process that is stopped."""
        self._process.kill()

    async def end(self, within_s: float = 0.0) -> None:
        """Wait for its end, and kill it when that does not come in time.

        Leave a process alone that does not end even then: the system has it wait for a disk.
        """
        try:
            async with asyncio.timeout(within_s):
                await self.wait()
        except TimeoutError:
            self.kill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(KILLED_S):
                    await self.wait()
        finally:
            self.stdin.close()
            self._stdout.close()

    def _await_end(self) -> None:
        code = self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._note_end, code)

    def _note_end(self, code: int) -> None:
        self.stdin.close()
        if not self._ended.done():
            self._ended.set_result(code)


async def spawn(module: str, *arguments: str) -> HelperProcess:
    """Start a module of ours as a helper. OSError when the system refuses that."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    with contextlib.ExitStack() as failing:
        to_it, its_input = socket.socketpair()
        failing.callback(to_it.close)
        with its_input:
            from_it, its_output = socket.socketpair()
            failing.callback(from_it.close)
            with its_output:
                process = subprocess.Popen(  # noqa: S603 - the venue's own module
                    # -P: a file of the working directory is not a module
                    [sys.executable, "-P", "-m", PROGRAM, module, *arguments],
                    stdin=its_input.fileno(),
                    stdout=its_output.fileno(),
                    env=environment(os.environ),
                    start_new_session=True,  # ^C is for the venue, which ends its helpers itself
                )
        failing.callback(process.wait)
        failing.callback(process.kill)
        stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, to_it)
        protocol = asyncio.StreamReaderProtocol(reader)
        stdout, _ = await loop.connect_read_pipe(lambda: protocol, from_it)
        failing.pop_all()
    return HelperProcess(process, stdin, stdout, reader)
