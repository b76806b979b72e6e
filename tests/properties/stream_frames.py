"""The messages of one stream client, made from a seed: whole, in fragments, or damaged."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from random import Random
from typing import Final

from msgspec import Struct
from websockets.utils import apply_mask

from support.listening import login
from support.listening_room import KEYS

PUBLIC: Final = ("/spot/v3/ws/public", "/contract/v3/ws/public", "/v3/ws/public")
PRIVATE: Final = ("/spot/v3/ws/private", "/contract/v3/ws/private")
TAIL: Final = b"\x00\x00\xff\xff"
MESSAGE_MAX: Final = 16 * 1024
FIN, COMPRESSED, MASKED = 0x80, 0x40, 0x80
CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
OFFERS: Final = (
    "",
    "",
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate\r\n",
    "Sec-WebSocket-Extensions: x-unknown, permessage-deflate; client_max_window_bits=9\r\n",
)
CHANNELS: Final = (
    "BTCUSDT@trade", "BTCUSDT@depth15", "BTCUSDT@ticker", "BTCUSDT@kline_1m_LAST_PRICE",
    "BTCUSDT@depth200_checksum",
)  # fmt: skip
OWN: Final = ("orders", "fill", "account")

BOMB: Final = zlib.compress(bytes(1_000_000), 9, -9)[:-1]  # a kilobyte

Ack = tuple[bool, int | str | None]  # result, id


class Item(Struct, frozen=True):
    """A piece of a client's bytes, cut at a boundary, and the answers that it must get."""

    data: bytes
    ack: Ack | None = None
    pongs: tuple[bytes, ...] = ()


class Sent(Struct, frozen=True):
    """All that one client sends. `whole` items come before the damage; `good` there is none."""

    head: bytes
    items: list[Item]
    data: bytes
    whole: int
    good: bool
    deflated: bool


class Writer:
    """Makes what clients send."""

    def __init__(self, random: Random, now_ms: Callable[[], int]) -> None:
        self._random = random
        self._now_ms = now_ms
        self._login = 0

    def client(self) -> Sent:
        """One client's upgrade and the bytes after it, perhaps damaged somewhere."""
        random = self._random
        private = random.random() < 0.03
        offer = random.choice(OFFERS)
        deflated = "permessage-deflate" in offer
        head = self.head(private, offer)
        items = [self._item(n, private, deflated) for n in range(random.randint(0, 25))]
        data = b"".join(item.data for item in items)
        if random.random() < 0.5:
            return Sent(head, items, data, len(items), True, deflated)
        if random.random() < 0.5 and items:
            at = random.randrange(len(data))
            whole = _before(items, at)
            data = self._changed(data, at)
        else:
            whole = random.randint(0, len(items))
            end = len(b"".join(item.data for item in items[:whole]))
            data = data[:end] + self._broken() + data[end:]
        return Sent(head, items, data, whole, False, deflated)

    def stranger(self) -> bytes:
        """A damaged upgrade, and random bytes after it."""
        random = self._random
        head = self.head(False, random.choice(OFFERS))
        for _ in range(random.randint(1, 3)):
            head = self._changed(head, random.randrange(len(head)))
        return head + random.randbytes(random.choice((0, 10, 300, 9_000)))

    def head(self, private: bool, offer: str) -> bytes:
        """An upgrade as it should be."""
        path, lines = self._random.choice(PUBLIC), ""
        if private:
            path = self._random.choice(PRIVATE)
            self._login = max(self._login + 1, self._now_ms())
            headers = login(KEYS["alice"], str(self._login))
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return (
            f"GET {path} HTTP/1.1\r\nHost: venue\r\nConnection: keep-alive, Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{offer}{lines}\r\n"
        ).encode()

    # -- what can be understood -------------------------------------------------------------------

    def _item(self, number: int, private: bool, deflated: bool) -> Item:
        random = self._random
        if random.random() < 0.15:
            opcode, payload = random.choice((PING, PONG)), random.randbytes(random.randint(0, 125))
            return Item(self.frame(FIN | opcode, payload), None, (payload,) * (opcode == PING))
        text, ack = self._message(number, private)
        first = TEXT
        if deflated and random.random() < 0.5:
            packer = zlib.compressobj(wbits=-9)
            packed = packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
            text, first = packed.removesuffix(TAIL), TEXT | COMPRESSED
        return self._fragments(text, first, ack)

    def _fragments(self, text: bytes, first: int, ack: Ack | None) -> Item:
        """A message in one frame or several, with control frames between them."""
        random = self._random
        count = random.choice((1, 1, 1, 2, 5))
        cuts = sorted(random.randint(0, len(text)) for _ in range(count - 1))
        parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        data, pongs = b"", []
        for place, part in enumerate(parts):
            opcode = first if place == 0 else CONTINUED
            data += self.frame(opcode | (FIN if place == count - 1 else 0), part)
            if place < count - 1 and random.random() < 0.3:
                pongs.append(random.randbytes(3))
                data += self.frame(FIN | PING, pongs[-1])
        return Item(data, ack, tuple(pongs))

    def _message(self, number: int, private: bool) -> tuple[bytes, Ack | None]:
        random = self._random
        identity = random.choice((number, f"n{number}"))
        known = OWN if private else CHANNELS
        names = random.sample(known, random.randint(1, len(known)))
        kind = random.randrange(9)
        if kind < 5:
            method = ("PING", "SUBSCRIBE", "UNSUBSCRIBE", "PONG", "NOPE")[kind]
            body = {"method": method, "params": names, "id": identity}
            ack = (kind != 4, identity)
            return json.dumps(body).encode(), None if private and kind == 3 else ack
        if kind == 5:
            body = {"method": "SUBSCRIBE", "params": [*names, "BTCUSDT@nothing"], "id": identity}
            return json.dumps(body).encode(), (False, identity)
        if kind == 6:
            return b'{"method":"PING","id":[1]}', (False, None)
        if kind == 7:
            return b"[" * random.choice((1, 100, 16_000)), (False, None)
        text = "".join(chr(random.choice((33, 233, 8_364, 128_512))) for _ in range(40))
        return f"?{text}".encode(), (False, None)

    def frame(self, first: int, payload: bytes, *, mask: bool = True) -> bytes:
        """One frame with this first byte, masked with a random key."""
        size, key = len(payload), self._random.randbytes(4)
        masked = MASKED if mask else 0
        if size < 126:
            head = bytes((first, masked | size))
        elif size < 1 << 16:
            head = bytes((first, masked | 126)) + size.to_bytes(2, "big")
        else:
            head = bytes((first, masked | 127)) + size.to_bytes(8, "big")
        return head + key + apply_mask(payload, key) if mask else head + payload

    # -- what cannot ------------------------------------------------------------------------------

    def _changed(self, data: bytes, at: int) -> bytes:
        random = self._random
        piece = random.choice((b"", random.randbytes(random.randint(1, 8)), b"\r\n", b"\x00"))
        return data[:at] + piece + data[at + random.choice((0, 1, 20)) :]

    def _broken(self) -> bytes:
        """Frames that no client may send."""
        random, frame = self._random, self.frame
        huge = random.choice((1 << 63, (1 << 63) - 1, (1 << 64) - 1, MESSAGE_MAX + 1, 1 << 32))
        return random.choice(
            (
                frame(FIN | TEXT, b'{"method":"PING"}', mask=False),
                bytes((FIN | TEXT, MASKED | 127)) + huge.to_bytes(8, "big") + random.randbytes(50),
                frame(FIN | TEXT | random.choice((0x10, 0x20, 0x30)), b"x"),
                frame(FIN | TEXT | COMPRESSED, random.randbytes(30)),
                frame(FIN | TEXT | COMPRESSED, BOMB),
                frame(FIN | random.choice((3, 7, 11, 15)), b""),
                frame(FIN | BINARY, random.randbytes(9)),
                frame(FIN | TEXT, b'"\xff\xfe"'),
                frame(FIN | TEXT, b'"\xe2\x82'),
                frame(TEXT, b"\xc3") + frame(FIN | CONTINUED, b"("),
                frame(FIN | CONTINUED, b"behind nothing"),
                frame(TEXT, b"a") + frame(FIN | TEXT, b"b"),
                frame(PING, b"in part"),
                frame(FIN | PING, bytes(126)),
                frame(FIN | CLOSE, b"\x03"),
                frame(FIN | CLOSE, random.choice((b"", b"\x03\xe8", b"\x03\xed", b"\x00\x00"))),
                frame(FIN | CLOSE, b"\x03\xe8\xff\xfe"),
                frame(FIN | TEXT, bytes(MESSAGE_MAX + 1)),
                frame(TEXT, bytes(MESSAGE_MAX)) + frame(FIN | CONTINUED, b"1"),
                random.randbytes(random.randint(1, 4_000)),
            )
        )


def _before(items: list[Item], at: int) -> int:
    """How many items end before this byte."""
    end = 0
    for number, item in enumerate(items):
        end += len(item.data)
        if end > at:
            return number
    return len(items)
