"""The key store's file: secrets under AES-256-GCM, passphrases under scrypt, atomic rewrites."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

VERSION: Final = 1
MASTER_BYTES: Final = 32
NONCE_BYTES: Final = 12
SALT_BYTES: Final = 16
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
# One of OWASP's equivalent minimum settings: 16 MiB, five passes; the parameters are stored.
SCRYPT_N: Final = 2**14
SCRYPT_R: Final = 8
SCRYPT_P: Final = 5
SCRYPT_MEMORY_MAX: Final = 64 * 1024 * 1024


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
        """A new hash; takes a fraction of a second."""
        salt = secrets.token_bytes(SALT_BYTES)
        hashed = _scrypt(passphrase, salt, SCRYPT_N, SCRYPT_R, SCRYPT_P)
        return cls(salt, hashed, SCRYPT_N, SCRYPT_R, SCRYPT_P)

    def matches(self, passphrase: bytes) -> bool:
        """Whether this is the passphrase; takes a fraction of a second."""
        return hmac.compare_digest(
            _scrypt(passphrase, self.salt, self.n, self.r, self.p), self.hash
        )


class StoredKey(Struct):
    """One key at rest; `secret` is nonce and ciphertext, bound to key and uid."""

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


class _File(Struct):
    version: int
    keys: list[StoredKey]


class Vault:
    """Reads and writes one store file with one master key."""

    def __init__(self, path: Path, master: bytes) -> None:
        self._path = path
        self._cipher = AESGCM(master)

    @classmethod
    def open(cls, path: Path) -> Vault:
        """The vault at `path`; its master key, PATH.master, is made when both are new."""
        return cls(path, _master(path))

    def load(self) -> list[tuple[StoredKey, bytes]]:
        """Every key with its secret in the clear."""
        if not self._path.exists():
            return []
        text = _read_private(self._path)
        try:
            file = msgspec.json.decode(text, type=_File)
        except msgspec.DecodeError as problem:
            raise VaultError(f"{self._path} is not a key store: {problem}") from None
        if file.version != VERSION:
            raise VaultError(f"{self._path} has version {file.version}; this is {VERSION}")
        return [(stored, self._unseal(stored)) for stored in file.keys]

    def save(self, keys: list[StoredKey]) -> None:
        """Replace the file by these keys; durable when this returns."""
        _write_private(self._path, msgspec.json.encode(_File(VERSION, keys)))

    def seal(self, secret: bytes, key: str, uid: int) -> bytes:
        """Nonce and ciphertext of a secret; opens only for the same key and uid."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, _bound_to(key, uid))

    def _unseal(self, stored: StoredKey) -> bytes:
        nonce, text = stored.secret[:NONCE_BYTES], stored.secret[NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, text, _bound_to(stored.key, stored.uid))
        except (InvalidTag, ValueError):
            raise VaultError(
                f"{self._path}: the secret of key {stored.key} does not open; the file was changed "
                f"or {_master_path(self._path).name} belongs to another store"
            ) from None


def _bound_to(key: str, uid: int) -> bytes:
    return f"{VERSION}|{uid}|{key}".encode()


def _scrypt(passphrase: bytes, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(passphrase, salt=salt, n=n, r=r, p=p, maxmem=SCRYPT_MEMORY_MAX, dklen=32)


def _master_path(path: Path) -> Path:
    return path.with_name(path.name + ".master")


def _master(path: Path) -> bytes:
    place = _master_path(path)
    if not place.exists():
        if path.exists():
            raise VaultError(f"{place} is missing; without it {path} can't be read")
        _write_private(place, secrets.token_bytes(MASTER_BYTES))
    master = _read_private(place)
    if len(master) != MASTER_BYTES:
        raise VaultError(f"{place} holds {len(master)} bytes; a master key has {MASTER_BYTES}")
    return master


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


def _write_private(path: Path, text: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
