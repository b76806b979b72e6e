"""Bytes, sizes, routes: refusals before anything is read (rows G1 to G5, G23 to G38)."""

from __future__ import annotations

from support.refusals.cases import Accepted, Case, Raw, but, delete, get

HOST = b"Host: {host}\r\n"
PING = b"GET /api/v3/ping HTTP/1.1\r\n"
POST = b"POST /api/v3/order HTTP/1.1\r\n" + HOST
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
OPEN = "/api/v3/openOrders"
METHOD = ("Request method", "not supported")

CASES = [
    get("G1", "/api/v3/account/bills", -1150, *METHOD),
    get("G1", "/api/v3/tax/income", -1150, *METHOD),
    get("G1", "/api/v3/order/batch", -1150, *METHOD),
    get("G1", "/_venue/deposit", -1150, *METHOD),
    Case("G1", "POST", OPEN, {}, -1150, ("Request method 'POST' not supported",)),
    Case("G1", "POST", "/api/v3/ping", {}, -1150, METHOD, None),
    Case("G1", "PUT", "/api/v3/order", {}, -1150, METHOD),
    Case("G1", "PATCH", "/api/v3/order", {}, -1150, METHOD),
    Case("G1", "HEADLESS", "/api/v3/order", None, -1000, ("Malformed HTTP",)),
    delete("G1", "/api/v3/account/", None, -1150, *METHOD),
    Case("G1", "OPTIONS", "/api/v3/order", None, -1150, METHOD),
    Case(
        "G2", "POST", OPEN, {"symbol": "BTCUSDT"}, -1150, METHOD,
        headers=but(X_HTTP_Method_Override="DELETE"),
    ),
    Case("G25", "POST", "/api/v3/order", b" " * 16_385, -1000, ("16384 bytes",), status=413),
    Case(
        "G25", "GET", OPEN, None, -1000, ("8192 bytes",), status=431,
        headers=but(X_Padding="a" * 8_193),
    ),
    Case(
        "G25", "GET", OPEN, None, -1000, ("40 headers",), status=431,
        headers=but(X_One=["a"] * 41),
    ),
    Case(
        "G25", "GET", f"{OPEN}?symbol={'A' * 4_096}", None, -1000, ("4096 bytes",), status=414
    ),
    Case(
        "G8", "GET", OPEN, None, -1000, ("8192 bytes",), status=431,
        headers=but(ACCESS_PASSPHRASE="p" * 10_240),
    ),
]  # fmt: skip

ACCEPTED = [
    Accepted("G37", "GET", OPEN, headers=but(Expect="100-continue")),
    Accepted("G37", "GET", OPEN, headers=but(Connection="Upgrade", Upgrade="h2c")),
    Accepted("G2", "GET", OPEN, headers=but(X_HTTP_Method_Override="DELETE")),
]

# Paths that are nobody's: HTTP 404.
UNKNOWN_PATHS = [
    ("G3", "/api/v3//openOrders"),
    ("G3", "/api/v3/./openOrders"),
    ("G3", "/api/v3/../v3/openOrders"),
    ("G3", "/api/v3/%6fpenOrders"),
    ("G3", "/API/v3/openOrders"),
    ("G3", "/api/v3/openorders"),
    ("G3", "/api/v3/openOrders/"),
    ("G3", "/api/v3/openOrders;x=1"),
    ("G3", "/api/v3/..%2fadmin"),
    ("G3", "/api/v3/openOrders%00"),
    ("G3", "/api/v3/openOrders%3fsymbol=BTCUSDT"),
    ("G3", "//api/v3/openOrders"),
    ("G3", "//"),
    ("G3", "/_venue"),
    ("G3", "/_venue/../api/v3/ping"),
    ("G3", "/spot/spot/api/v3/ping"),
    ("G3", "/spot/_venue/health"),
    ("G4", "/capi/v3/allOrders"),
    ("G4", "/capi/v3/account"),
    ("G4", "/contract/api/v3/openOrders"),
    ("G4", "/spot/capi/v3/market/exchangeInfo"),
]

UPGRADE = (
    b"\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
RAW = [
    Raw("G5", b"GET http://{host}/api/v3/ping HTTP/1.1\r\n" + HOST + b"\r\n", 400, "path"),
    Raw("G5", b"CONNECT {host} HTTP/1.1\r\n" + HOST + b"\r\n", 400, "path"),
    Raw("G5", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 400, "path"),
    Raw("G5", b"GET /api/v3/ping#x HTTP/1.1\r\n" + HOST + b"\r\n", 400, ""),
    Raw("G23", POST + CHUNKED, 411, "Content-Length"),
    Raw("G23", POST + b"\r\n{}", 411, "Content-Length"),
    Raw("G23", POST + b"Content-Length: 2\r\n" + CHUNKED, 400, ""),
    Raw("G23", POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400, ""),
    Raw("G23", POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, ""),
    Raw("G23", POST + b"Content-Length: -1\r\n\r\n", 400, ""),
    Raw("G23", POST + b"Content-Length: +2\r\n\r\n{}", 400, ""),
    Raw("G23", POST + b"Content-Length: 0x2\r\n\r\n{}", 400, ""),
    Raw("G25", POST + b"Content-Length: 999999999999999999\r\n\r\n", 413, "16384 bytes"),
    Raw("G37", b"GET /api/v3/ping\r\n\r\n", 400, "HTTP version"),
    Raw("G37", PING + b"\r\n", 400, "Host"),
    Raw("G37", PING + HOST + HOST + b"\r\n", 400, "Host"),
    Raw("G37", b"GET /api/v3/ping HTTP/1.1\nHost: {host}\n\n", 400, "Malformed"),
    Raw("G37", PING + HOST + b"X: y\r\n folded\r\n\r\n", 400, "Malformed"),
    Raw("G37", PING + HOST + b"X : y\r\n\r\n", 400, "Malformed"),
    Raw("G37", PING + HOST + b"X: \x00\r\n\r\n", 400, "Malformed"),
    Raw("G37", b"GET /\xc3\xa9 HTTP/1.1\r\n" + HOST + b"\r\n", 400, "Malformed"),
    Raw("G37", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, ""),
    Raw("G37", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "Malformed"),
    Raw("G37", b"nonsense\r\n\r\n", 400, "Malformed"),
    *[
        Raw("G41", b"GET /v3/ws/public HTTP/1." + minor + UPGRADE + more + b"\r\n", 400, words)
        for minor, more, words in (
            (b"1", b"Content-Length: 2\r\n", "carries no body"),
            (b"0", b"", "version 1.1"),
            (b"0", b"Content-Length: 2\r\n", "version 1.1"),
        )
    ],
    Raw("G38", PING + b"Ho", 0, ""),
]
