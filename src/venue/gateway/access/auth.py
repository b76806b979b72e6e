"""Authentication: four headers, a signature over the raw bytes, the key and its permission."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Final

from venue.api import errors, signing
from venue.api.errors import ApiError
from venue.api.signing import Mac
from venue.gateway.access.callers import Caller, KeyFacts, SignedHeaders
from venue.gateway.access.causes import cause
from venue.gateway.access.proxies import counted_as
from venue.gateway.access.replay import WINDOW_MS, request_id
from venue.gateway.access.vault import PassphraseHash
from venue.node.clock import ServerClock
from venue.vocabulary import ACCESS_COPY_TRADE, Access

EXPLAINED_LENGTH_MAX: Final = 512
CHECKS_AT_ONCE_MAX: Final = 2
BAD_PASSPHRASES_MAX: Final = 10
BAD_PASSPHRASES_US: Final = 600_000_000
BAD_CALLERS_MAX: Final = 10_000
ADMITTED_MAX: Final = 1_024  # addresses remembered per key
MAPPED_BITS: Final = 96  # before the IPv4 address, in one that is written as IPv6

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_KEY, _SIGN = b"access-key", b"access-sign"
_TIMESTAMP, _PASSPHRASE = b"access-timestamp", b"access-passphrase"
_WRONG_SIGNATURE: Final = "The signature in ACCESS-SIGN does not verify."
_NOT_ITS_OWN: Final = "The passphrase in ACCESS-PASSPHRASE is not this API key's."


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
        """Return whether the key may be used from this address."""
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


class Keyring:
    """The keys that requests are checked by, under their wire text, and passphrases that came
    with."""

    def __init__(self) -> None:
        self.keys: dict[bytes, Key] = {}
        self.stranger = _stranger()
        self._mac = blake2b(key=secrets.token_bytes(32), digest_size=32)
        self._checks = asyncio.Semaphore(CHECKS_AT_ONCE_MAX)
        self._bad: dict[tuple[str, str], deque[int]] = {}

    def passphrase_digest(self, passphrase: bytes) -> bytes:
        """Return a digest under a key of this process; what `Key.known` holds."""
        mac = self._mac.copy()
        mac.update(passphrase)
        return mac.digest()

    def locked_out(self, key: Key, ip: str, now: int) -> bool:
        """Return whether this caller gave too many wrong passphrases of late."""
        if not self._bad:
            return False
        times = self._bad.get((key.view.key, counted_as(ip)))
        if times is None:
            return False
        while times and times[0] <= now - BAD_PASSPHRASES_US:
            times.popleft()
        return len(times) >= BAD_PASSPHRASES_MAX

    def note_bad(self, key: Key, ip: str, now: int) -> None:
        """Count a wrong passphrase."""
        caller = (key.view.key, counted_as(ip))
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


class Authenticator:
    """Checks signed requests against a ring of keys; `explain` adds the text to sign to -1047.

    With `only_ipv4`, a key that has a list of addresses is refused over IPv6.
    """

    def __init__(
        self,
        ring: Keyring,
        clock: ServerClock,
        *,
        explain: bool = False,
        only_ipv4: bool = False,
    ) -> None:
        self._ring = ring
        self._clock = clock
        self._explain = explain
        self._only_ipv4 = only_ipv4

    def precheck(
        self, headers: Mapping[bytes, bytes], repeated: tuple[bytes, ...], now: int
    ) -> SignedHeaders:
        """Return the claim of the headers alone, at server time `now` (µs); names in lower case;
        `repeated` ones came more than once.

        ApiError -1040 to -1043, -1046, -1049, and -1047 for a header given twice.
        """
        key, sign = headers.get(_KEY, b""), headers.get(_SIGN, b"")
        timestamp, passphrase = headers.get(_TIMESTAMP, b""), headers.get(_PASSPHRASE, b"")
        if repeated or not (key and sign and timestamp):
            _refuse_incomplete(repeated, key, sign, timestamp)
        sent = _milliseconds(timestamp)
        near = -WINDOW_MS <= sent - now // 1_000 <= WINDOW_MS
        if not near and not self._clock.signs(sent, WINDOW_MS):
            raise _outside_window(sent, self._clock.server_time() // 1_000)
        if not passphrase:
            raise errors.error(-1049, detail="Header ACCESS-PASSPHRASE is missing or empty.")
        return SignedHeaders(key, sign, timestamp, passphrase, sent, now)

    def verify(self, signed: SignedHeaders, text: bytes, ip: str) -> Caller | None:
        """Return the caller, given the text that should have been signed (`signing.payload`).

        None when the passphrase must still be compared with its hash at rest: await
        `verify_slowly`. ApiError -1044, -1056, -1047, -1049; all take the same path.
        """
        key, digest = self._verify(signed, text, ip)
        known = key.known
        if known is None:
            return None
        passphrase = self._ring.passphrase_digest(signed.passphrase)
        if not hmac.compare_digest(passphrase, known):
            self._ring.note_bad(key, ip, signed.now)
            raise errors.error(-1049, detail=_NOT_ITS_OWN)
        return _caller(key, signed, digest)

    async def verify_slowly(self, signed: SignedHeaders, text: bytes, ip: str) -> Caller:
        """Return the caller as `verify` does, for a key whose passphrase was not seen since the
        start."""
        key, digest = self._verify(signed, text, ip)
        now = self._clock.wall()
        if not await self._ring.check_slowly(key, signed.passphrase, ip, now):
            raise errors.error(-1049, detail=_NOT_ITS_OWN)
        if not key.usable(self._clock.wall()):  # revoked while the hash was computed
            raise errors.error(-1044)
        return _caller(key, signed, digest)

    def _verify(self, signed: SignedHeaders, text: bytes, ip: str) -> tuple[Key, bytes]:
        """Return the key and the request's digest, once key, address and signature are right."""
        found = self._ring.keys.get(signed.key)
        key = found if found is not None else self._ring.stranger
        digest = key.mac.digest(text)
        right = hmac.compare_digest(signing.encode(digest), signed.signature)
        now = signed.now
        if found is None or not key.usable(now):
            hmac.compare_digest(self._ring.passphrase_digest(signed.passphrase), digest)
            raise errors.error(-1044)
        if not key.admits(ip) or (self._only_ipv4 and key.networks and is_ipv6(ip)):
            raise errors.error(-1056, name=errors.quote_value(ip))
        if not right:
            hmac.compare_digest(self._ring.passphrase_digest(signed.passphrase), digest)
            raise errors.error(
                -1047, detail=self._refusal_reason(key, digest, signed.signature, text)
            )
        if self._ring.locked_out(key, ip, now):
            raise errors.error(-1049, detail="Too many wrong passphrases; wait ten minutes.")
        return key, digest

    def _refusal_reason(self, key: Key, digest: bytes, signature: bytes, text: bytes) -> str:
        """Return the reason for a refusal, as far as a caller may learn it; never the right
        signature."""
        if not self._explain:
            return _WRONG_SIGNATURE
        why = cause(key.mac, digest, signature, text)
        cut = ascii(text[:EXPLAINED_LENGTH_MAX].decode("utf-8", "replace"))[1:-1]
        more = "..." if len(text) > EXPLAINED_LENGTH_MAX else ""
        return f"{_WRONG_SIGNATURE} {why} signed payload should be: {cut}{more}"


def permit(caller: Caller, access: int, *, leads: bool = False) -> bool:
    """Return whether the key has this permission, one of `Access`. False: it is a lead trader's
    key, for which `leads` allows a part of the operation. ApiError -1052 (HTTP 403) for any other
    key."""
    if caller.access & access == access:
        return True
    if leads and caller.access & ACCESS_COPY_TRADE:
        return False
    raise errors.not_permitted(Access(access).name)


def _caller(key: Key, signed: SignedHeaders, digest: bytes) -> Caller:
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


def is_ipv6(text: str) -> bool:
    """Return whether an address or CIDR block is of IPv6, and no IPv4 one that is written so."""
    return ":" in text and "." not in text


def network(text: str) -> Network:
    """Return an address or CIDR block; ValueError if it is neither.

    An IPv4 address that is written as an IPv6 one (::ffff:192.0.2.1) becomes the IPv4 address.
    """
    found = ipaddress.ip_network(text, strict=False)
    mapped = getattr(found.network_address, "ipv4_mapped", None)
    if mapped is None or found.prefixlen < MAPPED_BITS:
        return found
    return ipaddress.IPv4Network(f"{mapped}/{found.prefixlen - MAPPED_BITS}")


def _stranger() -> Key:
    """Return a stand-in for an unknown key, so that its refusal takes the same path."""
    view = KeyFacts("", 0, "", 0, [], 0, None, True)
    return Key(view, secrets.token_bytes(32), None, secrets.token_bytes(32))
