"""The key store: the file at rest, files that it refuses to open, revocation, passphrases."""

import asyncio
import contextlib
import os
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.server import Server
from venue.api.errors import ApiError
from venue.api.signing import Mac
from venue.gateway.access.auth import BAD_PASSPHRASES_MAX, BAD_PASSPHRASES_US, Key
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.keys import ADDRESSES_MAX, KeyCredentials, KeyStore
from venue.gateway.access.vault import Vault, VaultError
from venue.vocabulary import Access

NOW = 1_700_000_000_000_000
TRADE = int(Access.READ | Access.SPOT_TRADE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "venue.keys"


def master(path: Path) -> Path:
    return path.with_name(path.name + ".master")


def create(store: KeyStore, uid: int = 7, **options: Any) -> KeyCredentials:
    return asyncio.run(store.create(uid, TRADE, now=NOW, **options))


def signs(key: Key, secret: bytes) -> bool:
    """Whether the key's secret is this one."""
    return key.mac.digest(b"text") == Mac(secret).digest(b"text")


def by_key(store: KeyStore, credentials: KeyCredentials) -> Key:
    key = store.by_key(credentials.key.encode())
    assert key is not None
    return key


def check(store: KeyStore, key: Key, passphrase: str, now: int = NOW) -> bool:
    return asyncio.run(store.ring.check_slowly(key, passphrase.encode(), "1.2.3.4", now))


def test_a_store_is_read_back(path: Path) -> None:
    store = KeyStore.open(path)
    first = create(store, label="bot", addresses=["10.0.0.0/8", "::1"], expires=NOW + 5)
    second = create(store, uid=8)
    again = KeyStore.open(path)
    assert again.list() == store.list()
    assert [view.key for view in again.list(8)] == [second.key]
    key = by_key(again, first)
    assert signs(key, first.secret.encode())
    assert key.view.addresses == ["10.0.0.0/8", "::1/128"]
    assert key.usable(NOW + 4)
    assert not key.usable(NOW + 5)
    assert check(again, key, first.passphrase)


def test_neither_secret_nor_passphrase_stands_at_rest(path: Path) -> None:
    store = KeyStore.open(path)
    made = create(store)
    assert sorted(os.listdir(path.parent)) == ["venue.keys", "venue.keys.master"]
    for file in (path, master(path)):
        assert file.stat().st_mode & 0o777 == 0o600
        text = file.read_bytes()
        for secret in (made.secret, made.passphrase, made.secret.encode().hex()):
            assert secret.encode() not in text
        assert bytes.fromhex(made.secret) not in text
    assert made.secret not in repr(msgspec.to_builtins(store.list()))
    assert set(msgspec.json.decode(path.read_bytes())) == {"version", "number", "sealed"}
    (kept,) = Vault.open(path).load()
    assert (kept.passphrase.n, kept.passphrase.r, kept.passphrase.p) == (16_384, 8, 5)


def test_no_byte_of_the_file_can_be_changed(path: Path) -> None:
    store = KeyStore.open(path)
    create(store, addresses=["10.0.0.0/8"], expires=NOW + 5)
    asyncio.run(store.revoke(create(store).key))
    text, right = path.read_bytes(), store.list()
    choice = random.Random(9)
    for place in sorted(choice.sample(range(len(text)), 200)):
        changed = bytearray(text)
        changed[place] ^= 1 << choice.randrange(8)
        path.write_bytes(changed)
        with contextlib.suppress(VaultError):  # bits that base64 leaves unused may change
            assert KeyStore.open(path).list() == right


@pytest.mark.parametrize("left", [0, 1, 50, 200, -1])
def test_a_truncated_file_is_refused(path: Path, left: int) -> None:
    create(KeyStore.open(path))
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(
        VaultError, match="Put the newest copy of it in its place, or move both away"
    ):
        KeyStore.open(path)


def test_an_earlier_copy_revives_no_revoked_key(path: Path) -> None:
    store = KeyStore.open(path)
    made = create(store)
    before = path.read_bytes()
    asyncio.run(store.revoke(made.key))
    path.write_bytes(before)
    with pytest.raises(VaultError, match="is an earlier copy"):
        KeyStore.open(path)


def test_the_number_beside_the_master_key_cannot_be_changed(path: Path) -> None:
    store = KeyStore.open(path)
    made = create(store)
    before = path.read_bytes()
    asyncio.run(store.revoke(made.key))
    path.write_bytes(before)
    text = master(path).read_bytes()
    for forged in (
        text[:32] + (1).to_bytes(8) + text[40:],
        text[:32],
        text[:32] + bytes(24),
    ):
        master(path).write_bytes(forged)
        with pytest.raises(VaultError):
            KeyStore.open(path)


def test_a_rewrite_that_was_killed_half_way_is_taken(path: Path) -> None:
    """The keys are written first, then their number beside the master key."""
    store = KeyStore.open(path)
    create(store)
    before = master(path).read_bytes()
    create(store)
    master(path).write_bytes(before)
    assert KeyStore.open(path).list() == store.list()
    assert master(path).read_bytes() != before  # from now on the first copy is refused


def test_a_missing_file_is_not_taken_for_an_empty_one(path: Path) -> None:
    store = KeyStore.open(path)
    create(store)
    aside = path.rename(path.with_name("aside"))
    with pytest.raises(VaultError, match=r"is missing.*move venue\.keys\.master away too"):
        KeyStore.open(path)
    aside.rename(path)
    assert KeyStore.open(path).list() == store.list()


def test_earlier_copies_of_both_files_are_refused_where_the_newest_is_known(path: Path) -> None:
    store = KeyStore.open(path)
    made = create(store)
    before = {file: file.read_bytes() for file in (path, master(path))}
    asyncio.run(store.revoke(made.key))
    known = store.rewrites()
    for file, text in before.items():
        file.write_bytes(text)
    assert by_key(KeyStore.open(path, known - 1), made).usable(NOW)
    with pytest.raises(VaultError, match="is an earlier copy"):
        KeyStore.open(path, known)
    for file in before:
        file.unlink()
    fresh = KeyStore.open(path, known)  # the keys are gone, and stay gone
    assert fresh.list() == []
    assert fresh.rewrites() > known
    assert KeyStore.open(path, known).list() == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
@pytest.mark.parametrize("which", [master, lambda path: path])
def test_refuses_files_that_others_can_use(path: Path, which: object, mode: int) -> None:
    create(KeyStore.open(path))
    file: Path = which(path)  # type: ignore[operator]
    file.chmod(mode)
    with pytest.raises(VaultError, match=f"chmod 600 {file}"):
        KeyStore.open(path)


def test_refuses_a_master_key_of_wrong_length(path: Path) -> None:
    KeyStore.open(path)
    master(path).write_bytes(b"x" * 31)
    with pytest.raises(VaultError, match="holds 31 bytes; a master key has 56"):
        KeyStore.open(path)


def test_refuses_a_store_without_its_master_key(path: Path) -> None:
    create(KeyStore.open(path))
    master(path).unlink()
    with pytest.raises(VaultError, match="is missing"):
        KeyStore.open(path)
    assert not master(path).exists()


def test_refuses_a_master_key_of_another_store(path: Path) -> None:
    create(KeyStore.open(path))
    other = path.with_name("other.keys")
    create(KeyStore.open(other))
    master(other).replace(master(path))
    with pytest.raises(VaultError, match="belongs to another store"):
        KeyStore.open(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\0\x80", b'{"version":9,"keys":[]}'])
def test_refuses_a_file_that_is_no_store(path: Path, text: bytes) -> None:
    create(KeyStore.open(path))
    path.write_bytes(text)
    with pytest.raises(VaultError, match=r"not a key store|has version 9"):
        KeyStore.open(path)


def test_a_revoked_key_stops_at_once_and_for_good(path: Path) -> None:
    store = KeyStore.open(path)
    made = create(store)
    key = by_key(store, made)
    assert asyncio.run(store.revoke(made.key))
    assert not key.usable(NOW)
    assert store.list()[0].revoked
    assert not by_key(KeyStore.open(path), made).usable(NOW)
    assert not asyncio.run(store.revoke("vk-none"))


def test_demo_keys_never_reach_the_file(path: Path) -> None:
    store = KeyStore.open(path)
    view = KeyFacts("demo-alice", 7, "demo", TRADE, [], NOW, None, False)
    demo = KeyCredentials("demo-alice", "demo-alice-secret", "demo")
    store.add(demo, view)
    create(store)
    assert signs(by_key(store, demo), b"demo-alice-secret")
    assert b"demo" not in path.read_bytes()
    assert asyncio.run(store.revoke("demo-alice"))
    assert not by_key(store, demo).usable(NOW)
    again = KeyStore.open(path)
    again.add(demo, view)
    assert not by_key(again, demo).usable(NOW)
    assert signs(by_key(again, demo), b"")


def test_concurrent_creations_are_all_kept(path: Path) -> None:
    store = KeyStore.open(path)

    async def many() -> None:
        await asyncio.gather(*(store.create(7, TRADE, now=NOW) for _ in range(4)))

    asyncio.run(many())
    assert len(KeyStore.open(path).list()) == 4


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"addresses": ["10.0.0.1"] * (ADDRESSES_MAX + 1)}, -1140, "'ips'.*at most 10"),
        ({"addresses": ["10.0.0.300"]}, -1142, "'10.0.0.300' is neither"),
        ({"label": "x" * 65}, -1142, "'label'"),
        ({"label": "a\nb"}, -1142, "'label'"),
    ],
)
def test_refuses_settings_out_of_bounds(options: dict[str, Any], code: int, words: str) -> None:
    with pytest.raises(ApiError, match=words) as refusal:
        create(KeyStore(), **options)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("ip", "admitted"),
    [
        ("10.255.0.1", True),
        ("11.0.0.1", False),
        ("192.0.2.7", True),
        ("192.0.2.8", False),
        ("::ffff:10.0.0.1", True),
        ("2001:db8::1", True),
        ("2001:db9::1", False),
        ("", False),
        ("localhost", False),
        ("198.51.100.9", True),
        ("::ffff:198.51.100.9", True),
        ("198.51.101.9", False),
    ],
)
def test_admits_the_listed_addresses_only(ip: str, admitted: bool) -> None:
    store = KeyStore()
    listed = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::ffff:198.51.100.0/120"]
    made = create(store, addresses=listed)
    key = by_key(store, made)
    assert key.admits(ip) is admitted
    assert key.admits(ip) is admitted  # also from memory
    assert by_key(store, create(store)).admits(ip)


def test_ten_bad_passphrases_lock_out_one_caller(path: Path) -> None:
    made = create(KeyStore.open(path))
    store = KeyStore.open(path)
    key = by_key(store, made)
    assert not check(store, key, "wrong")
    assert not store.ring.locked_out(key, "1.2.3.4", NOW)
    for _ in range(BAD_PASSPHRASES_MAX - 1):
        store.ring.note_bad(key, "1.2.3.4", NOW)
    assert store.ring.locked_out(key, "1.2.3.4", NOW + BAD_PASSPHRASES_US - 1)
    assert not store.ring.locked_out(key, "5.6.7.8", NOW)
    assert not check(store, key, made.passphrase)
    assert key.known is None
    assert check(store, key, made.passphrase, NOW + BAD_PASSPHRASES_US)
    assert key.known == store.ring.passphrase_digest(made.passphrase.encode())


def test_a_venue_knows_earlier_copies_of_both_files(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    files = [tmp_path / "venue.db.keys", tmp_path / "venue.db.keys.master"]
    with Server(*state, folder=tmp_path) as server:
        wanted = {"owner": "bob", "permissions": ["READ"]}
        made = server.client().post("/_venue/keys", wanted).json
        copies = [file.read_bytes() for file in files]
        revoked = server.client().post("/_venue/keys/revoke", {"key": made["key"]})
        assert revoked.status == 200, revoked
        server.kill()
    for file, text in zip(files, copies, strict=True):
        file.write_bytes(text)
    with pytest.raises(RuntimeError, match="is an earlier copy") as refused:
        Server(*state, folder=tmp_path)
    assert "Traceback" not in str(refused.value)


def test_a_venue_does_not_start_without_the_key_file_that_it_had(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    with Server(*state, folder=tmp_path) as server:
        wanted = {"owner": "bob", "permissions": ["READ"]}
        assert server.client().post("/_venue/keys", wanted).status == 200
        assert server.stop() == 0
    (tmp_path / "venue.db.keys").unlink()
    with pytest.raises(RuntimeError, match=r"venue\.db\.keys is missing, and was") as refused:
        Server(*state, folder=tmp_path)
    assert "Traceback" not in str(refused.value)
