"""Answers as proxies and failing servers give them: both clients read them alike."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from support.awaiting import Awaiting
from venue import Client, Unreachable

HEAD: Final = b"HTTP/1.1 200 OK\r\n"
TIME: Final = b'{"serverTime":%d}'
KIND = pytest.mark.parametrize("kind", [Client, Awaiting])


def sized(time: int, more: bytes = b"") -> bytes:
    """An answer that tells its length."""
    return HEAD + more + b"Content-Length: %d\r\n\r\n%b" % (len(TIME % time), TIME % time)


@contextmanager
def answering(*answers: bytes, stays: bool) -> Iterator[tuple[str, list[int]]]:
    """A server that gives one answer for each request, and the number of each one's connection. It
    closes a connection after an answer, or `stays` until the client closes it."""
    left, asked = list(answers), list[int]()

    def serve(listener: socket.socket) -> None:
        number = 0
        while left:
            number += 1
            connection, _ = listener.accept()
            with connection:
                while left and connection.recv(65_536):
                    asked.append(number)
                    connection.sendall(left.pop(0))
                    if not stays:
                        break
                else:
                    connection.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=serve, args=(listener,))
        serving.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        serving.join()


READ: Final = {
    "sized": sized(7),
    "chunked": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + b'5\r\n{"ser\r\nc\r\nverTime": 7}\r\n0\r\n\r\n',
    "ended": HEAD + b"\r\n" + TIME % 7,
    "old": b"HTTP/1.0 200 OK\r\n\r\n" + TIME % 7,
}
FAILED: Final = {
    "cut short": sized(7)[:-3],
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "not the interface's": sized(7).replace(b"serverTime", b"serverTown"),
    "nothing": b"",
    "no head": b"HTTP/1.1 200 OK\r\nContent-Le",
}


@KIND
@pytest.mark.parametrize("form", READ)
def test_a_whole_answer(kind: type[Client], form: str) -> None:
    with answering(READ[form], stays=False) as (url, _), kind(url, retries=0) as client:
        assert client.time().server_time == 7


@KIND
@pytest.mark.parametrize("form", FAILED)
def test_no_whole_answer(kind: type[Client], form: str) -> None:
    with (
        answering(FAILED[form], stays=False) as (url, _),
        kind(url, retries=0) as client,
        pytest.raises(Unreachable, match="time: "),
    ):
        client.time()


@KIND
def test_a_silent_server(kind: type[Client]) -> None:
    with answering(b"", stays=True) as (url, _):
        client = kind(url, retries=0, timeout_s=0.2)
        with client, pytest.raises(Unreachable):
            client.time()


@KIND
def test_a_connection_is_kept_or_not(kind: type[Client]) -> None:
    answers = [sized(1), sized(2), sized(3, b"Connection: close\r\n"), sized(4)]
    with answering(*answers, stays=True) as (url, asked), kind(url) as client:
        assert [client.time().server_time for _ in answers] == [1, 2, 3, 4]
        assert asked == [1, 1, 1, 2]


@KIND
def test_an_answer_that_nobody_asked_for(kind: type[Client]) -> None:
    """It is not taken for that of the next request."""
    answers = [sized(1) + sized(8), sized(2)]
    with answering(*answers, stays=True) as (url, _), kind(url) as client:
        assert [client.time().server_time for _ in answers] == [1, 2]
