"""Refusals that say what to change: the answers' bytes, from a venue as a user starts it."""

from __future__ import annotations

import hmac
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from http.client import HTTPConnection

import pytest

from support.server import Server
from support.stamps import stamp_ms
from support.waits import WAIT_S

SECRET = "demo-alice-secret"
OPEN = "/api/v3/openOrders"
ORDER = "/api/v3/order"
BODY = '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT"}'
SIGNED = '"The signature in ACCESS-SIGN does not verify. '
RIGHT = "The secret is right, the signed text is wrong: "
PAYLOAD = " signed payload should be: "


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", "--no-history", folder=tmp_path_factory.mktemp("told")) as server:
        yield server


def mac(text: str, secret: str = SECRET) -> bytes:
    return hmac.new(secret.encode(), text.encode(), sha256).digest()


def sent(
    server: Server, method: str, path: str, body: str, stamp: str, signature: str
) -> tuple[int, str]:
    """Status and bytes of the answer to a request with any signature."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    headers = {
        "ACCESS-KEY": "demo-alice",
        "ACCESS-SIGN": signature,
        "ACCESS-TIMESTAMP": stamp,
        "ACCESS-PASSPHRASE": "demo",
        "Content-Type": "application/json",
    }
    connection.request(method, path, body or None, headers)
    with connection.getresponse() as answer:
        told = answer.status, answer.read().decode()
    connection.close()
    return told


def now() -> str:
    return str(stamp_ms())


def forms(digest: bytes) -> list[tuple[str, str]]:
    """Right digests in wrong forms, with the words about each."""
    wanted = "It is hexadecimal: the digest's 32 bytes are wanted in Base64. "
    standard = "Secret and text are right: standard Base64 with padding is wanted."
    found = [
        (digest.hex(), f"{wanted}Secret and text are right."),
        (digest.hex().upper(), f"{wanted}Secret and text are right."),
        (bytes(32).hex(), wanted.strip()),
        (b64encode(digest).decode()[:40], "It is not the Base64 of 32 bytes, which has 44"),
    ]
    url_safe = urlsafe_b64encode(digest).decode()
    if url_safe != b64encode(digest).decode():
        found.append((url_safe, standard))
    return [*found, (url_safe.rstrip("="), standard)]


def test_a_signature_in_another_form(server: Server) -> None:
    stamp = now()
    for signature, words in forms(mac(f"{stamp}GET{OPEN}")):
        status, told = sent(server, "GET", OPEN, "", stamp, signature)
        assert status == 400
        assert told.startswith(f'{{"code":-1047,"msg":{SIGNED}{words}')
        assert told.endswith(f'{PAYLOAD}{stamp}GET{OPEN}"}}')


POSTED = [
    ("{t}post" + ORDER + BODY, "the method is in lower case"),
    ("{t}" + ORDER + BODY, "the method is missing"),
    ("POST{t}" + ORDER + BODY, "the method comes before the timestamp"),
    ("POST" + ORDER + BODY, "the timestamp is missing"),
    ("{s}POST" + ORDER + BODY, "the timestamp is in seconds"),
    ("{t}POST" + ORDER, "the body is missing"),
    (
        "{t}POST" + ORDER + BODY.replace(":", ": ").replace(",", ", "),
        "the body has other spaces than the one sent",
    ),
]


@pytest.mark.parametrize(("text", "slip"), POSTED)
def test_the_right_secret_over_a_wrong_text(server: Server, text: str, slip: str) -> None:
    stamp = now()
    signed = text.replace("{t}", stamp).replace("{s}", stamp[:-3])
    status, told = sent(server, "POST", ORDER, BODY, stamp, b64encode(mac(signed)).decode())
    assert status == 400
    assert told.startswith(f'{{"code":-1047,"msg":{SIGNED}{RIGHT}{slip}.{PAYLOAD}')


QUERIED = [
    ("{t}GET" + OPEN, "the query is missing"),
    ("{t}GET" + OPEN + "b=2&a=1", "the ? before the query is missing"),
    ("{t}GET" + OPEN + "?a=1&b=2", "the query is in another order"),
    ("{t}GET" + OPEN + "?b=2&a=1{}", "there is an empty body {}"),
]


@pytest.mark.parametrize(("text", "slip"), QUERIED)
def test_the_right_secret_over_a_wrong_query(server: Server, text: str, slip: str) -> None:
    stamp = now()
    signed = b64encode(mac(text.replace("{t}", stamp))).decode()
    status, told = sent(server, "GET", f"{OPEN}?b=2&a=1", "", stamp, signed)
    assert status == 400
    assert told.startswith(f'{{"code":-1047,"msg":{SIGNED}{RIGHT}{slip}.{PAYLOAD}')


def test_a_wrong_secret_is_told_apart_and_the_right_signature_is_never_said(
    server: Server,
) -> None:
    stamp = now()
    text = f"{stamp}GET{OPEN}"
    wrong = b64encode(mac(text, "demo-bob-secret")).decode()
    status, told = sent(server, "GET", OPEN, "", stamp, wrong)
    assert status == 400
    assert told == (
        f'{{"code":-1047,"msg":{SIGNED}The secret is not this key\'s, or another text was signed;'
        f' it is none of the usual slips with the right secret.{PAYLOAD}{text}"}}'
    )
    right = mac(text)
    assert b64encode(right).decode() not in told
    assert right.hex() not in told
    stranger = sent(server, "GET", OPEN, "", stamp, b64encode(right).decode())
    assert stranger == (200, "[]")


SPOT = "no such spot symbol; listed: BTCUSDT, ETHUSDT, SOLUSDT."
CONTRACT = (
    "no such symbol; listed: BTCUSDT, ETHUSDT, SOLUSDT, BTCSUSDT, ETHSUSDT, SOLSUSDT, WXBUSDT,"
    " ACMEUSDT."
)


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/api/v3/myTrades?symbol=BTC", -2007, SPOT),
        ("/api/v3/myTrades?symbol=btc-usdt", -2007, SPOT),
        ("/api/v3/myTrades?symbol=BTCUSD", -2007, SPOT),
        ("/api/v3/myTrades?symbol=QQQQQQ", -2007, SPOT),
        ("/capi/v3/userTrades?symbol=ETHUSD", -1121, CONTRACT),
        ("/capi/v3/userTrades?symbol=QQQQQQ", -1121, CONTRACT),
    ],
)
def test_an_unknown_symbol(server: Server, path: str, code: int, words: str) -> None:
    stamp = now()
    signature = b64encode(mac(f"{stamp}GET{path}")).decode()
    told = sent(server, "GET", path, "", stamp, signature)
    assert told == (400, f'{{"code":{code},"msg":"Parameter \'symbol\' is invalid: {words}"}}')


@pytest.mark.parametrize(
    ("path", "setting", "body"),
    [
        ("/api/v3/order/batch", "batchPlace", '{"symbol":"BTCUSDT","orderList":[{}]}'),
        ("/capi/v3/batchOrders", "contractBatchPlace", '{"batchOrders":[{}]}'),
    ],
)
def test_a_closed_operation_names_its_setting(
    server: Server, path: str, setting: str, body: str
) -> None:
    stamp = now()
    signature = b64encode(mac(f"{stamp}POST{path}{body}")).decode()
    told = sent(server, "POST", path, body, stamp, signature)
    words = f"the setting {setting} is false; --batch-place opens it"
    assert told == (
        400,
        f"""{{"code":-1150,"msg":"Request method 'POST' not supported; {words}"}}""",
    )
