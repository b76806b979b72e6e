"""API keys beside a state that goes back: they are in files of their own, which do not go back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.server import Server
from venue.core.messages.savepoints import RevertState
from venue.journal.opening import open_journal

READ = {"permissions": ["READ"]}
ROUNDS = 5


def state(folder: Path) -> tuple[str, ...]:
    return ("--state", str(folder / "venue.db"), "--no-agents")


def key_files(folder: Path) -> list[Path]:
    return [folder / "venue.db.keys", folder / "venue.db.keys.master"]


def asked(server: Server, method: str, path: str, body: Any = None) -> Any:
    answer = server.client().call(method, path, body)
    assert answer.status == 200, answer
    return answer.json


def go_back(folder: Path, name: str) -> None:
    """The journal ends with a revert: the venue was killed before it did anything more."""
    journal = open_journal(str(folder / "venue.db"))
    *_, (_, commands) = journal.read(journal.last_sequence() - 1)
    journal.prepare([RevertState(name, commands[-1].time)])()
    journal.close()


@pytest.mark.parametrize("killed", [False, True])
def test_an_earlier_copy_is_known_after_a_revert(tmp_path: Path, killed: bool) -> None:
    with Server(*state(tmp_path), folder=tmp_path) as server:
        asked(server, "PUT", "/_venue/snapshots/base", {})
        made = asked(server, "POST", "/_venue/keys", {"owner": "bob", **READ})
        copies = [file.read_bytes() for file in key_files(tmp_path)]
        asked(server, "POST", "/_venue/keys/revoke", {"key": made["key"]})
        if not killed:
            asked(server, "POST", "/_venue/snapshots/base/revert", {})
        server.kill()
    if killed:
        go_back(tmp_path, "base")
    for file, text in zip(key_files(tmp_path), copies, strict=True):
        file.write_bytes(text)
    with pytest.raises(RuntimeError, match="is an earlier copy"):
        Server(*state(tmp_path), folder=tmp_path)


def test_a_revert_leaves_the_newest_keys_in_place(tmp_path: Path) -> None:
    with Server(*state(tmp_path), folder=tmp_path) as server:
        asked(server, "PUT", "/_venue/snapshots/base", {})
        made = asked(server, "POST", "/_venue/keys", {"owner": "bob", **READ})
        asked(server, "POST", "/_venue/snapshots/base/revert", {})
        server.kill()
    with Server(*state(tmp_path), folder=tmp_path) as server:
        assert server.client(made).get("/api/v3/account").status == 200


def test_an_owner_that_comes_with_a_revert_is_not_opened_by_an_old_key(tmp_path: Path) -> None:
    """The next owner has the uid of one that is gone, before the revert is answered."""
    with Server(*state(tmp_path), folder=tmp_path) as server:
        asked(server, "PUT", "/_venue/snapshots/base", {})
        for round_ in range(ROUNDS):
            asked(server, "POST", "/_venue/snapshots/base/revert", {})
            gone = asked(server, "POST", "/_venue/owners", {"name": f"gone{round_}"})
            key = asked(server, "POST", "/_venue/keys", {"owner": f"gone{round_}", **READ})
            assert server.client(key).get("/api/v3/account").status == 200
            connection = server.client().connection
            connection.request("POST", "/_venue/snapshots/base/revert")
            came = asked(server, "POST", "/_venue/owners", {"name": "other"})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            assert came["uid"] in (gone["uid"], gone["uid"] + 1)  # after the revert, or before it
            late = server.client(key)
            late.at_ms = asked(server, "GET", "/_venue/clock")["time"]
            assert late.get("/api/v3/account").json["code"] == -1044


def test_keys_of_owners_that_are_gone_are_revoked_at_the_start(tmp_path: Path) -> None:
    """The venue was killed between a revert and the end of these keys."""
    with Server(*state(tmp_path), folder=tmp_path) as server:
        asked(server, "PUT", "/_venue/snapshots/base", {})
        gone = asked(server, "POST", "/_venue/owners", {"name": "gone"})
        key = asked(server, "POST", "/_venue/keys", {"owner": "gone", **READ})
        server.kill()
    go_back(tmp_path, "base")
    for _ in range(2):
        with Server(*state(tmp_path), folder=tmp_path) as server:
            owners = asked(server, "GET", "/_venue/owners")
            if "other" not in {owner["name"] for owner in owners}:
                assert (
                    asked(server, "POST", "/_venue/owners", {"name": "other"})["uid"] == gone["uid"]
                )
            late = server.client(key)
            late.at_ms = asked(server, "GET", "/_venue/clock")["time"]
            assert late.get("/api/v3/account").json["code"] == -1044
            server.kill()
