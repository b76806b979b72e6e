"""How programs of the venue begin, and how they end."""

from __future__ import annotations

import gc
import subprocess
import sys
from importlib import import_module

import pytest

from support.waits import WAIT_S
from venue.helpers.program import importing

OF_THE_COMMAND = (
    "import contextlib, gc, sys, venue.__main__\n"
    "sys.argv = ['venue', '--version']\n"
    "with contextlib.suppress(SystemExit):\n"
    "    venue.__main__.main()\n"
    "assert gc.isenabled()\n"
    "assert gc.get_freeze_count() > 10_000, gc.get_freeze_count()\n"
)

PROGRAM = ("-m", "venue.helpers.program")


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-P", *arguments], input=b"", capture_output=True, timeout=WAIT_S
    )


def import_nothing() -> None:
    with importing():
        assert not gc.isenabled()
        import_module("venue.no_such_module")


def test_no_garbage_is_looked_for_during_imports() -> None:
    """Also when one fails, which leaves the collector as it was."""
    assert gc.isenabled()
    frozen = gc.get_freeze_count()
    try:
        with pytest.raises(ModuleNotFoundError):
            import_nothing()
        assert gc.isenabled()
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()


def test_what_the_command_is_made_of_is_never_searched() -> None:
    done = run("-c", OF_THE_COMMAND)
    assert done.returncode == 0, done.stderr


def test_a_helper_ends_with_what_its_main_returns() -> None:
    """The one without a task, and one whose file cannot be opened, which says so at its pipe."""
    assert run(*PROGRAM, "venue.recompute.snapshot").returncode == 0
    done = run(*PROGRAM, "venue.recompute.missed_events", "/dev/null/history", "1")
    assert done.returncode == 0, done.stderr
    assert b"/dev/null/history" in done.stdout
    assert done.stderr == b""


def run_in_a_session(program: str) -> None:
    """Run a program in a session of its own; it must succeed."""
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, capture_output=True, timeout=WAIT_S, start_new_session=True)
    assert done.returncode == 0, done.stderr


def test_orders_go_before_helpers_of_other_sessions() -> None:
    """Enemy: a system that weighs sessions against each other, where a helper's niceness says
    nothing beside the venue's session: a snapshot took half of the processor from orders."""
    told = (
        "import os; from pathlib import Path; from venue.helpers.program import give_way\n"
        "session = Path('/proc/self/autogroup')\n"
        "give_way(19)\n"
        "assert os.nice(0) == 19\n"
        "assert not session.exists() or session.read_text().endswith('nice 19\\n')\n"
    )
    run_in_a_session(told)


def test_a_helper_in_somebody_elses_session_leaves_that_as_it_is() -> None:
    """Enemy: a helper that is run by hand, or by a test, and slows all else of its terminal."""
    told = (
        "import os, subprocess, sys; from pathlib import Path\n"
        "helper = 'from venue.helpers.program import give_way; give_way(19)'\n"
        "subprocess.run([sys.executable, '-P', '-c', helper], check=True)\n"
        "session = Path('/proc/self/autogroup')\n"
        "assert not session.exists() or session.read_text().endswith('nice 0\\n')\n"
    )
    run_in_a_session(told)


def test_helpers_that_begin_at_once_all_give_way() -> None:
    """Enemy: a system that listens to users without rights once in a tenth of a second, so that one
    of two helpers kept its weight."""
    told = (
        "import ctypes, os; from pathlib import Path; from venue.helpers.program import give_way\n"
        "session = Path('/proc/self/autogroup')\n"
        "begin, end = os.pipe()\n"
        "helpers = []\n"
        "for _ in range(2):\n"
        "    helper = os.fork()\n"
        "    if not helper:\n"
        "        os.close(end)\n"
        "        os.setsid()\n"
        "        if os.getuid() == 0:\n"
        "            os.setuid(65534)\n"
        "            ctypes.CDLL(None).prctl(4, 1)\n"  # its files in /proc are its own again
        "        os.read(begin, 1)\n"  # until the pipe is closed
        "        give_way(10)\n"
        "        said = not session.exists() or session.read_text().endswith('nice 10\\n')\n"
        "        os._exit(not said)\n"
        "    helpers.append(helper)\n"
        "os.close(end)\n"
        "ends = [os.waitpid(helper, 0)[1] for helper in helpers]\n"
        "assert ends == [0, 0], ends\n"
    )
    run_in_a_session(told)


def test_a_helper_that_fails_tells_it() -> None:
    done = run(*PROGRAM, "venue.no_such_module")
    assert done.returncode == 1
    assert b"venue.no_such_module" in done.stderr
