"""Authentication: every refusal of the four headers."""

import asyncio
import base64
import hashlib
import hmac
from pathlib import Path

import pytest

from venue.api import signing
from venue.api.errors import ApiError
from venue.gateway.access.auth import Authenticator, permit
from venue.gateway.access.callers import Caller, KeyFacts
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.vocabulary import Access

NOW_MS = 1_700_000_000_000
NOW = NOW_MS * 1_000
TRADE = int(Access.READ | Access.SPOT_TRADE)
ALICE = KeyCredentials("demo-alice", "demo-alice-secret", "demo")
BOB = KeyCredentials("demo-bob", "demo-bob-secret", "demo-bob")
PATH, QUERY, BODY = b"/api/v3/order", b"a=%20b&c=1", b'{"x": 1}'

Headers = list[tuple[bytes, bytes]]


class Clock:
    real = True

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> int:
        raise AssertionError("authentication does not depend on venue time")

    def wall(self) -> int:
        return self.time

    def server_time(self) -> int:
        return self.time

    def oldest(self) -> int:
        return self.time

    def signs(self, sent_ms: int, window_ms: int) -> bool:
        return False


def store() -> KeyStore:
    keys = KeyStore()
    keys.add(ALICE, KeyFacts(ALICE.key, 7, "", TRADE, [], NOW, NOW + 10**9, False))
    keys.add(BOB, KeyFacts(BOB.key, 8, "", int(Access.READ), ["10.0.0.0/8"], NOW, None, False))
    return keys


def headers(
    who: KeyCredentials = ALICE,
    *,
    text: bytes | None = None,
    timestamp: bytes = str(NOW_MS).encode(),
    passphrase: bytes | None = None,
) -> Headers:
    if text is None:
        text = signing.payload(timestamp, b"POST", PATH, QUERY, BODY)
    return [
        (b"host", b"h"),
        (b"access-key", who.key.encode()),
        (b"access-sign", signing.sign(who.secret.encode(), text)),
        (b"access-timestamp", timestamp),
        (b"access-passphrase", who.passphrase.encode() if passphrase is None else passphrase),
    ]


def replaced(name: bytes, value: bytes | None, found: Headers | None = None) -> Headers:
    found = headers() if found is None else found
    kept = [(n, v) for n, v in found if n != name]
    return kept if value is None else [*kept, (name, value)]


def as_received(found: Headers) -> tuple[dict[bytes, bytes], tuple[bytes, ...]]:
    """Headers as a request holds them: by name, and which came more than once."""
    names = [name for name, _ in found]
    return dict(found), tuple(name for name in dict.fromkeys(names) if names.count(name) > 1)


def check(
    found: Headers,
    ip: str = "1.2.3.4",
    *,
    explain: bool = False,
    keys: KeyStore | None = None,
    clock: Clock | None = None,
) -> Caller:
    doorman = Authenticator((keys or store()).ring, clock or Clock(), explain=explain)
    signed = doorman.precheck(*as_received(found), doorman._clock.wall())
    text = signing.payload(signed.timestamp, b"POST", PATH, QUERY, BODY)
    caller = doorman.verify(signed, text, ip)
    return caller or asyncio.run(doorman.verify_slowly(signed, text, ip))


def refusal(found: Headers, **options: object) -> ApiError:
    with pytest.raises(ApiError) as caught:
        check(found, **options)  # type: ignore[arg-type]
    return caught.value


def test_signs_the_raw_bytes() -> None:
    expected = b'1700000000000POST/api/v3/order?a=%20b&c=1{"x": 1}'
    text = signing.payload(b"1700000000000", b"POST", PATH, QUERY, BODY)
    assert text == expected
    assert signing.payload(b"1", b"GET", b"/p", b"", b"") == b"1GET/p"
    assert signing.websocket_payload(b"1") == b"1/v3/ws/private"
    digest = hmac.new(b"secret", expected, hashlib.sha256).digest()
    assert signing.sign(b"secret", text) == base64.b64encode(digest)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
def test_a_key_hashed_once_gives_what_hmac_gives(size: int) -> None:
    key = bytes(range(size))
    mac = signing.Mac(key)
    for text in (b"", b"text", bytes(1_000)):
        assert mac.digest(text) == hmac.digest(key, text, "sha256")


def test_knows_the_caller() -> None:
    text = signing.payload(str(NOW_MS).encode(), b"POST", PATH, QUERY, BODY)
    digest = signing.Mac(ALICE.secret.encode()).digest(text)
    known_by = digest[:16] + NOW_MS.to_bytes(6)
    assert check(headers()) == Caller(7, "demo-alice", TRADE, NOW_MS, known_by)
    assert check(headers(BOB), "10.1.2.3").uid == 8


MISSING = [
    (b"access-key", -1040),
    (b"access-sign", -1041),
    (b"access-timestamp", -1042),
    (b"access-passphrase", -1049),
]


@pytest.mark.parametrize(("name", "code"), MISSING)
@pytest.mark.parametrize("value", [None, b""])
def test_refuses_a_missing_header(name: bytes, code: int, value: bytes | None) -> None:
    error = refusal(replaced(name, value))
    assert (error.code, error.status) == (code, 400)
    assert name.decode().upper() in error.message


def test_reports_the_first_missing_header() -> None:
    found: Headers = []
    for name, code in MISSING:
        assert refusal(found).code == code
        found = [*found, next(pair for pair in headers() if pair[0] == name)]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"access-key", -1047),
        (b"access-sign", -1047),
        (b"access-timestamp", -1043),
        (b"access-passphrase", -1047),
    ],
)
def test_refuses_a_header_given_twice(name: bytes, code: int) -> None:
    found = headers()
    error = refusal([*found, *[pair for pair in found if pair[0] == name]])
    assert error.code == code
    assert "more than once" in error.message


@pytest.mark.parametrize(
    "timestamp",
    [
        b"abc",
        b"1.7e12",
        b"+1700000000000",
        b"+170000000000",
        b"1_700_000_000_000",
        "١٧٠٠٠٠٠٠٠٠٠٠٠".encode(),
        b" 170000000000",
        b"0x18bcfe56800",
        b"1700000000",
        b"1700000000000000",
        b"2023-11-14T22",
        b"-1",
        b"-170000000000",
        b"1" * 400,
        b"17000000000\xb2\xb2",
    ],
)
def test_refuses_a_malformed_timestamp(timestamp: bytes) -> None:
    error = refusal(headers(timestamp=timestamp))
    assert error.code == -1043
    assert "13 digits" in error.message


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (-30_001, f"30001 ms behind the server time {NOW_MS}; at most 30000 ms"),
        (30_001, f"30001 ms ahead of the server time {NOW_MS}; at most 30000 ms"),
    ],
)
def test_refuses_a_timestamp_outside_the_window(offset: int, words: str) -> None:
    inside = str(NOW_MS + offset - offset // abs(offset)).encode()
    assert check(headers(timestamp=inside)).uid == 7
    error = refusal(headers(timestamp=str(NOW_MS + offset).encode()))
    assert error.code == -1046
    assert words in error.message


@pytest.mark.parametrize(
    "key", [b"unknown", b"demo-alicf", b"DEMO-ALICE", b"\xff\xfe", b"k" * 4_000]
)
def test_refuses_an_unknown_key(key: bytes) -> None:
    assert refusal(replaced(b"access-key", key)).code == -1044


def test_refuses_a_revoked_and_an_expired_key() -> None:
    keys = store()
    assert check(headers(), keys=keys).uid == 7
    asyncio.run(keys.revoke(ALICE.key))
    assert refusal(headers(), keys=keys).code == -1044
    late = Clock()
    late.time = NOW + 10**9
    found = headers(timestamp=str(late.time // 1_000).encode())
    assert refusal(found, clock=late).code == -1044


def test_refuses_an_address_that_is_not_listed() -> None:
    error = refusal(headers(BOB), ip="11.0.0.1")
    assert error.code == -1056
    assert "11.0.0.1" in error.message


def bad_signatures() -> list[bytes]:
    right = headers()[2][1]
    raw = base64.b64decode(right)
    return [
        raw.hex().encode(),
        right.replace(b"=", b""),
        right + b"\n",
        right[:-2],
        right[:43],
        right + b"=",
        "é".encode() * 22,
        b"\xff" * 44,
        b"A" * 43 + b"=",
        b" " + right,
        base64.urlsafe_b64encode(b"\xff" * 32),
        right[:42] + bytes((right[42] + 1,)) + b"=",  # other padding bits, the same 32 bytes
    ]


@pytest.mark.parametrize("signature", bad_signatures())
def test_refuses_a_wrong_signature(signature: bytes) -> None:
    error = refusal(replaced(b"access-sign", signature))
    assert (error.code, error.status) == (-1047, 400)
    assert error.message == "The signature in ACCESS-SIGN does not verify."


def test_refuses_every_flipped_bit_of_the_signed_text() -> None:
    timestamp = str(NOW_MS).encode()
    text = signing.payload(timestamp, b"POST", PATH, QUERY, BODY)
    for bit in range(len(text) * 8):
        flipped = bytearray(text)
        flipped[bit // 8] ^= 1 << bit % 8
        assert refusal(headers(text=bytes(flipped))).code == -1047


def test_refuses_the_signature_of_another_keys_secret() -> None:
    other = KeyCredentials(ALICE.key, BOB.secret, ALICE.passphrase)
    assert refusal(headers(other)).code == -1047


def test_explains_what_should_have_been_signed() -> None:
    error = refusal(headers(text=b"else"), explain=True)
    assert f'payload should be: {NOW_MS}POST/api/v3/order?a=%20b&c=1{{"x": 1}}' in error.message
    assert ALICE.secret not in error.message


@pytest.mark.parametrize("passphrase", [b"wrong", b"Demo", b"demo ", b"\xff", b"demo-bob"])
def test_refuses_a_wrong_passphrase(passphrase: bytes) -> None:
    error = refusal(headers(passphrase=passphrase))
    assert error.code == -1049
    assert "passphrase" in error.message


def test_ten_wrong_passphrases_lock_the_caller_out() -> None:
    keys = store()
    for _ in range(10):
        assert refusal(headers(passphrase=b"wrong"), keys=keys).code == -1049
    assert "wait" in refusal(headers(), keys=keys).message
    assert check(headers(), "9.9.9.9", keys=keys).uid == 7


def test_wrong_passphrases_without_a_right_signature_do_not_count() -> None:
    keys = store()
    for _ in range(20):
        refusal(headers(text=b"else", passphrase=b"wrong"), keys=keys)
    assert check(headers(), keys=keys).uid == 7


def test_a_passphrase_at_rest_is_checked_once(tmp_path: Path) -> None:
    first = KeyStore.open(tmp_path / "keys")
    made = asyncio.run(first.create(7, TRADE, now=NOW))
    keys = KeyStore.open(tmp_path / "keys")
    doorman = Authenticator(keys.ring, Clock())
    signed = doorman.precheck(*as_received(headers(made)), NOW)
    text = signing.payload(signed.timestamp, b"POST", PATH, QUERY, BODY)
    assert doorman.verify(signed, text, "1.2.3.4") is None

    async def at_once() -> list[Caller]:
        return await asyncio.gather(
            *(doorman.verify_slowly(signed, text, "1.2.3.4") for _ in range(50))
        )

    assert [caller.uid for caller in asyncio.run(at_once())] == [7] * 50
    caller = doorman.verify(signed, text, "1.2.3.4")
    assert caller is not None
    assert caller.key == made.key
    assert refusal(headers(made, passphrase=b"wrong"), keys=keys).code == -1049


def test_a_wrong_passphrase_at_rest_is_refused(tmp_path: Path) -> None:
    first = KeyStore.open(tmp_path / "keys")
    made = asyncio.run(first.create(7, TRADE, now=NOW))
    keys = KeyStore.open(tmp_path / "keys")
    assert refusal(headers(made, passphrase=b"wrong"), keys=keys).code == -1049
    assert check(headers(made), keys=keys).uid == 7


def test_permissions_are_independent() -> None:
    caller = check(headers(BOB), "10.0.0.1")
    permit(caller, Access.READ)
    permit(caller, Access.PUBLIC)
    for access in (Access.SPOT_TRADE, Access.CONTRACT_TRADE, Access.OPERATOR):
        with pytest.raises(ApiError, match=access.name) as caught:
            permit(caller, access)
        assert (caught.value.code, caught.value.status) == (-1052, 403)
