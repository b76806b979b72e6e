"""The text that is signed and its signature; for server and client alike (protocol 1.3)."""

import hmac
from binascii import b2a_base64
from typing import Final

WEBSOCKET_PATH: Final = b"/v3/ws/private"


def payload(timestamp: bytes, method: bytes, path: bytes, query: bytes, body: bytes) -> bytes:
    """The signed text: raw bytes as transmitted, `?` only before a non-empty query."""
    if query:
        return b"".join((timestamp, method, path, b"?", query, body))
    return b"".join((timestamp, method, path, body))


def websocket_payload(timestamp: bytes) -> bytes:
    """The signed text of a private WebSocket login; always the same path, wherever it connects."""
    return timestamp + WEBSOCKET_PATH


def sign(secret: bytes, text: bytes) -> bytes:
    """Base64 of HMAC-SHA256: 44 characters."""
    return encode(digest(secret, text))


def digest(secret: bytes, text: bytes) -> bytes:
    """HMAC-SHA256: 32 bytes."""
    return hmac.digest(secret, text, "sha256")


def encode(signature: bytes) -> bytes:
    """A digest as it stands in ACCESS-SIGN: standard Base64 with padding."""
    return b2a_base64(signature, newline=False)
