"""Keys and logins on a running venue: sessions that end with a key, memory after a restart."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.clocked import Movable
from support.listening import Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.refusals.cases import order
from support.server import Server
from support.talkative import BEGIN
from support.waits import WAIT_S
from venue.core.units import FIRST_UID
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.gateway.access.vault import StoredKey, Vault
from venue.gateway.streams.hub import POLICY
from venue.gateway.streams.limits import SocketLimits
from venue.gateway.streams.session import KEY_GONE
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.vocabulary import Access

SPOT: Final = "/spot/v3/ws/private"
CONTRACT: Final = "/contract/v3/ws/private"
BALANCES: Final = "/api/v3/account"
TRADE: Final = int(Access.READ | Access.SPOT_TRADE)
WRONG: Final = "wrong-passphrase-of-somebody"
Account = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A venue that logs all it can."""
    options = ("--no-agents", "--no-limits")
    folder = tmp_path_factory.mktemp("keys")
    with Server(*options, folder=folder, program=("support.talkative",)) as found:
        yield found


def made(server: Server, **settings: Any) -> Account:
    """A new key of alice's."""
    body = {"owner": "alice", "permissions": ["READ", "SPOT_TRADE"], **settings}
    answer = server.client().post("/_venue/keys", body)
    assert answer.status == 200, answer
    found: Account = answer.json
    return found


def revoke(server: Server, key: str) -> None:
    answer = server.client().post("/_venue/keys/revoke", {"key": key})
    assert (answer.status, answer.json["revoked"]) == (200, True)


def refused(port: int, path: str, headers: dict[str, str], code: int, **options: Any) -> None:
    with pytest.raises(InvalidStatus) as found:
        Listener(port, path, headers, **options)
    assert found.value.response.status_code == 401
    assert f'"code":{code},'.encode() in found.value.response.body


def closed_by_key(listener: Listener) -> None:
    with pytest.raises(ConnectionClosed) as found:
        listener.until(lambda _: False)
    assert found.value.rcvd is not None
    assert (found.value.rcvd.code, found.value.rcvd.reason) == (POLICY, KEY_GONE)


def test_a_revoked_key_takes_its_sessions_along(server: Server) -> None:
    leaver, stayer = made(server), made(server)
    with (
        Listener(server.port, SPOT, login(leaver)) as spot,
        Listener(server.port, SPOT, login(leaver)) as second,
        Listener(server.port, CONTRACT, login(leaver)) as contract,
        Listener(server.port, SPOT, login(stayer)) as other,
    ):
        for listener in (spot, contract, other):
            listener.subscribe("orders", "account")
        revoke(server, leaver["key"])
        for listener in (spot, second, contract):
            closed_by_key(listener)
        assert other.settle() == []
    refused(server.port, SPOT, login(leaver), -1044)


def test_a_login_is_good_once_per_product_from_one_address(server: Server) -> None:
    """Stock clients that open both products' sockets at once sign both in one millisecond."""
    headers = login(server.account("alice"))
    with Listener(server.port, SPOT, headers):
        refused(server.port, SPOT, headers, -1048)
        refused(server.port, CONTRACT, headers, -1048, source_address=("127.0.0.2", 0))
        with Listener(server.port, CONTRACT, headers) as found:
            assert found.greeting["event"] == "connected"
        refused(server.port, CONTRACT, headers, -1048)
        refused(server.port, "/v3/ws/private", headers, -1048)


def test_an_overheard_login_opens_no_other_products_socket_later() -> None:
    source = Movable()
    with ListeningRoom(SocketLimits(), clock=SystemClock(source)) as room:
        headers = login(KEYS["alice"])
        with Listener(room.port, SPOT, headers):
            source.let_pass(6_000_000)
            refused(room.port, CONTRACT, headers, -1048)


def test_an_expired_key_takes_its_session_along() -> None:
    with ListeningRoom(SocketLimits()) as room:
        for seconds in (1, 4, 16):  # long enough to log in, on a busy machine too
            key = _expiring(room, seconds)
            try:
                listener = Listener(room.port, SPOT, login(key))
            except InvalidStatus:
                continue
            with listener:
                closed_by_key(listener)
            return
        raise AssertionError("nobody logged in before the key expired")


def _expiring(room: ListeningRoom, seconds: int) -> Account:
    def create(_: Node) -> asyncio.Task[KeyCredentials]:
        door = room.door
        now = door.node.clock.wall()
        making = door.keys.create(FIRST_UID, TRADE, now=now, expires=now + seconds * 1_000_000)
        return asyncio.get_running_loop().create_task(making)

    task = room.do(create)
    while not room.do(lambda _: task.done()):
        time.sleep(0.001)
    found = task.result()
    return {"key": found.key, "secret": found.secret, "passphrase": found.passphrase}


@pytest.mark.parametrize("written", ["127.0.0.1", "::ffff:127.0.0.1", "::ffff:127.0.0.0/104"])
def test_addresses_may_be_written_as_ipv6(server: Server, written: str) -> None:
    key = made(server, ips=[written])
    assert server.client(key).get(BALANCES).status == 200
    elsewhere = made(server, ips=[written.replace("127", "126")])
    assert server.client(elsewhere).get(BALANCES).json["code"] == -1056


def test_no_log_holds_a_secret(server: Server) -> None:
    account = made(server)
    alice = server.client(account)
    assert alice.post("/api/v3/order", order(price="50000")).status == 200
    for held, status in ((account, 200), ({**account, "passphrase": WRONG}, 400)):
        assert server.client(held).get(BALANCES).status == status
        if status == 200:
            with Listener(server.port, SPOT, login(held)) as listener:
                listener.subscribe("orders")
                listener.ask({"method": "ORDER.PLACE", "params": order(price="50000"), "id": 1})
        else:
            refused(server.port, SPOT, login(held), -1049)
    revoke(server, account["key"])
    text = server.errors.read_text()
    assert f"DEBUG:venue:{BEGIN}" in text
    for secret in (WRONG, account["secret"], account["passphrase"], "demo-alice-secret"):
        assert secret not in text
    assert "access-passphrase" not in text.lower()


# -- over a restart -------------------------------------------------------------------------------


def test_what_a_restart_does_not_forget(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--state", str(tmp_path / "state"))
    with Server(*arguments, folder=tmp_path) as server:
        bob = server.client("bob")
        headers = login(server.account("alice"))
        with Listener(server.port, SPOT, headers):
            refused(server.port, SPOT, headers, -1048)
        assert bob.get(BALANCES).status == 200
        revoke(server, "demo-bob")
        account = bob.account
        server.kill()
    with Server(*arguments, folder=tmp_path) as server:
        for path in (SPOT, CONTRACT):
            refused(server.port, path, headers, -1048)
        with Listener(server.port, SPOT, login(server.account("alice"))) as again:
            assert again.greeting["event"] == "connected"
        assert server.client(account).get(BALANCES).json["code"] == -1044
        assert [one["name"] for one in server.facts["accounts"]] == ["alice", "carol", "dave"]
        assert server.stop() == 0


def test_a_venue_without_demo_keys(tmp_path: Path) -> None:
    with Server("--no-agents", "--no-demo-keys", folder=tmp_path) as server:
        assert server.facts["accounts"] == []
        assert server.client(KEYS["alice"]).get(BALANCES).json["code"] == -1044
        refused(server.port, SPOT, login(KEYS["alice"]), -1044)
        assert server.client(made(server)).get(BALANCES).status == 200


def test_a_bad_address_in_the_key_file_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "state.keys"
    key = asyncio.run(KeyStore.open(path).create(FIRST_UID, TRADE, now=0)).key
    vault = Vault.open(path)
    stored: list[StoredKey] = vault.load()
    stored[0].addresses = ["10.0.0.300"]
    vault.save(stored)
    command = [sys.executable, "-m", "venue", "dev", "--port", "0", "--quiet", "--no-agents"]
    ended = subprocess.run(
        [*command, "--state", str(tmp_path / "state")],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert f"'10.0.0.300' among the addresses of key '{key}'" in ended.stderr


def test_an_operator_says_how_long_a_key_works(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server:
        operator = server.client()
        asked = {"owner": "alice", "permissions": ["READ"]}
        now = operator.get("/api/v3/time").json["serverTime"]
        for past in (now - 1, 10**12):
            refused = operator.post("/_venue/keys", asked | {"expires": past})
            assert (refused.status, refused.json["code"]) == (400, -1142)
            assert "'expires'" in refused.json["msg"]
            assert "server time" in refused.json["msg"]
        made = operator.post("/_venue/keys", asked | {"expires": now + 3_600_000}).json
        brief = operator.post("/_venue/keys", asked | {"expires": now + 2_000}).json
        shown = {row["key"]: row["expires"] for row in operator.get("/_venue/keys").json}
        assert shown[made["key"]] == now + 3_600_000
        assert shown["demo-alice"] is None
        lasting, ending = server.client(made | {"name": "alice"}), server.client(brief)
        while ending.get("/api/v3/account").status == 200:
            continue
        assert operator.get("/api/v3/time").json["serverTime"] >= now + 2_000
        assert ending.get("/api/v3/account").json["code"] == -1044
        assert lasting.get("/api/v3/account").status == 200
        done = subprocess.run(
            [sys.executable, "-m", "venue", "key", "create", "alice", "--expires", "30d",
             "--output", "json", "--url", server.url],
            capture_output=True, text=True, timeout=WAIT_S, check=True,
        )  # fmt: skip
        key = json.loads(done.stdout)["key"]
        shown = {row["key"]: row["expires"] for row in operator.get("/_venue/keys").json}
        assert 0 <= shown[key] - now - 30 * 86_400_000 < 3_600_000
        assert server.stop() == 0
