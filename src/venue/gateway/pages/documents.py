"""The documents of a venue with pages: the files, the views, and the beginning of a session."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from venue.gateway.access.operators import OperatorDoor
from venue.gateway.dispatch.documents import HEAVY, SESSION, VIEWS, Document
from venue.gateway.pages.files import page_files
from venue.gateway.transport.request import Request


class SessionReply(Struct):
    """The answer to a browser that was let in: `token` is what its pages show."""

    token: str


class SessionStart:
    """Lets an operator's browser in."""

    methods: tuple[bytes, ...] = (b"POST",)
    page = False
    weight = HEAVY

    def __init__(self, operators: OperatorDoor) -> None:
        self._operators = operators

    def answer(self, request: Request) -> None:
        """Answer with the token of the browser's session and its cookie; ApiError -1051."""
        operators = self._operators
        owner = request.connection.peer_owner
        session = operators.begin_session(request.ip, request.headers, owner, old=request.old)
        request.lines += operators.sessions.line(session)
        request.answer(200, msgspec.json.encode(SessionReply(session.token.decode())))


class PageDocuments:
    """Finds the documents of a venue by their paths: its pages, and `others`."""

    def __init__(self, operators: OperatorDoor, others: Mapping[bytes, Document]) -> None:
        self._others = {**others, SESSION: SessionStart(operators)}

    def find(self, path: bytes) -> Document | None:
        """Return the document at a path; None: there is none."""
        files = page_files()
        found: Document | None = self._others.get(path) or files.get(path)
        if found is None and path.startswith(VIEWS):
            return files[b"/"]
        return found
