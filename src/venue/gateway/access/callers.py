"""Records of a caller: what its key may do, what its headers claim, and which owner it is."""

from __future__ import annotations

from msgspec import Struct


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


class SignedHeaders(Struct, frozen=True, gc=False):
    """The four headers, well formed; `timestamp_ms` is inside the window at server time `now` (µs),
    or at venue time."""

    key: bytes
    signature: bytes
    timestamp: bytes
    passphrase: bytes
    timestamp_ms: int
    now: int


class Caller(Struct, frozen=True, gc=False):
    """The caller; `request` recognises an exact repetition (see `ReplayGuard`)."""

    uid: int
    key: str
    access: int
    timestamp_ms: int
    request: bytes
