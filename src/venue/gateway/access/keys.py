"""API keys: who may call, from where and for what; created, listed and revoked at runtime."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import string
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from venue.api import errors
from venue.api.signing import Mac
from venue.gateway.access.vault import PassphraseHash, StoredKey, Vault

ADDRESSES_MAX: Final = 10
KEYS_PER_OWNER_MAX: Final = 100
LABEL_LENGTH_MAX: Final = 64
CHECKS_AT_ONCE_MAX: Final = 2
BAD_PASSPHRASES_MAX: Final = 10
BAD_PASSPHRASES_US: Final = 600_000_000
BAD_CALLERS_MAX: Final = 10_000
ADMITTED_MAX: Final = 1_024  # addresses remembered per key
PASSPHRASE_LENGTH: Final = 16
MAPPED_BITS: Final = 96  # before the IPv4 address, in one that is written as IPv6

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class KeyCredentials(Struct, frozen=True):
    """The credentials a client signs with; shown once, at creation."""

    key: str
    secret: str
    passphrase: str


class KeyFacts(Struct, frozen=True):
    """A key as lists show it: no secret. Times in µs; `access` holds `vocabulary.Access` bits."""

    key: str
    uid: int
    label: str
    access: int
    addresses: list[str]
    created: int
    expires: int | None
    revoked: bool


class Key:
    """One API key in memory. `sessions` are those that it opened, and what ends each of them."""

    __slots__ = (
        "admitted",
        "known",
        "mac",
        "networks",
        "passphrase",
        "revoked",
        "sessions",
        "view",
    )

    def __init__(
        self, view: KeyFacts, secret: bytes, passphrase: PassphraseHash | None, known: bytes | None
    ) -> None:
        self.view = view
        self.mac = Mac(secret)
        self.passphrase = passphrase
        self.known = known  # digest of the passphrase once it was seen to be right
        self.revoked = view.revoked
        self.networks = [network(text) for text in view.addresses]
        self.admitted: set[str] = set()
        self.sessions: dict[object, Callable[[], None]] = {}

    def usable(self, now: int) -> bool:
        """Neither revoked nor expired at `now` (µs)."""
        return not self.revoked and (self.view.expires is None or now < self.view.expires)

    def admits(self, ip: str) -> bool:
        """Whether the key may be used from this address."""
        if not self.networks or ip in self.admitted:
            return True
        try:
            address = ipaddress.ip_address(ip)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        address = mapped if mapped is not None else address
        if not any(address in allowed for allowed in self.networks):
            return False
        if len(self.admitted) < ADMITTED_MAX:
            self.admitted.add(ip)
        return True


class KeyStore:
    """All API keys, in memory; with a vault also in its file, one writer at a time."""

    def __init__(self, vault: Vault | None = None) -> None:
        self._vault = vault
        self._passphrase_mac = Mac(secrets.token_bytes(32))
        self._keys: dict[bytes, Key] = {}
        self._stored: dict[str, StoredKey] = {}
        self._write_turn = asyncio.Lock()
        self._checks = asyncio.Semaphore(CHECKS_AT_ONCE_MAX)
        self._bad: dict[tuple[str, str], deque[int]] = {}
        self.stranger = self._stranger()
        for stored in vault.load() if vault is not None else []:
            self._stored[stored.key] = stored
            key = Key(_view(stored), stored.secret, stored.passphrase, None)
            self._keys[stored.key.encode()] = key

    @classmethod
    def open(cls, path: Path, least: int = 0) -> KeyStore:
        """The store at `path`, made with its master key at first start; VaultError if unfit.

        `least` is what `rewrites` was at the last time that it was noted elsewhere.
        """
        return cls(Vault.open(path, least))

    def rewrites(self) -> int:
        """How often its file was rewritten; 0 without one."""
        return self._vault.number() if self._vault is not None else 0

    def by_key(self, key: bytes) -> Key | None:
        """The key by its wire text."""
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
        """A new random key, durable when this returns; ApiError if a setting is out of bounds."""
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
        """The key stops working at once, for good when this returns; False if there is none.

        Its sessions end first.
        """
        found = self._keys.get(key.encode())
        if found is None:
            return False
        found.revoked = True
        for end in list(found.sessions.values()):
            end()
        async with self._write_turn:
            if self._vault is not None:
                stored = self._stored.setdefault(key, _withdrawn(found.view))
                stored.revoked = True
                await asyncio.to_thread(self._vault.save, list(self._stored.values()))
        return True

    # -- passphrases ------------------------------------------------------------------------------

    def passphrase_digest(self, passphrase: bytes) -> bytes:
        """A digest under a key of this process; what `Key.known` holds."""
        return self._passphrase_mac.digest(passphrase)

    def locked_out(self, key: Key, ip: str, now: int) -> bool:
        """Whether this caller gave too many wrong passphrases of late."""
        times = self._bad.get((key.view.key, ip))
        if times is None:
            return False
        while times and times[0] <= now - BAD_PASSPHRASES_US:
            times.popleft()
        return len(times) >= BAD_PASSPHRASES_MAX

    def note_bad(self, key: Key, ip: str, now: int) -> None:
        """Count a wrong passphrase."""
        caller = (key.view.key, ip)
        if caller not in self._bad and len(self._bad) >= BAD_CALLERS_MAX:
            del self._bad[next(iter(self._bad))]
        self._bad.setdefault(caller, deque(maxlen=BAD_PASSPHRASES_MAX)).append(now)

    async def check_slowly(self, key: Key, passphrase: bytes, ip: str, now: int) -> bool:
        """Compare with the hash at rest, on a thread; a right passphrase is remembered."""
        async with self._checks:
            digest = self.passphrase_digest(passphrase)
            if key.known is not None:  # someone else's turn found it out
                return hmac.compare_digest(digest, key.known)
            if key.passphrase is None or self.locked_out(key, ip, now):
                return False
            if not await asyncio.to_thread(key.passphrase.matches, passphrase):
                self.note_bad(key, ip, now)
                return False
            key.known = digest
            return True

    # -- making keys ------------------------------------------------------------------------------

    async def _store(self, vault: Vault, credentials: KeyCredentials, view: KeyFacts) -> None:
        stored = await asyncio.to_thread(_stored, credentials, view)
        rows = [*self._stored.values(), stored]
        await asyncio.to_thread(vault.save, rows)
        self._stored[stored.key] = stored

    def _fresh(self, credentials: KeyCredentials, view: KeyFacts) -> Key:
        known = self.passphrase_digest(credentials.passphrase.encode())
        return Key(view, credentials.secret.encode(), None, known)

    def _stranger(self) -> Key:
        """Stands in for an unknown key, so that refusing it takes the same path."""
        view = KeyFacts("", 0, "", 0, [], 0, None, True)
        return Key(view, secrets.token_bytes(32), None, secrets.token_bytes(32))


def network(text: str) -> Network:
    """An address or CIDR block; ValueError if it is neither.

    IPv4 addresses that are written as IPv6 ones (::ffff:192.0.2.1) are taken as what they are.
    """
    found = ipaddress.ip_network(text, strict=False)
    mapped = getattr(found.network_address, "ipv4_mapped", None)
    if mapped is None or found.prefixlen < MAPPED_BITS:
        return found
    return ipaddress.IPv4Network(f"{mapped}/{found.prefixlen - MAPPED_BITS}")


def _addresses(texts: Iterable[str]) -> list[str]:
    found = []
    for text in texts:
        try:
            found.append(str(network(text)))
        except ValueError:
            rule = f"{errors.shown(text)} is neither an address nor a CIDR block"
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


def _stored(credentials: KeyCredentials, view: KeyFacts) -> StoredKey:
    passphrase = PassphraseHash.of(credentials.passphrase.encode())
    return _at_rest(view, credentials.secret.encode(), passphrase)


def _withdrawn(view: KeyFacts) -> StoredKey:
    """A key that lived in memory only, without what would let it in."""
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
