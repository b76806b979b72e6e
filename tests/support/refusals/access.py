"""The caller, and the encoding of requests (rows G6 to G22, G24 to G33)."""

from __future__ import annotations

import time
from typing import Any

from support.refusals.cases import (
    Accepted,
    Account,
    Case,
    Headers,
    Sender,
    at,
    but,
    delete,
    get,
    post,
    signed,
    signed_for,
    stamped,
)

OPEN = "/api/v3/openOrders"
ORDER = "/api/v3/order"
BATCH = "/api/v3/order/batch"
BILLS = "/api/v3/account/bills"
BOOK = "/api/v3/market/depth"
GOOD = b'{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000"}'


def header(row: str, code: int, *words: str, **changes: str | bytes | list[str] | None) -> Case:
    """A read with changed headers."""
    return Case(row, "GET", OPEN, None, code, words, headers=but(**changes))


def timed(row: str, code: int, sender: Sender, *words: str) -> Case:
    return Case(row, "GET", OPEN, None, code, words, headers=sender)


def resigned(row: str, change: str) -> Case:
    """A signature written in another way."""

    def send(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
        while True:  # until the change makes a difference
            sent = signed(account, method, target, raw)
            right = str(sent["ACCESS-SIGN"])
            wrong = _rewritten(right, change)
            if wrong != right:
                return sent | {"ACCESS-SIGN": wrong}
            time.sleep(0)

    return Case(row, "GET", OPEN, None, -1047, ("does not verify",), headers=send)


def _rewritten(right: str, change: str) -> str | bytes:
    if change == "hex":
        return right.encode().hex()
    if change == "url-safe":
        return right.replace("+", "-").replace("/", "_")
    if change == "unpadded":
        return right.rstrip("=")
    if change == "short":
        return right[1:]
    if change == "long":
        return right + "="
    if change == "upper":
        return right.upper()
    return "é".encode() + right.encode()[1:]


def stolen(row: str, method: str, target: str, raw: bytes) -> Case:
    """A good order under the signature of another request."""
    return Case(
        row, "POST", ORDER, GOOD, -1047, ("does not verify",),
        headers=signed_for(method, target, raw),
    )  # fmt: skip


def foreign(row: str, victim: str) -> Sender:
    """Another key's name over one's own signature."""
    del row

    def send(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
        return signed(account, method, target, raw) | {"ACCESS-KEY": victim}

    return send


def sent_as(row: str, content_type: str | list[str] | None, target: str = ORDER) -> Case:
    method = "DELETE" if target == BATCH else "POST"
    words = ("Content-Type", "application/json")
    return Case(row, method, target, GOOD, -1045, words, headers=but(Content_Type=content_type))


def bad_json(row: str, raw: bytes, *words: str, target: str = ORDER) -> Case:
    said = ("not valid JSON", *words)
    headers = but(Content_Type="application/json")
    return Case(row, "POST", target, raw, -1135, said, headers=headers)


def spliced(row: str, text: bytes, *words: str) -> Case:
    """A good order with this text as its quantity."""
    return bad_json(row, GOOD.replace(b'"0.01"', text), *words)


def query(row: str, text: str, code: int, *words: str) -> Case:
    return get(row, f"{BOOK}?{text}", code, *words, who=None)


_STAMPS = (
    "abc", "1.7e12", "+1790000000000", "1_790_000_000_000", "0x1a0c3f5e800", "1790000000",
    "1790000000000000", "2026-09-01T00:00:00Z", "-179000000000", "1" * 400, "17900 0000000",
    "1790000000000.0", "0", "13",
)  # fmt: skip
_ARABIC = "١٧٩٠٠٠٠٠٠٠٠٠٠".encode()

CASES = [
    header("G6", -1040, "ACCESS-KEY", ACCESS_KEY=None),
    header("G6", -1040, "ACCESS-KEY", ACCESS_KEY=""),
    header("G6", -1047, "ACCESS-KEY", "more than once", ACCESS_KEY=["demo-alice"] * 2),
    header("G7", -1041, "ACCESS-SIGN", ACCESS_SIGN=None),
    header("G7", -1041, "ACCESS-SIGN", ACCESS_SIGN=""),
    header("G7", -1047, "ACCESS-SIGN", "more than once", ACCESS_SIGN=["a", "b"]),
    header("G8", -1049, "ACCESS-PASSPHRASE", ACCESS_PASSPHRASE=None),
    header("G8", -1049, "ACCESS-PASSPHRASE", ACCESS_PASSPHRASE=""),
    header("G8", -1047, "ACCESS-PASSPHRASE", "more than once", ACCESS_PASSPHRASE=["demo"] * 2),
    header("G9", -1042, "ACCESS-TIMESTAMP", ACCESS_TIMESTAMP=None),
    header("G9", -1042, "ACCESS-TIMESTAMP", ACCESS_TIMESTAMP=""),
    header("G9", -1043, "ACCESS-TIMESTAMP", "once", ACCESS_TIMESTAMP=["1790000000000", "1"]),
    *[timed("G10", -1043, stamped(text), "ACCESS-TIMESTAMP", "13 digits") for text in _STAMPS],
    header("G10", -1043, "ACCESS-TIMESTAMP", "13 digits", ACCESS_TIMESTAMP=_ARABIC),
    timed("G11", -1046, at(-31_000), "ACCESS-TIMESTAMP", "behind", "30000 ms"),
    timed("G11", -1046, at(31_000), "ACCESS-TIMESTAMP", "ahead", "30000 ms"),
    timed("G11", -1046, stamped("0000000000000"), "ACCESS-TIMESTAMP", "behind"),
    timed("G11", -1046, stamped("9999999999999"), "ACCESS-TIMESTAMP", "ahead"),
    get("G12", OPEN, -1044, "ACCESS-KEY", "no valid API key", who="stranger"),
    get("G12", OPEN, -1044, "ACCESS-KEY", "no valid API key", who="revoked"),
    header("G12", -1044, "no valid API key", ACCESS_KEY="é".encode()),
    header("G12", -1044, "no valid API key", ACCESS_KEY="DEMO-ALICE"),
    *[
        resigned("G14", change)
        for change in ("hex", "url-safe", "unpadded", "short", "long", "upper", "non-ASCII")
    ],
    stolen("G15", "DELETE", ORDER, GOOD),
    stolen("G15", "POST", "/api/v3/order/batch", GOOD),
    stolen("G15", "POST", ORDER, GOOD.replace(b",", b", ")),
    stolen("G15", "POST", f"{ORDER}?x=1", GOOD),
    Case(
        "G15", "GET", f"{OPEN}?a=1&b=2", None, -1047, ("signed payload should be", "a=1&b=2"),
        headers=signed_for("GET", f"{OPEN}?b=2&a=1", b""),
    ),
    Case("G15", "POST", ORDER, GOOD, -1047, ("verify",), headers=foreign("G15", "demo-bob")),
    stolen("G16", "POST", ORDER, GOOD.replace(b"0.01", b"0.02")),
    Case(
        "G16", "GET", f"{OPEN}?symbol=BTCUSDT", None, -1047, ("does not verify",),
        headers=signed_for("GET", f"{OPEN}?symbol=BTCUSDS", b""),
    ),
    Case("G17", "GET", OPEN, b'{"symbol":"BTCUSDT"}', -1142, ("'body'", "query")),
    Case("G17", "GET", f"{OPEN}?symbol=BTCUSDT", b"x", -1142, ("'body'", "query")),
    delete("G17", f"{ORDER}?orderId=1", {"orderId": 1}, -1142, "'body'", "query"),
    post("G17", f"{BILLS}?limit=5", {}, -1142, "'query'", "body"),
    post("G17", f"{ORDER}?symbol=BTCUSDT", {}, -1142, "'query'", "body"),
    delete("G17", f"{BATCH}?orderIds=1", {"orderIds": [1]}, -1142, "'query'", "body"),
    Case(
        "G17", "POST", f"{ORDER}?x=1", GOOD, -1142, ("'query'",),
        headers=signed_for("POST", ORDER, b"?x=1" + GOOD),
    ),
    Case("G19", "POST", ORDER, GOOD, -1052, ("SPOT_TRADE",), "dave", 403),
    Case("G19", "POST", BATCH, {}, -1052, ("SPOT_TRADE",), "reader", 403),
    Case("G19", "POST", "/api/v3/cancelAllAfter", {}, -1052, ("SPOT_TRADE",), "dave", 403),
    Case("G19", "DELETE", f"{ORDER}?orderId=1", None, -1052, ("SPOT_TRADE",), "dave", 403),
    Case("G19", "DELETE", f"{OPEN}?symbol=BTCUSDT", None, -1052, ("SPOT_TRADE",), "dave", 403),
    *[
        Case("G19", "GET", target, None, -1052, ("READ",), "trader", 403)
        for target in (OPEN, f"{ORDER}?orderId=1", "/api/v3/account/", "/api/v3/myTrades")
    ],
    *[
        Case("G19", "POST", target, {}, -1052, ("READ",), "trader", 403)
        for target in (BILLS, "/api/v3/account/fundingBills", "/api/v3/tax/income")
    ],
    get("G20", OPEN, -1056, "127.0.0.1", "list", who="away"),
    Case(
        "G20", "GET", OPEN, None, -1056, ("127.0.0.1",), "away",
        headers=but(X_Forwarded_For="10.0.0.1", X_Real_IP="10.0.0.1", Forwarded="for=10.0.0.1"),
    ),
    *[
        sent_as("G22", kind)
        for kind in (
            None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
            "application/json; charset=utf-16", "application/jsonx", ["application/json"] * 2,
        )
    ],
    sent_as("G22", "text/plain", BATCH),
    sent_as("G22", None, BILLS),
    Case(
        "G24", "POST", ORDER, b"\x1f\x8b\x08\x00" + GOOD, -1135, ("not UTF-8",),
        headers=but(Content_Encoding="gzip", Content_Type="application/json"),
    ),
    *[
        bad_json("G26", raw, target=target)
        for raw in (b"", b" ", b"null", b"[]", b'"x"', b"1", b"true", b"[{}]")
        for target in (ORDER, BILLS)
    ],
    bad_json("G27", GOOD.replace(b"BTC", b"\xff\xfe"), "not UTF-8"),
    bad_json("G27", b"\xef\xbb\xbf" + GOOD),
    bad_json("G27", GOOD.decode().encode("utf-16")),
    bad_json("G27", GOOD.replace(b"BTC", b"\xc0\xaf"), "not UTF-8"),
    bad_json("G27", GOOD.replace(b"BTC", b"\\ud800"), "not UTF-8"),
    bad_json("G27", GOOD.replace(b"BTC", b"\\udc00\\ud800"), "not UTF-8"),
    bad_json("G27", GOOD.replace(b"BTC", b"\x00"), "Invalid control character"),
    bad_json("G27", GOOD.replace(b"BTC", b"\\u0000"), "NUL"),
    bad_json("G28", b'{"symbol":"A","symbol":"B"}', "duplicate key"),
    bad_json("G28", b'{"symbol":"A","\\u0073ymbol":"B"}', "duplicate key"),
    bad_json("G28", GOOD[:-1] + b',"x":{"y":1,"y":2}}', "duplicate key"),
    bad_json("G29", b"[" * 8_000, "too deeply"),
    bad_json("G29", b'{"a":' * 250 + b"1" + b"}" * 250, "too deeply"),
    bad_json("G29", GOOD[:-1] + b',"x":' + b"[" * 300 + b"]" * 300 + b"}", "too deeply"),
    *[
        spliced("G30", text)
        for text in (
            b"NaN", b"Infinity", b"-Infinity", b"1e400", b"1E5", b"-0", b"9" * 5_000, b"01", b"1.",
            b".5", b"0x10", b"1 // one", b"1,,", b"'1'", b"+1", b"1_000", b"undefined",
            b"0." + b"1" * 40,
        )
    ],
    bad_json("G30", GOOD + GOOD),
    bad_json("G30", GOOD + b"x"),
    bad_json("G30", GOOD[:-1]),
    post("G32", ORDER, {"symbol": 1}, -1142, "'symbol'"),
    post("G32", ORDER, {"symbol": ["BTCUSDT"]}, -1142, "'symbol'"),
    post("G32", ORDER, {"symbol": {"a": 1}}, -1142, "'symbol'"),
    post("G32", ORDER, {"symbol": True}, -1142, "'symbol'"),
    post("G32", ORDER, {"symbol": None}, -1141, "'symbol' cannot be empty"),
    post("G32", BILLS, {"limit": True}, -1142, "'limit'", "whole number"),
    post("G32", BILLS, {"limit": [1]}, -1142, "'limit'", "whole number"),
    post("G32", BILLS, {"bizType": 1}, -1142, "'bizType'", "must be one of"),
    query("G33", "symbol=BTCUSDT&symbol=BTCUSDT", -1142, "'symbol'", "more than once"),
    query("G33", "symbol=BTCUSDT&limit=15&%6cimit=15", -1142, "'limit'", "more than once"),
    query("G33", "=1&symbol=BTCUSDT", -1142, "name"),
    query("G33", "symbol=BTCUSDT;limit=15", -1142, "'symbol'"),
    query("G33", "symbol=%zz", -1142, "percent-encoding"),
    query("G33", "symbol=%", -1142, "percent-encoding"),
    query("G33", "symbol=%00BTCUSDT", -1142, "NUL"),
    query("G33", "symbol=%ff%fe", -1142, "UTF-8"),
    query("G33", "symbol=%2542TCUSDT", -1142, "'symbol'", "no such"),
    query("G33", "&".join(f"a{n}=1" for n in range(21)), -1140, "at most 20"),
    query("G33", f"{'a' * 200}=1&{'a' * 200}=2", -1142, "aaa...' is invalid", "more than once"),
]  # fmt: skip

# Several faults at once: the first in the order of the steps is named.
CASES += [
    header("G40", -1040, "ACCESS-KEY", ACCESS_KEY="", ACCESS_SIGN="", ACCESS_TIMESTAMP="x"),
    header("G40", -1041, "ACCESS-SIGN", ACCESS_SIGN=None, ACCESS_TIMESTAMP=None),
    header("G40", -1042, "TIMESTAMP", ACCESS_TIMESTAMP=None, ACCESS_PASSPHRASE=None),
    header("G40", -1043, "TIMESTAMP", ACCESS_TIMESTAMP="x", ACCESS_PASSPHRASE=None),
    header("G40", -1046, "TIMESTAMP", ACCESS_TIMESTAMP="1" * 13, ACCESS_PASSPHRASE=None),
    header("G40", -1049, "PASSPHRASE", ACCESS_PASSPHRASE=None, ACCESS_KEY="none"),
    header("G40", -1044, "API key", ACCESS_KEY="none", ACCESS_SIGN="x"),
    Case("G40", "GET", OPEN, None, -1056, ("list",), "away", headers=but(ACCESS_SIGN="x")),
    header("G40", -1047, "verify", ACCESS_SIGN="x", ACCESS_PASSPHRASE="x"),
    Case("G40", "POST", ORDER, b"{", -1047, ("verify",), "dave", headers=but(ACCESS_SIGN="x")),
    Case("G40", "POST", f"{ORDER}?x=1", b"{", -1052, ("SPOT_TRADE",), "dave", 403),
    Case("G40", "POST", f"{ORDER}?x=1", b"{", -1142, ("'query'",), headers=but(Content_Type=None)),
    Case("G40", "POST", ORDER, b"{", -1045, ("Content-Type",), headers=but(Content_Type=None)),
    post("G40", ORDER, {"symbol": "NOPE", "side": "x"}, -1117, "'side'"),
    post("G40", ORDER, {"symbol": "", "side": "x", "type": "x"}, -1141, "'symbol'"),
]

_UNKNOWN: dict[str, Any] = {"limit": 1, "uid": 1, "__proto__": {}, "isAdmin": True, "Limit": 2}

ACCEPTED = [
    Accepted("G11", "GET", OPEN, headers=at(-25_000)),
    Accepted("G11", "GET", OPEN, headers=at(25_000)),
    Accepted("G17", "GET", OPEN, {}),
    Accepted("G17", "GET", OPEN, b" {} "),
    Accepted(
        "G22", "POST", BILLS, {},
        headers=but(Content_Type='application/json; charset="UTF-8"'),
    ),
    Accepted("G31", "POST", BILLS, _UNKNOWN, ignored="uid,__proto__,isAdmin,Limit"),
    Accepted("G31", "GET", f"{OPEN}?symbols=A&limit=0&page=-1", ignored="symbols,limit,page"),
    Accepted("G31", "GET", f"{OPEN}?a%0d%0ab=1&%C3%A9=2&c[]=3", ignored="a??b,?,c[]"),
    Accepted("G32", "POST", BILLS, {"coinId": None, "bizType": "", "limit": "10", "after": ""}),
    Accepted("N1", "GET", f"{BOOK}?symbol=BTCUSDT&limit=", who=None),
]  # fmt: skip
