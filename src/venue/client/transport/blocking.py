"""Requests of threads, over kept connections of the standard library."""

from __future__ import annotations

from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from venue.client.http import ANSWER_MAX, Answer, Http, NoAnswer, Request
from venue.client.transport.idle import Idle, has_ended


class Connections:
    """The connections to one venue. Threads may share them."""

    def __init__(self, http: Http) -> None:
        kind = HTTPSConnection if http.secure else HTTPConnection
        self._dial = partial(kind, http.host, http.port, timeout=http.timeout_s)
        self._http = http
        self._idle: Idle[HTTPConnection] = Idle(lambda one: has_ended(one.sock))

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request. NoAnswer."""
        connection = self._idle.take() or self._open_connection()
        method, target, headers, body = request
        try:
            connection.request(method, target, body or None, headers)
            reply = connection.getresponse()
            said = {name.lower(): value for name, value in reply.headers.items()}
            answer = self._http.answer(reply.status, said, reply.read(ANSWER_MAX + 1))
        except BaseException as problem:
            connection.close()
            if isinstance(problem, OSError | HTTPException):
                raise NoAnswer(str(problem), kind=type(problem).__name__) from None
            raise
        if reply.will_close:
            connection.close()
        else:
            self._idle.keep(connection)
        return answer

    def _open_connection(self) -> HTTPConnection:
        connection = self._dial()
        try:
            connection.connect()
        except OSError as problem:
            connection.close()
            raise NoAnswer(str(problem), kind=type(problem).__name__, sent=False) from None
        return connection

    def close(self) -> None:
        """Close the connections."""
        self._idle.close()
