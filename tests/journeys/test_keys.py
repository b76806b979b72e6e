"""The key store: what stands at rest, what it refuses to open, revocation, passphrases."""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from venue.api.errors import ApiError
from venue.gateway.keys import (
    ADDRESSES_MAX,
    BAD_PASSPHRASES_MAX,
    BAD_PASSPHRASES_US,
    Credentials,
    Key,
    KeyStore,
    KeyView,
)
from venue.gateway.vault import VaultError
from venue.terms import Access

NOW = 1_700_000_000_000_000
TRADE = int(Access.READ | Access.SPOT_TRADE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "venue.keys"


def master(path: Path) -> Path:
    return path.with_name(path.name + ".master")


def create(store: KeyStore, uid: int = 7, **options: Any) -> Credentials:
    return asyncio.run(store.create(uid, TRADE, now=NOW, **options))


def by_key(store: KeyStore, credentials: Credentials) -> Key:
    key = store.by_key(credentials.key.encode())
    assert key is not None
    return key


def check(store: KeyStore, key: Key, passphrase: str, now: int = NOW) -> bool:
    return asyncio.run(store.check_slowly(key, passphrase.encode(), "1.2.3.4", now))


def test_a_store_is_read_back(path: Path) -> None:
    store = KeyStore.open(path)
    first = create(store, label="bot", addresses=["10.0.0.0/8", "::1"], expires=NOW + 5)
    second = create(store, uid=8)
    again = KeyStore.open(path)
    assert again.list() == store.list()
    assert [view.key for view in again.list(8)] == [second.key]
    key = by_key(again, first)
    assert key.secret == first.secret.encode()
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
    row = msgspec.json.decode(path.read_bytes())["keys"][0]["passphrase"]
    assert (row["n"], row["r"], row["p"]) == (16_384, 8, 5)


def test_ciphertexts_are_bound_to_their_keys(path: Path) -> None:
    store = KeyStore.open(path)
    create(store)
    create(store)
    file = msgspec.json.decode(path.read_bytes())
    rows = file["keys"]
    rows[0]["secret"], rows[1]["secret"] = rows[1]["secret"], rows[0]["secret"]
    path.write_bytes(msgspec.json.encode(file))
    with pytest.raises(VaultError, match="does not open"):
        KeyStore.open(path)


def test_an_owner_cannot_be_exchanged(path: Path) -> None:
    create(KeyStore.open(path))
    path.write_bytes(path.read_bytes().replace(b'"uid":7', b'"uid":8'))
    with pytest.raises(VaultError, match="does not open"):
        KeyStore.open(path)


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
    with pytest.raises(VaultError, match="holds 31 bytes; a master key has 32"):
        KeyStore.open(path)


def test_refuses_a_store_without_its_master_key(path: Path) -> None:
    create(KeyStore.open(path))
    master(path).unlink()
    with pytest.raises(VaultError, match="is missing"):
        KeyStore.open(path)
    assert not master(path).exists()


def test_refuses_a_master_key_of_another_store(path: Path) -> None:
    create(KeyStore.open(path))
    master(path).write_bytes(b"x" * 32)
    with pytest.raises(VaultError, match="belongs to another store"):
        KeyStore.open(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"version":9,"keys":[]}'])
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
    view = KeyView("demo-alice", 7, "demo", TRADE, [], NOW, None, False)
    demo = Credentials("demo-alice", "demo-alice-secret", "demo")
    store.add(demo, view)
    create(store)
    assert by_key(store, demo).secret == b"demo-alice-secret"
    assert b"demo" not in path.read_bytes()
    assert asyncio.run(store.revoke("demo-alice"))
    assert not by_key(store, demo).usable(NOW)


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
    ],
)
def test_admits_the_listed_addresses_only(ip: str, admitted: bool) -> None:
    store = KeyStore()
    made = create(store, addresses=["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"])
    key = by_key(store, made)
    assert key.admits(ip) is admitted
    assert key.admits(ip) is admitted  # also from memory
    assert by_key(store, create(store)).admits(ip)


def test_ten_bad_passphrases_lock_out_one_caller(path: Path) -> None:
    made = create(KeyStore.open(path))
    store = KeyStore.open(path)
    key = by_key(store, made)
    assert not check(store, key, "wrong")
    assert not store.locked_out(key, "1.2.3.4", NOW)
    for _ in range(BAD_PASSPHRASES_MAX - 1):
        store.note_bad(key, "1.2.3.4", NOW)
    assert store.locked_out(key, "1.2.3.4", NOW + BAD_PASSPHRASES_US - 1)
    assert not store.locked_out(key, "5.6.7.8", NOW)
    assert not check(store, key, made.passphrase)
    assert key.known is None
    assert check(store, key, made.passphrase, NOW + BAD_PASSPHRASES_US)
    assert key.known == store.passphrase_digest(made.passphrase.encode())
