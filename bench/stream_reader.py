"""Many stream subscribers and a paced sender of orders, all in one loop and on one clock."""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

CHUNK: Final = 1 << 18
CLOSE: Final = 0x88
ANSWER_S: Final = 10
UPGRADE: Final = (
    "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{}\r\n"
)


class Known:
    """Every distinct message of a run, in the order of its first arrival."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}

    def messages(self) -> list[bytes]:
        """The messages by their numbers."""
        return list(self.numbers)


class Subscriber:
    """One WebSocket; keeps its messages as numbers of `known`, with the times (ns).

    With `counting` set it keeps only their number.
    """

    def __init__(
        self,
        port: int,
        path: str,
        known: Known,
        headers: dict[str, str] | None = None,
        buffer: int = 0,
    ) -> None:
        self._known = known.numbers
        self._rest = b""
        self.told: list[int] = []
        self.times: list[int] = []
        self.counting = False
        self.count = 0
        self.closed = ""
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(ANSWER_S)
        self.socket.connect(("127.0.0.1", port))
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        self.socket.sendall(UPGRADE.format(path, more).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            data = self.socket.recv(CHUNK)
            assert data, answer
            answer += data
        head, _, rest = answer.partition(b"\r\n\r\n")
        assert b" 101 " in head, answer
        self.take(rest, time.perf_counter_ns())

    def say(self, text: str) -> None:
        """Send a text message, masked with zeros."""
        data = text.encode()
        assert len(data) < 126, text
        self.socket.sendall(bytes((0x81, 0x80 | len(data), 0, 0, 0, 0)) + data)

    def subscribe(self, *channels: str, method: str = "SUBSCRIBE") -> None:
        """Ask for channels; the answer is read as all other messages."""
        names = ",".join(f'"{channel}"' for channel in channels)
        self.say(f'{{"method":"{method}","params":[{names}],"id":1}}')

    def read(self) -> None:
        """Take the bytes that came; the socket is readable."""
        data = self.socket.recv(CHUNK)
        if not data:
            self.closed = self.closed or "the connection was lost"
        self.take(data, time.perf_counter_ns())

    def take(self, data: bytes, now: int) -> None:
        """Split bytes into messages."""
        if self._rest:
            data = self._rest + data
        at, size = 0, len(data)
        while size - at >= 2:
            length, head = data[at + 1], 2
            if length == 126:
                head = 4
                length = int.from_bytes(data[at + 2 : at + 4], "big")
            elif length == 127:
                head = 10
                length = int.from_bytes(data[at + 2 : at + 10], "big")
            end = at + head + length
            if end > size or size - at < head:
                break
            if data[at] == CLOSE:
                self.closed = repr(data[at + head + 2 : end])
            elif self.counting:
                self.count += 1
            else:
                message = data[at + head : end]
                self.told.append(self._known.setdefault(message, len(self._known)))
                self.times.append(now)
            at = end
        self._rest = data[at:]


class Door:
    """HTTP connections that send signed requests; each request's times (ns) are kept."""

    def __init__(self, port: int, connections: int) -> None:
        self.sent: list[int] = []
        self.answered: dict[int, int] = {}  # by the request's number
        self.refused = 0
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
        for connected in self.sockets:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._free = deque(self.sockets)
        self._busy: dict[int, int] = {}  # descriptor -> the request's number

    def free(self) -> bool:
        """Whether a request could be sent now."""
        return bool(self._free)

    def send(self, request: bytes) -> None:
        """Send on a connection that is free."""
        chosen = self._free.popleft()
        self._busy[chosen.fileno()] = len(self.sent)
        self.sent.append(time.perf_counter_ns())
        chosen.sendall(request)

    def read(self, answered: socket.socket) -> None:
        """Take an answer; it is short and comes in one piece."""
        data = answered.recv(CHUNK)
        self.answered[self._busy.pop(answered.fileno())] = time.perf_counter_ns()
        self.refused += not data.startswith(b"HTTP/1.1 200")
        self._free.append(answered)


class Loop:
    """Reads from all added subscribers, and sends orders at a steady rate."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._subscribers: dict[int, Subscriber] = {}
        self._sockets: dict[int, socket.socket] = {}
        self._door: Door | None = None

    def add(self, subscriber: Subscriber) -> None:
        """Read from a subscriber."""
        descriptor = subscriber.socket.fileno()
        self._subscribers[descriptor] = subscriber
        self._epoll.register(descriptor, select.EPOLLIN)

    def drop(self, subscriber: Subscriber) -> None:
        """Stop reading from a subscriber."""
        descriptor = subscriber.socket.fileno()
        if self._subscribers.pop(descriptor, None) is not None:
            self._epoll.unregister(descriptor)

    def use(self, door: Door) -> None:
        """Send orders through this door."""
        self._door = door
        for connected in door.sockets:
            self._sockets[connected.fileno()] = connected
            self._epoll.register(connected.fileno(), select.EPOLLIN)

    def run(self, seconds: float, requests: Sequence[bytes] = ()) -> None:
        """Read for so long, and spread the requests over it."""
        began = time.perf_counter()
        end = began + seconds
        step = seconds / len(requests) if requests else seconds
        sent = 0
        while True:
            now = time.perf_counter()
            if now >= end and sent == len(requests):
                return
            wait = end - now
            if sent < len(requests):
                assert self._door is not None
                due = began + sent * step
                if now >= due and self._door.free():
                    self._door.send(requests[sent])
                    sent += 1
                    continue
                wait = max(due - now, 0.0) if self._door.free() else ANSWER_S
            self._poll(wait)

    def quiet(self, seconds: float = 0.2) -> None:
        """Read until no bytes come for so long."""
        while self._poll(seconds):
            pass

    def _poll(self, wait: float) -> bool:
        ready = self._epoll.poll(wait)
        for descriptor, _ in ready:
            subscriber = self._subscribers.get(descriptor)
            if subscriber is None:
                assert self._door is not None
                self._door.read(self._sockets[descriptor])
                continue
            subscriber.read()
            if subscriber.closed:
                self.drop(subscriber)
        return bool(ready)

    def close(self, subscribers: Iterable[Subscriber]) -> None:
        """Close all connections."""
        for subscriber in subscribers:
            self.drop(subscriber)
            subscriber.socket.close()
        for connected in self._sockets.values():
            connected.close()
        self._epoll.close()
