"""The text that is signed and its signature; for server and client alike (protocol 1.3)."""

from binascii import b2a_base64
from hashlib import sha256
from typing import Final

WEBSOCKET_PATH: Final = b"/v3/ws/private"
BLOCK: Final = 64  # bytes that SHA-256 hashes at once
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


def payload(timestamp: bytes, method: bytes, path: bytes, query: bytes, body: bytes) -> bytes:
    """Return the signed text: raw bytes as transmitted, `?` only before a non-empty query."""
    if query:
        return b"".join((timestamp, method, path, b"?", query, body))
    return b"".join((timestamp, method, path, body))


def websocket_payload(timestamp: bytes) -> bytes:
    """Return the signed text of a private WebSocket login; always the same path, wherever it
    connects."""
    return timestamp + WEBSOCKET_PATH


class Mac:
    """HMAC-SHA256 (RFC 2104) under one key, whose two first blocks are hashed once."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = (sha256(key).digest() if len(key) > BLOCK else key).ljust(BLOCK, b"\0")
        self._inner = sha256(block.translate(_INNER)).copy
        self._outer = sha256(block.translate(_OUTER)).copy

    def digest(self, text: bytes) -> bytes:
        """Return the code of a text: 32 bytes."""
        inner = self._inner()
        inner.update(text)
        outer = self._outer()
        outer.update(inner.digest())
        return outer.digest()


def sign(secret: bytes, text: bytes) -> bytes:
    """Base64 of HMAC-SHA256: 44 characters."""
    return encode(Mac(secret).digest(text))


def encode(signature: bytes) -> bytes:
    """Return a digest as it stands in ACCESS-SIGN: standard Base64 with padding."""
    return b2a_base64(signature, newline=False)
