"""Why a signature does not verify: its form, the text that was signed, or the secret."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Final

from venue.api import signing
from venue.api.signing import Mac

TIMESTAMP: Final = 13  # digits
TEXT_MAX: Final = 4096  # bytes: longer texts are not hashed again in other forms
HEX: Final = 64
HEX_DIGITS: Final = frozenset(b"0123456789abcdefABCDEF")

_HEX: Final = "It is hexadecimal: the digest's 32 bytes are wanted in Base64."
_LENGTH: Final = "It is not the Base64 of 32 bytes, which has 44 characters."


def cause(mac: Mac, digest: bytes, signature: bytes, text: bytes) -> str:
    """Return a sentence; `digest` is the right one of `text`. Compares in constant time only."""
    if len(signature) == HEX and HEX_DIGITS.issuperset(signature):
        right = hmac.compare_digest(digest.hex().encode(), signature.lower())
        return f"{_HEX} Secret and text are right." if right else _HEX
    if hmac.compare_digest(urlsafe_b64encode(digest).rstrip(b"="), signature.rstrip(b"=")):
        return "Secret and text are right: standard Base64 with padding is wanted."
    if len(signature) != len(signing.encode(digest)):
        return _LENGTH
    if len(text) > TEXT_MAX:
        return "The secret is not this key's, or another text was signed."
    for slip, other in slips(text):
        if hmac.compare_digest(signing.encode(mac.digest(other)), signature):
            return f"The secret is right, the signed text is wrong: {slip}."
    return (
        "The secret is not this key's, or another text was signed; it is none of the usual slips"
        " with the right secret."
    )


def slips(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Texts that clients sign by mistake in place of a text (protocol 1.3), each named."""
    stamp, rest = text[:TIMESTAMP], text[TIMESTAMP:]
    method, slash, tail = rest.partition(b"/")
    target, brace, inner = tail.partition(b"{")
    path, mark, query = target.partition(b"?")
    target, path, body = slash + target, slash + path, brace + inner
    if method:
        yield "the method is in lower case", stamp + method.lower() + target + body
        yield "the method is missing", stamp + target + body
        yield "the method comes before the timestamp", method + stamp + target + body
    yield "the timestamp is missing", rest
    yield "the timestamp is in seconds", stamp[: TIMESTAMP - 3] + rest
    if body:
        yield "the body is missing", stamp + method + target
        spaced = body.replace(b":", b": ").replace(b",", b", ")
        yield "the body has other spaces than the one sent", stamp + method + target + spaced
        dense = body.replace(b": ", b":").replace(b", ", b",")
        yield "the body has other spaces than the one sent", stamp + method + target + dense
    else:
        yield "there is an empty body {}", text + b"{}"
    if mark:
        yield "the query is missing", stamp + method + path + body
        yield "the ? before the query is missing", stamp + method + path + query + body
        swapped = b"&".join(sorted(query.split(b"&")))
        yield "the query is in another order", stamp + method + path + b"?" + swapped + body
    else:
        yield "there is a ? without a query", stamp + method + path + b"?" + body
