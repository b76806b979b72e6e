"""The `venue` command, imported once: a copy runs each request on standard input, a socket.

Each copy has imported what `python -m venue` imports before it looks at its arguments, and the
modules that the command line names; its arguments, environment, working directory, output and end
are its own. Any number run at a time.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from importlib import import_module

import venue.__main__ as entry
from venue.helpers.program import importing

ASKED_MAX = 1 << 20


def serve(asked: socket.socket) -> None:
    """Until nobody asks any more. Each message carries files for output, errors and the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the one behind each copy leaves nothing behind
    while True:
        message, files, _, _ = socket.recv_fds(asked, ASKED_MAX, 3)
        if not message:
            return
        if os.fork() == 0:
            asked.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            copied(message, *files)
            return
        for file in files:
            os.close(file)


def copied(message: bytes, output: int, errors: int, end: int) -> None:
    """Run a command in a copy, for which this process waits; it tells which it is and its end."""
    copy = os.fork()
    if copy == 0:
        os.close(end)
        become(message, output, errors)
        from venue.cli.app import main

        main()
        return
    os.close(output)
    os.close(errors)
    os.write(end, f"{copy} ".encode())
    os.write(end, f"{os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])} ".encode())
    os._exit(0)


def become(message: bytes, output: int, errors: int) -> None:
    """Be as a process that was started with these arguments, in this environment and folder."""
    arguments, environment, folder = json.loads(message)
    for file, number in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (errors, 2)):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv[:] = [str(entry.__file__), *arguments]


if __name__ == "__main__":
    with importing():
        for module in ("venue.cli.app", *sys.argv[1:]):
            import_module(module)
    serve(socket.socket(fileno=os.dup(0)))
