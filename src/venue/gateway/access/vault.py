"""The key store's file: encrypted as a whole with AES-256-GCM, passphrases hashed by scrypt,
replaced atomically.

The keys are encrypted as one text, so nobody without the master key can change, exchange or remove
one of them. Each rewrite has a number, which is also stored beside the master key: so an earlier
copy of the file is not accepted as the newest.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import os
import secrets
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from venue.files import private_files

VERSION: Final = 2
MASTER_BYTES: Final = 32
NUMBER_BYTES: Final = 8
TAG_BYTES: Final = 16
NONCE_BYTES: Final = 12
SALT_BYTES: Final = 16
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
# One of OWASP's equivalent minimum settings: 16 MiB, five passes; the parameters are stored.
SCRYPT_N: Final = 2**14
SCRYPT_R: Final = 8
SCRYPT_P: Final = 5
SCRYPT_MEMORY_MAX: Final = 64 * 1024 * 1024

T = TypeVar("T")

log = logging.getLogger("venue.keys")


class VaultError(Exception):
    """The files can't be used; the text says why and what to do."""


class PassphraseHash(Struct, frozen=True):
    """A salted scrypt hash with its parameters."""

    salt: bytes
    hash: bytes
    n: int
    r: int
    p: int

    @classmethod
    def of(cls, passphrase: bytes) -> PassphraseHash:
        """Return a new hash; takes a fraction of a second."""
        salt = secrets.token_bytes(SALT_BYTES)
        hashed = _scrypt(passphrase, salt, SCRYPT_N, SCRYPT_R, SCRYPT_P)
        return cls(salt, hashed, SCRYPT_N, SCRYPT_R, SCRYPT_P)

    @classmethod
    def none(cls) -> PassphraseHash:
        """Return one that no passphrase matches, for a key that is revoked."""
        return cls(b"", b"", SCRYPT_N, SCRYPT_R, SCRYPT_P)

    def matches(self, passphrase: bytes) -> bool:
        """Return whether this is the passphrase; takes a fraction of a second."""
        return hmac.compare_digest(
            _scrypt(passphrase, self.salt, self.n, self.r, self.p), self.hash
        )


class StoredKey(Struct):
    """One key at rest, inside what is sealed."""

    key: str
    uid: int
    label: str
    access: int
    addresses: list[str]
    created: int
    expires: int | None
    revoked: bool
    secret: bytes
    passphrase: PassphraseHash


class _Version(Struct):
    version: int


class _File(Struct):
    version: int
    number: int  # of rewrites
    sealed: bytes  # nonce and ciphertext of the keys


class _Master(Struct, frozen=True):
    """The master key, and the number of the last rewrite."""

    key: bytes
    number: int


class Vault:
    """Reads and writes one store file with one master key."""

    def __init__(self, path: Path, master: _Master, least: int = 0) -> None:
        self._path = path
        self._least = least
        self._key = master.key
        self._number = master.number

    @classmethod
    def open(cls, path: Path, least: int = 0) -> Vault:
        """Return the vault at `path`; its master key, PATH.master, is made when both are new.

        `least` is how often it was rewritten as far as is known elsewhere. VaultError when it is
        an earlier copy.
        """
        place = _master_path(path)
        if not place.exists():
            if path.exists():
                raise VaultError(f"{place} is missing; without it {path} can't be read")
            private_files.put(place, _master_text(secrets.token_bytes(MASTER_BYTES), least))
            made = cls(path, _read_master(place))
            if least:
                log.warning("%s and its master key are missing: the keys are gone", path)
                made.save([])
            return made
        vault = cls(path, _read_master(place), least)
        _refuse_missing(path, vault.last())
        return vault

    def last(self) -> int:
        """Return the number of the newest rewrite that is known, here or elsewhere."""
        return max(self._number, self._least)

    def number(self) -> int:
        """Return how often the file was rewritten."""
        return self._number

    def load(self) -> list[StoredKey]:
        """Return every key. Raises VaultError."""
        if not self._path.exists():
            return []
        text = _read_private(self._path)
        version = self._decode(text, _Version).version
        if version != VERSION:
            raise VaultError(f"{self._path} has version {version}; this is {VERSION}")
        return self._decrypt(self._decode(text, _File))

    def save(self, keys: list[StoredKey]) -> None:
        """Replace the file by these keys; durable when this returns."""
        number = self._number + 1
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = AESGCM(self._key).encrypt(nonce, msgspec.json.encode(keys), _bound_to(number))
        file = _File(VERSION, number, nonce + sealed)
        private_files.put(self._path, msgspec.json.encode(file))
        self._note(number)

    def _decrypt(self, file: _File) -> list[StoredKey]:
        try:
            nonce, sealed = file.sealed[:NONCE_BYTES], file.sealed[NONCE_BYTES:]
            text = AESGCM(self._key).decrypt(nonce, sealed, _bound_to(file.number))
        except (InvalidTag, ValueError, OverflowError):
            raise self._unfit("does not open") from None
        _refuse_earlier(self._path, file.number, self.last())
        if file.number > self._number:  # the venue was killed between
            self._note(file.number)
        keys = self._decode(text, list[StoredKey])
        for stored in keys:
            self._check_addresses(stored)
        return keys

    def _check_addresses(self, stored: StoredKey) -> None:
        for address in stored.addresses:
            try:
                ipaddress.ip_network(address, strict=False)
            except ValueError:
                raise self._unfit(
                    f"has {address!r} among the addresses of key {stored.key!r}, which is neither"
                    " an address nor a CIDR block"
                ) from None

    def _note(self, number: int) -> None:
        """Store the number of the last rewrite beside the master key."""
        private_files.put(_master_path(self._path), _master_text(self._key, number))
        self._number = number

    def _decode(self, text: bytes, shape: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=shape)
        except (msgspec.MsgspecError, ValueError) as problem:
            raise self._unfit(f"is not a key store: {problem}") from None

    def _unfit(self, what: str) -> VaultError:
        return VaultError(
            f"{self._path} {what}: it was changed, or {_master_path(self._path).name} belongs to"
            f" another store. Put the newest copy of it in its place, or move both away and make"
            f" new keys"
        )


def _refuse_missing(path: Path, number: int) -> None:
    """A store without its file is not an empty one."""
    if number and not path.exists():
        raise VaultError(
            f"{path} is missing, and was rewritten {number} times: put the newest copy of it in its"
            f" place, or move {_master_path(path).name} away too and make new keys"
        )


def _refuse_earlier(path: Path, number: int, last: int) -> None:
    """Refuse an earlier copy: with it, keys would work again that were revoked."""
    if number < last:
        raise VaultError(
            f"{path} is an earlier copy (rewrite {number}, the last was {last}): keys revoked since"
            f" then would work again. Put the newest copy of it and of {_master_path(path).name} in"
            f" their place, or move both away and make new keys"
        )


def _bound_to(number: int) -> bytes:
    return f"venue keys|{VERSION}|{number}".encode()


def _scrypt(passphrase: bytes, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(passphrase, salt=salt, n=n, r=r, p=p, maxmem=SCRYPT_MEMORY_MAX, dklen=32)


def _master_path(path: Path) -> Path:
    return path.with_name(path.name + ".master")


def _master_text(key: bytes, number: int) -> bytes:
    counted = number.to_bytes(NUMBER_BYTES)
    return key + counted + hmac.digest(key, counted, "sha256")[:TAG_BYTES]


def _read_master(place: Path) -> _Master:
    text = _read_private(place)
    size = MASTER_BYTES + NUMBER_BYTES + TAG_BYTES
    if len(text) != size:
        raise VaultError(f"{place} holds {len(text)} bytes; a master key has {size}")
    key, number = text[:MASTER_BYTES], int.from_bytes(text[MASTER_BYTES:-TAG_BYTES])
    if not hmac.compare_digest(text, _master_text(key, number)):
        raise VaultError(
            f"{place} is not as it was written. Put a copy of it in its place; without one, move it"
            f" and the key store away and make new keys"
        )
    return _Master(key, number)


def _read_private(path: Path) -> bytes:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode & 0o777
        if mode & 0o077:
            raise VaultError(
                f"{path} has mode {mode:04o}: others can use it. Run: chmod 600 {path}"
            )
        text = file.read(FILE_BYTES_MAX + 1)
    if len(text) > FILE_BYTES_MAX:
        raise VaultError(f"{path} is larger than {FILE_BYTES_MAX} bytes")
    return text
