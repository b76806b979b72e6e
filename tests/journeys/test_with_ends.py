"""`venue with` around its command: refusals, signals, the terminal, exit codes, what is left."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.command import run
from support.copies import CLEAN
from support.real_venue import real_venue
from support.redirected import under
from support.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("with")) as found:
        yield found
        assert found.stop() == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("no-such-program",), 127, "venue: no-such-program: there is no such program\n"),
        (("./.",), 126, "venue: ./. cannot be started: Permission denied\n"),
        (("/",), 126, "venue: / cannot be started: Permission denied\n"),
        ((), 2, "venue: which command? For instance: venue with alice -- python bot.py\n"),
    ],
)
def test_a_command_that_cannot_be_started(
    server: Server, words: tuple[str, ...], code: int, said: str
) -> None:
    done = under(server, *words)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


def test_a_script_whose_interpreter_is_not_there_is_told(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/no/such/python\n")
    script.chmod(0o700)
    done = under(server, str(script))
    lacking = "the interpreter that its first line names, or its loader, is not there"
    assert (done.returncode, done.stderr) == (127, f"venue: {script}: {lacking}\n")


def test_a_proxy_of_another_kind_is_refused(server: Server) -> None:
    done = run("with", "alice", "--url", server.url, "--", "true", ALL_PROXY="socks5://x:y@z")
    assert done.returncode == 2
    assert done.stderr == (
        "venue: ALL_PROXY names a proxy that is no http:// one: unset it for this command\n"
    )


def test_no_secret_stands_in_a_list_of_processes(server: Server) -> None:
    done = under(server, "ps", "-ewwo", "args")
    assert "venue" in done.stdout
    assert "demo-alice-secret" not in done.stdout


def begun(server: Server, script: str, *options: str) -> subprocess.Popen[str]:
    """A command that has printed its first line."""
    words = [sys.executable, "-m", "venue", "with", "alice", "--url", server.url, *options]
    started = subprocess.Popen(
        [*words, "--", "sh", "-c", script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN,
    )  # fmt: skip
    assert started.stdout is not None
    assert started.stdout.readline() == "up\n"
    return started


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1"])
def test_signals_are_passed_on(server: Server, name: str) -> None:
    script = f"trap 'echo {name}; exit 5' {name}; echo up; while :; do sleep 1000 & wait; done"
    command = begun(server, script)
    command.send_signal(signal.Signals[f"SIG{name}"])
    said, errors = command.communicate(timeout=60)
    assert (command.returncode, said) == (5, f"{name}\n")
    assert "it is killed" not in errors


def test_a_signal_before_the_command_ends_in_order() -> None:
    """The venue does not answer: this is where the signal comes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        words = [sys.executable, "-m", "venue", "with", "alice", "--url", url, "--", "echo", "ran"]
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)):
            started = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN
            )
            with listener.accept()[0] as caller:
                assert caller.recv(100)
                started.send_signal(number)
                said, errors = started.communicate(timeout=60)
            assert (started.returncode, said) == (code, "")
            assert "Traceback" not in errors


def test_a_command_that_ignores_signals_is_killed(server: Server) -> None:
    command = begun(server, "trap '' TERM; echo up; while :; do sleep 1000; done", "--stop", "0.1")
    command.send_signal(signal.SIGTERM)
    _, errors = command.communicate(timeout=60)
    assert command.returncode == 137
    assert "the command went on for 0.1 s after SIGTERM: it is killed" in errors


def test_processes_that_a_command_leaves_end_with_it(server: Server) -> None:
    done = under(server, "sh", "-c", "sleep 1000 & echo $!; exit 3")
    assert done.returncode == 3
    assert "the processes that it left are ended too" in done.stderr
    assert not Path(f"/proc/{done.stdout.strip()}/cmdline").exists()


def test_a_command_has_the_terminal(server: Server) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        words = [sys.executable, "-m", "venue", "with", "alice", "--url", server.url]
        os.execve(sys.executable, [*words, "--", "sh", "-c", "read word; echo got $word"], CLEAN)
    os.write(terminal, b"hello\n")
    said = b""
    with suppress(OSError):  # it has ended
        while piece := os.read(terminal, 1000):
            said += piece
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"got hello\r\n" in said


def test_files_that_cannot_be_written_are_told(server: Server) -> None:
    words = f"'{sys.executable}' -m venue with alice --url {server.url} -- echo ran"
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 0; {words}"], capture_output=True, text=True, env=CLEAN, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("venue: ")
    assert done.stderr.count("\n") == 1
    assert "temporary" in done.stderr


def test_a_certificate_that_cannot_be_written_is_told(server: Server) -> None:
    """The folder can be made, and the disk has no room for what comes into it."""
    words = f"'{sys.executable}' -m venue with alice --url {server.url} -- echo ran"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; {words}"], capture_output=True, text=True, env=CLEAN,
        timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"venue: {tempfile.gettempdir()}: File too large\n"


def test_another_program_at_the_venues_address_is_told() -> None:
    def serve(listener: socket.socket) -> None:
        with listener.accept()[0] as caller:
            caller.recv(65_536)
            caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listening = threading.Thread(target=serve, args=(listener,))
        listening.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        done = run("with", "alice", "--url", url, "--", "echo", "ran")
        listening.join()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "venue: refused by a server that is not a venue\n"


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_the_exit_code_is_the_commands(server: Server, script: str, code: int) -> None:
    assert under(server, "sh", "-c", script).returncode == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("alise", "--", "true"), "alise is no owner of this venue; near to it: alice"),
        (("zzz", "--", "true"), "zzz is no owner of this venue; owners are alice, bob, carol"),
        (("", "--", "true"),
         "an empty name is no owner of this venue; owners are alice, bob, carol"),
        (("x" * 999, "--", "true"),
         f"{'x' * 64} is no owner of this venue; owners are alice, bob, carol"),
        (("alice", "--clock", "manual", "--", "true"),
         "--clock is an option of a venue that is started: it needs --new"),
        (("alice", "--stop", "-1", "--", "true"), "--stop -1: must be from 0 to 3600"),
        (("alice", "--new", "--clock", "manual", "--at", "x", "--", "true"),
         "--at x: must be a time such as 2026-01-01T08:00:00Z"),
    ],
)  # fmt: skip
def test_refusals_come_before_the_command(
    server: Server, arguments: tuple[str, ...], said: str
) -> None:
    done = run("with", *arguments, VENUE_URL=server.url)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"venue: {said}\n")


def test_an_owner_of_a_real_venue_may_have_a_demo_accounts_name(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        refused = run("with", "alice", "--url", server.url, "--", "true")
        assert refused.stderr == "venue: alice is no owner of this venue; it has none yet\n"
        client = server.client()
        client.post("/_venue/owners", {"name": "alice"})
        told = run("balance", "--as", "alice", "--url", server.url)
        assert told.stderr.endswith(
            " Only practice venues know the key of the demo account alice: `venue key create alice`"
            " makes one, for VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE\n"
        )
        done = run("with", "alice", "--url", server.url, "--", "printenv", "WEEX_API_KEY")
        assert done.returncode == 0
        (row,) = client.get("/_venue/keys?owner=alice").json
        assert (row["key"], row["revoked"]) == (done.stdout.strip(), True)


def test_an_owner_gets_a_key_for_the_command_alone(server: Server) -> None:
    client = server.client()
    client.post("/_venue/owners", {"name": "erin"})
    done = run("with", "erin", "--url", server.url, "--", "printenv", "WEEX_API_KEY")
    key = done.stdout.strip()
    (row,) = [one for one in client.get("/_venue/keys?owner=erin").json if one["key"] == key]
    assert row["revoked"] is True
    assert done.returncode == 0


def test_a_venue_is_started_for_the_command_and_ends_with_it() -> None:
    script = "curl -sS https://api-spot.weex.com/api/v3/time; echo; printenv VENUE_URL"
    done = run("with", "alice", "--new", "--clock", "manual", "--only-venue", "--", "sh", "-c",
               script)  # fmt: skip
    time, url = done.stdout.split()
    assert time == '{"serverTime":1767225600000}'
    left = run("get", "/api/v3/ping", "--url", url)
    assert "no venue answers" in left.stderr


def test_a_venue_that_is_gone_is_told(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server:
        ask = "curl -s -o /dev/null -w '%{http_code} ' https://api-spot.weex.com/api/v3/time"
        done = under(server, "sh", "-c", f"{ask}; kill -9 {server.process.pid}; {ask}; {ask}")
    assert done.stdout == "200 502 502 "
    assert done.stderr == "venue with: no venue answered 2 times\n"


CROWD = """
import threading, urllib.request
def ask():
    for _ in range(5):
        urllib.request.urlopen("https://api-spot.weex.com/api/v3/time").read()
    done.append(1)
done = []
threads = [threading.Thread(target=ask) for _ in range(40)]
for one in threads: one.start()
for one in threads: one.join()
print(len(done))
"""


def test_many_connections_at_a_time_are_served(server: Server) -> None:
    assert under(server, sys.executable, "-c", CROWD).stdout == "40\n"


def test_an_answer_that_nobody_waits_for_holds_nothing_up(server: Server) -> None:
    script = """
curl -sN https://api-spot.weex.com/api/v3/market/klines?symbol=BTCUSDT | head -c 1
curl -sS https://api-spot.weex.com/api/v3/time
"""
    assert under(server, "sh", "-c", script).stdout.endswith("}")
