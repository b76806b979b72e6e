"""Authentication: four headers, a signature over the raw bytes, the key and its permission."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from venue.api import errors, signing
from venue.api.errors import ApiError
from venue.gateway.access.causes import cause
from venue.gateway.access.keys import Key, KeyStore
from venue.gateway.access.replay import WINDOW_MS, request_id
from venue.node.clock import ServerClock
from venue.vocabulary import ACCESS_COPY_TRADE, Access

EXPLAINED_LENGTH_MAX: Final = 512

_KEY, _SIGN = b"access-key", b"access-sign"
_TIMESTAMP, _PASSPHRASE = b"access-timestamp", b"access-passphrase"
_WRONG_SIGNATURE: Final = "The signature in ACCESS-SIGN does not verify."
_NOT_ITS_OWN: Final = "The passphrase in ACCESS-PASSPHRASE is not this API key's."


class Signed(Struct, frozen=True, gc=False):
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


class Authenticator:
    """Checks signed requests against the key store; `explain` adds the text to sign to -1047."""

    def __init__(self, keys: KeyStore, clock: ServerClock, *, explain: bool = False) -> None:
        self._keys = keys
        self._clock = clock
        self._explain = explain

    def precheck(
        self, headers: Mapping[bytes, bytes], repeated: tuple[bytes, ...], now: int
    ) -> Signed:
        """The claim of the headers alone, at server time `now` (µs); names in lower case;
        `repeated` ones came more than once.

        ApiError -1040 to -1043, -1046, -1049; -1047 for a header given twice.
        """
        key, sign = headers.get(_KEY, b""), headers.get(_SIGN, b"")
        timestamp, passphrase = headers.get(_TIMESTAMP, b""), headers.get(_PASSPHRASE, b"")
        if repeated or not (key and sign and timestamp):
            _refuse_incomplete(repeated, key, sign, timestamp)
        sent = _milliseconds(timestamp)
        near = -WINDOW_MS <= sent - now // 1_000 <= WINDOW_MS
        if not near and not self._clock.signs(sent, WINDOW_MS):
            raise _outside_window(sent, self._clock.told() // 1_000)
        if not passphrase:
            raise errors.error(-1049, detail="Header ACCESS-PASSPHRASE is missing or empty.")
        return Signed(key, sign, timestamp, passphrase, sent, now)

    def verify(self, signed: Signed, text: bytes, ip: str) -> Caller | None:
        """The caller, given the text that should have been signed (`signing.payload`).

        None when the passphrase must still be compared with its hash at rest: await
        `verify_slowly`. ApiError -1044, -1056, -1047, -1049; all take the same path.
        """
        key, digest = self._verified(signed, text, ip)
        known = key.known
        if known is None:
            return None
        passphrase = self._keys.passphrase_digest(signed.passphrase)
        if not hmac.compare_digest(passphrase, known):
            self._keys.note_bad(key, ip, signed.now)
            raise errors.error(-1049, detail=_NOT_ITS_OWN)
        return _caller(key, signed, digest)

    async def verify_slowly(self, signed: Signed, text: bytes, ip: str) -> Caller:
        """As `verify`, for a key whose passphrase was not seen since the start."""
        key, digest = self._verified(signed, text, ip)
        now = self._clock.wall()
        if not await self._keys.check_slowly(key, signed.passphrase, ip, now):
            raise errors.error(-1049, detail=_NOT_ITS_OWN)
        if not key.usable(self._clock.wall()):  # revoked while the hash was computed
            raise errors.error(-1044)
        return _caller(key, signed, digest)

    def _verified(self, signed: Signed, text: bytes, ip: str) -> tuple[Key, bytes]:
        """The key and the request's digest, once key, address and signature are right."""
        found = self._keys.by_key(signed.key)
        key = found if found is not None else self._keys.stranger
        digest = key.mac.digest(text)
        right = hmac.compare_digest(signing.encode(digest), signed.signature)
        now = signed.now
        if found is None or not key.usable(now):
            hmac.compare_digest(self._keys.passphrase_digest(signed.passphrase), digest)
            raise errors.error(-1044)
        if not key.admits(ip):
            raise errors.error(-1056, name=errors.shown(ip))
        if not right:
            hmac.compare_digest(self._keys.passphrase_digest(signed.passphrase), digest)
            raise errors.error(-1047, detail=self._explained(key, digest, signed.signature, text))
        if self._keys.locked_out(key, ip, now):
            raise errors.error(-1049, detail="Too many wrong passphrases; wait ten minutes.")
        return key, digest

    def _explained(self, key: Key, digest: bytes, signature: bytes, text: bytes) -> str:
        """What is wrong, as far as it can be told. The right signature never stands there."""
        if not self._explain:
            return _WRONG_SIGNATURE
        why = cause(key.mac, digest, signature, text)
        cut = ascii(text[:EXPLAINED_LENGTH_MAX].decode("utf-8", "replace"))[1:-1]
        more = "..." if len(text) > EXPLAINED_LENGTH_MAX else ""
        return f"{_WRONG_SIGNATURE} {why} signed payload should be: {cut}{more}"


def permit(caller: Caller, access: int, *, leads: bool = False) -> None:
    """ApiError -1052 (HTTP 403) when the key lacks this permission, one of `Access`. With `leads` a
    lead trader's key is let in too."""
    if caller.access & access != access and not (leads and caller.access & ACCESS_COPY_TRADE):
        raise errors.not_permitted(Access(access).name)


def _caller(key: Key, signed: Signed, digest: bytes) -> Caller:
    view = key.view
    request = request_id(digest, signed.timestamp_ms)
    return Caller(view.uid, view.key, view.access, signed.timestamp_ms, request)


def _refuse_incomplete(
    repeated: tuple[bytes, ...], key: bytes, sign: bytes, timestamp: bytes
) -> None:
    """Raise for what is missing or doubled; a missing passphrase alone comes after the window."""
    if not key:
        raise errors.error(-1040)
    if not sign:
        raise errors.error(-1041)
    if not timestamp:
        raise errors.error(-1042)
    if _TIMESTAMP in repeated:
        raise errors.error(-1043, rule="given more than once")
    for name in (_KEY, _SIGN, _PASSPHRASE):
        if name in repeated:
            title = name.decode().upper()
            raise errors.error(-1047, detail=f"Header {title} is given more than once.")


def _milliseconds(timestamp: bytes) -> int:
    if len(timestamp) != 13 or not timestamp.isdigit():  # of bytes: ASCII digits only
        rule = "must be 13 digits, milliseconds since the epoch"
        raise errors.error(-1043, rule=rule)
    return int(timestamp)


def _outside_window(sent: int, now: int) -> ApiError:
    side = "behind" if sent < now else "ahead of"
    return errors.error(
        -1046,
        detail=f"ACCESS-TIMESTAMP is {abs(now - sent)} ms {side} the server time {now}; "
        f"at most {WINDOW_MS} ms are allowed.",
    )
