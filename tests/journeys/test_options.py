"""Options from files, and the files that the `venue` command leaves: whom they may come from."""

from __future__ import annotations

import fcntl
import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from journeys.test_command import command
from support.server import Server
from venue.files import private_files
from venue.history.store import open_history

OTHER_USER = 65534  # runs nothing else on a machine


@pytest.mark.parametrize(
    ("section", "arguments"),
    [
        ('[dev]\nhost = "0.0.0.0"', ["dev"]),
        ('[dev]\nstate = "taken.db"', ["dev"]),
        ('[dev]\nready_file = "taken"', ["dev"]),
        ('[dev]\nkeep = "30d"', ["dev"]),
        ("[dev]\ndemo-keys-on-network = true", ["dev", "--host", "127.0.0.1"]),
        ('[faucet]\nurl = "http://stranger.invalid"', ["faucet", "bob", "SPOT", "USDT", "1"]),
        ('[verify]\nfile = "taken.db"', ["verify"]),
    ],
)
def test_a_file_that_was_only_found_opens_and_writes_nothing(
    tmp_path: Path, section: str, arguments: list[str]
) -> None:
    (tmp_path / "venue.toml").write_text(f"{section}\n")
    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 2
    name = section.split("\n")[1].partition(" ")[0].replace("_", "-")
    assert f"{arguments[0]}.{name} is not taken from a venue.toml" in done.stderr
    assert "--config" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["venue.toml"]


def test_a_file_cannot_name_itself(tmp_path: Path) -> None:
    (tmp_path / "venue.toml").write_text('config = "venue.toml"\n[dev]\nstate = "taken.db"\n')
    done = command("dev", folder=tmp_path)
    assert done.returncode == 2
    assert "there is no config" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["venue.toml"]


def test_a_file_that_was_named_may_say_everything(tmp_path: Path) -> None:
    (tmp_path / "venue.toml").write_text('[dev]\nstate = "others.db"\n')
    mine = tmp_path / "mine.toml"
    mine.write_text('[dev]\nhost = "0.0.0.0"\n')
    for arguments in (("dev", "--config", "mine.toml"), ("--config", "mine.toml", "dev")):
        done = command(*arguments, folder=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("venue: refusing to listen on 0.0.0.0")
    mine.write_text("[dev]\nport = 70000\n")
    told = command("dev", "--config", "mine.toml", folder=tmp_path).stderr
    assert told == "venue: --port 70000: must be from 0 to 65535\n"
    missing = command("dev", "--config", "none.toml", folder=tmp_path)
    assert (missing.returncode, missing.stderr) == (2, "venue: none.toml: no such file\n")


@pytest.mark.parametrize("name", ["nowhere/ready.json", "folder"])
def test_a_ready_file_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    words = ("--no-agents", "--port", "0", "--quiet")
    done = command("dev", *words, "--ready-file", name, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"venue: {name}: "), done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("--demo-keys-on-network",), ("--no-demo-keys",)),
        (("--quiet",), ("--output", "json")),
        (("--real-limits",), ("--no-limits",)),
    ],
)
def test_options_of_which_one_would_do_nothing_are_refused(
    tmp_path: Path, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    done = command("dev", "--port", "0", *one, *other, folder=tmp_path)
    assert done.returncode == 2
    words = f"venue: {' '.join(one)} and {' '.join(other)} exclude each other\n"
    assert done.stderr == words


@pytest.mark.parametrize("content", [b"seed = = 3\n", b"\xff\xfe[dev]\n"])
def test_a_file_of_options_that_is_no_toml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    done = command("dev", "--config", "mine.toml", "--port", "0", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("venue: mine.toml is no TOML file: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("kind", ["dev", "serve"])
@pytest.mark.parametrize("content", ["a text", "database"])
def test_a_file_that_is_no_journal_is_refused_as_it_is(
    tmp_path: Path, kind: str, content: str
) -> None:
    """Enemy: a slip of the keyboard, at a file of somebody's."""
    other = tmp_path / "other.db"
    if content == "database":
        with closing(apsw.Connection(str(other))) as connection:
            connection.execute("CREATE TABLE letters(text)")
    else:
        other.write_text(content)
    other.chmod(0o640)
    before = other.read_bytes()
    done = command(kind, "--state", str(other), "--port", "0", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"venue: {other}"), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (other.read_bytes(), other.stat().st_mode & 0o777) == (before, 0o640)
    assert list(tmp_path.iterdir()) == [other]


def test_files_of_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner of a file can hold its lock or change it, whatever its mode."""
    state = str(tmp_path / "venue.db")
    lock = Path(f"{state}.history.lock")
    lock.touch()
    monkeypatch.setattr(os, "geteuid", lambda: lock.stat().st_uid + 1)
    words = r"history\.lock belongs to user \d+, the venue runs as"
    with pytest.raises(OSError, match=words):
        private_files.narrow(state)
    with pytest.raises(OSError, match=words):
        open_history(f"{state}.history")


def test_a_file_that_goes_while_it_is_looked_at_stops_no_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper of a venue that was killed may still close history, which takes its log away."""
    state = str(tmp_path / "venue.db")
    log = Path(f"{state}.history-wal")
    log.touch()
    lock = Path(f"{state}.history.lock")
    lock.touch(0o644)
    user = os.geteuid()

    def asked() -> int:
        log.unlink(missing_ok=True)
        return user

    monkeypatch.setattr(os, "geteuid", asked)
    (told,) = private_files.narrow(state)
    assert told.startswith(f"{lock} had mode")


def starts_not(folder: Path) -> str:
    """The words of a venue that does not start on the state in this folder."""
    with pytest.raises(RuntimeError) as refused:
        Server("--no-agents", "--state", "venue.db", folder=folder)
    assert "Traceback" not in str(refused.value)
    return str(refused.value)


def test_a_lock_that_is_held_is_not_waited_for_in_silence(tmp_path: Path) -> None:
    lock = tmp_path / "venue.db.history.lock"
    lock.touch(0o600)
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        told = starts_not(tmp_path)
    assert "venue.db.history.lock: waiting for 5 s" in told
    assert "venue.db.history.lock: it must end first" in told


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_venue_starts_with_no_lock_that_another_user_can_hold(tmp_path: Path) -> None:
    lock = tmp_path / "venue.db.history.lock"
    lock.touch(0o600)
    os.chown(lock, OTHER_USER, OTHER_USER)
    told = f"venue.db.history.lock belongs to user {OTHER_USER}, the venue runs as user 0"
    assert told in starts_not(tmp_path)


def test_a_ready_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    private_files.put(path, b"{}")
    assert path.stat().st_mode & 0o777 == 0o600
