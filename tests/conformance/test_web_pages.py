"""Web pages at a venue's door: only its own and those that it lets in may call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from support.asking import STREAM, UPGRADE, ask, connect, say
from support.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--allow-host", "venue.example", "--allow-origin", "http://desk:5173")
    with Server(*options, folder=tmp_path_factory.mktemp("pages")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


@pytest.mark.parametrize(
    "lines",
    [
        [b"Host: page.example"],
        [b"Host: page.example:8787", b"Sec-Fetch-Site: same-origin"],
        [b"Host: 127.0.0.1", b"Origin: http://page.example"],
        [b"Host: 127.0.0.1", b"Origin: null"],
        [b"Host: 127.0.0.1", b"Origin: http://127.0.0.1:5173"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: cross-site"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: same-site"],
    ],
)
@pytest.mark.parametrize("path", [b"/api/v3/ping", b"/_venue/health?stateHash=true", b"/nowhere"])
def test_pages_of_others_may_not_call(server: Server, lines: list[bytes], path: bytes) -> None:
    status, body = ask(server, *lines, path=path)
    operators = path.startswith(b"/_venue/")
    assert (status, body["code"]) == (403, -1051 if operators else -1190)
    told = ("see --allow-host", "see --allow-origin", "of another site")
    assert operators or any(words in body["msg"] for words in told), body


@pytest.mark.parametrize(
    "lines",
    [
        [b"Host: localhost:8787"],
        [b"Host: [::1]:8787"],
        [b"Host: venue"],
        [b"Host: Venue.Example:80"],
        [b"Host: 10.1.2.3"],
        [b"Host: 127.0.0.1", b"Origin: http://127.0.0.1", b"Sec-Fetch-Site: same-origin"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: none"],
        [b"Host: 127.0.0.1", b"Origin: http://desk:5173", b"Sec-Fetch-Site: cross-site"],
    ],
)
def test_the_venues_own_names_and_pages_may(server: Server, lines: list[bytes]) -> None:
    assert ask(server, *lines)[0] == 200


def test_a_page_that_may_call_is_told_so(server: Server) -> None:
    head = (
        b"OPTIONS /api/v3/order HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://desk:5173\r\n"
        b"Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    )
    answer = say(server, head).lower()
    assert answer.startswith(b"http/1.1 200 ")
    assert b"access-control-allow-origin: http://desk:5173\r\n" in answer
    assert b"access-sign" in answer


def test_pages_of_others_open_no_stream(server: Server) -> None:
    asked = STREAM % (UPGRADE, b"")
    rebound = asked.replace(b"Host: venue", b"Host: page.example")
    of_others = [rebound, rebound.replace(b"public", b"private")]
    for line in (b"Origin: http://page.example\r\n", b"Sec-Fetch-Site: cross-site\r\n"):
        of_others.append(STREAM % (UPGRADE, line))
    for sent in of_others:
        with closing(connect(server)) as connection:
            connection.sendall(sent)
            assert connection.recv(12) == b"HTTP/1.1 403"
