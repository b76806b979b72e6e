"""API keys: who may call, from where and for what; created, listed and revoked at runtime."""

from __future__ import annotations

import asyncio
import secrets
import string
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from venue.api import errors
from venue.gateway.access.auth import Key, Keyring, network
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.vault import PassphraseHash, StoredKey, Vault

ADDRESSES_MAX: Final = 10
KEYS_PER_OWNER_MAX: Final = 100
LABEL_LENGTH_MAX: Final = 64
PASSPHRASE_LENGTH: Final = 16


class KeyCredentials(Struct, frozen=True):
    """The credentials a client signs with; shown once, at creation."""

    key: str
    secret: str
    passphrase: str


class KeyStore:
    """All API keys, in memory. With a vault they are also in its file, which has one writer at a
    time."""

    def __init__(self, vault: Vault | None = None) -> None:
        self.ring = Keyring()
        self._vault = vault
        self._keys = self.ring.keys
        self._stored: dict[str, StoredKey] = {}
        self._ended: dict[str, KeyFacts] = {}  # revoked, which the file does not know
        self._write_turn = asyncio.Lock()
        for stored in vault.load() if vault is not None else []:
            self._stored[stored.key] = stored
            key = Key(_view(stored), stored.secret, stored.passphrase, None)
            self._keys[stored.key.encode()] = key

    @classmethod
    def open(cls, path: Path, least: int = 0) -> KeyStore:
        """Return the store at `path`, made with its master key at first start; VaultError if unfit.

        `least` is what `rewrites` was at the last time that it was noted elsewhere.
        """
        return cls(Vault.open(path, least))

    def rewrites(self) -> int:
        """Return how often its file was rewritten; 0 without one."""
        return self._vault.number() if self._vault is not None else 0

    def by_key(self, key: bytes) -> Key | None:
        """Return the key by its wire text."""
        return self._keys.get(key)

    def list(self, uid: int | None = None) -> list[KeyFacts]:
        """Keys in order of creation, of one owner or of all."""
        views = [_current(key) for key in self._keys.values()]
        return views if uid is None else [view for view in views if view.uid == uid]

    def add(self, credentials: KeyCredentials, view: KeyFacts) -> None:
        """A key whose secret is public anyway (demo keys): in memory only; replaces its like.

        One that was revoked stays so.
        """
        if credentials.key in self._stored:
            return
        self._keys[credentials.key.encode()] = self._fresh(credentials, view)

    async def create(
        self,
        uid: int,
        access: int,
        *,
        now: int,
        label: str = "",
        addresses: Iterable[str] = (),
        expires: int | None = None,
    ) -> KeyCredentials:
        """Return a new random key, durable when this returns; ApiError if a setting is out of
        bounds."""
        credentials = _generate()
        allowed = _addresses(addresses)
        if len(label) > LABEL_LENGTH_MAX or not label.isprintable():
            raise errors.invalid("label", f"printable, at most {LABEL_LENGTH_MAX} characters")
        view = KeyFacts(credentials.key, uid, label, access, allowed, now, expires, False)
        async with self._write_turn:
            if sum(not key.revoked for key in self._keys.values() if key.view.uid == uid) >= (
                KEYS_PER_OWNER_MAX
            ):
                raise errors.out_of_range("keys", f"at most {KEYS_PER_OWNER_MAX} per owner")
            if self._vault is not None:
                await self._store(self._vault, credentials, view)
            self._keys[credentials.key.encode()] = self._fresh(credentials, view)
        return credentials

    async def revoke(self, key: str) -> bool:
        """Return the key stops working at once, for good when this returns; False if there is none.

        Its sessions end first.
        """
        found = self._keys.get(key.encode())
        if found is None:
            return False
        self._end(found)
        await self.settle()
        return True

    def withdraw(self, there: Container[int]) -> None:
        """Disable at once the keys of all owners that are not in `there`, for good after the next
        `settle`. Their sessions end."""
        for found in self._keys.values():
            if found.view.uid not in there and not found.revoked:
                self._end(found)

    async def settle(self) -> None:
        """Make the disabled keys' revocation permanent: it is durable when this returns."""
        async with self._write_turn:
            ended, self._ended = self._ended, {}
            if self._vault is None or not ended:
                return
            for key, view in ended.items():
                self._stored.setdefault(key, _withdrawn_key(view)).revoked = True
            try:
                await asyncio.to_thread(self._vault.save, list(self._stored.values()))
            except BaseException:
                self._ended = ended | self._ended
                raise

    def _end(self, key: Key) -> None:
        key.revoked = True
        self._ended[key.view.key] = key.view
        for end in list(key.sessions.values()):
            end()

    # -- making keys ------------------------------------------------------------------------------

    async def _store(self, vault: Vault, credentials: KeyCredentials, view: KeyFacts) -> None:
        stored = await asyncio.to_thread(_stored_key, credentials, view)
        rows = [*self._stored.values(), stored]
        await asyncio.to_thread(vault.save, rows)
        self._stored[stored.key] = stored

    def _fresh(self, credentials: KeyCredentials, view: KeyFacts) -> Key:
        known = self.ring.passphrase_digest(credentials.passphrase.encode())
        return Key(view, credentials.secret.encode(), None, known)


def _addresses(texts: Iterable[str]) -> list[str]:
    found = []
    for text in texts:
        try:
            found.append(str(network(text)))
        except ValueError:
            rule = f"{errors.quote_value(text)} is neither an address nor a CIDR block"
            raise errors.invalid("ips", rule) from None
    if len(found) > ADDRESSES_MAX:
        raise errors.out_of_range("ips", f"at most {ADDRESSES_MAX} are allowed")
    return found


def _generate() -> KeyCredentials:
    letters = string.ascii_letters + string.digits
    return KeyCredentials(
        key="vk-" + secrets.token_hex(16),
        secret=secrets.token_hex(32),
        passphrase="".join(secrets.choice(letters) for _ in range(PASSPHRASE_LENGTH)),
    )


def _stored_key(credentials: KeyCredentials, view: KeyFacts) -> StoredKey:
    passphrase = PassphraseHash.of(credentials.passphrase.encode())
    return _at_rest(view, credentials.secret.encode(), passphrase)


def _withdrawn_key(view: KeyFacts) -> StoredKey:
    """Return a record for a key that was in memory only, without the secrets that would admit a
    caller."""
    return _at_rest(view, b"", PassphraseHash.none())


def _at_rest(view: KeyFacts, secret: bytes, passphrase: PassphraseHash) -> StoredKey:
    return StoredKey(
        key=view.key,
        uid=view.uid,
        label=view.label,
        access=view.access,
        addresses=view.addresses,
        created=view.created,
        expires=view.expires,
        revoked=view.revoked,
        secret=secret,
        passphrase=passphrase,
    )


def _view(stored: StoredKey) -> KeyFacts:
    return KeyFacts(
        stored.key,
        stored.uid,
        stored.label,
        stored.access,
        stored.addresses,
        stored.created,
        stored.expires,
        stored.revoked,
    )


def _current(key: Key) -> KeyFacts:
    view = key.view
    if view.revoked == key.revoked:
        return view
    return KeyFacts(
        view.key,
        view.uid,
        view.label,
        view.access,
        view.addresses,
        view.created,
        view.expires,
        key.revoked,
    )
