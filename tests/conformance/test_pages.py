"""The pages' files, and the sessions of browsers: who is let in, and who is not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.asking import STREAM, UPGRADE, connect, say
from support.real_venue import real_venue
from support.server import Server
from venue.gateway.pages.files import FOLDER, KINDS

POST = b"POST /_venue/session HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("pages")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def get(server: Server, path: str, *lines: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of a request with these header lines."""
    head = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % (path.encode(), server.port)
    return parts(say(server, head + b"".join(b"%s\r\n" % line for line in lines) + b"\r\n"))


def parts(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


def own(server: Server) -> list[bytes]:
    """Return the header lines of a page of the venue itself."""
    host = b"127.0.0.1:%d" % server.port
    return [
        b"Host: " + host,
        b"Origin: http://" + host,
        b"Referer: http://%s/" % host,
        b"Sec-Fetch-Site: same-origin",
        b"Sec-Fetch-Mode: cors",
        b"Sec-Fetch-Dest: empty",
        b'sec-ch-ua: "Chromium";v="156"',
        b"Content-Type: application/json",
    ]


def begin(server: Server, lines: list[bytes]) -> tuple[int, dict[str, str], bytes]:
    head = POST + b"".join(b"%s\r\n" % line for line in lines)
    return parts(say(server, head + b"\r\n{}"))


def let_in(server: Server) -> tuple[bytes, bytes]:
    """Return the cookie and the token of a new session, as header lines."""
    status, headers, body = begin(server, own(server))
    assert status == 200, body
    cookie = headers["set-cookie"]
    assert cookie.endswith("; path=/; httponly; samesite=strict")
    token = json.loads(body)["token"]
    return b"Cookie: " + cookie.split(";")[0].encode(), b"X-Venue-Page: " + token.encode()


def owners(server: Server, *lines: bytes) -> int:
    """Return the status of a question that only operators may ask."""
    close = (b"Sec-Fetch-Site: same-origin", b"Sec-Fetch-Mode: cors", b"Connection: close")
    return get(server, "/_venue/owners", *lines, *close)[0]


def test_every_file_is_served_once_compressed_and_once_not(server: Server) -> None:
    paths = [path for path in FOLDER.rglob("*") if path.suffix in KINDS]
    assert paths
    for path in paths:
        served = f"/pages/{path.relative_to(FOLDER).as_posix()}"
        status, headers, body = get(server, served, b"Connection: close")
        assert (status, body) == (200, path.read_bytes()), served
        assert headers["content-type"].encode() == KINDS[path.suffix]
        assert headers["content-security-policy"].startswith("default-src 'self';")
        packed = get(server, served, b"Accept-Encoding: gzip, br", b"Connection: close")
        assert packed[1]["content-encoding"] == "gzip"
        assert gzip.decompress(packed[2]) == body
        known = b"If-None-Match: " + headers["etag"].encode()
        assert get(server, served, known, b"Connection: close")[::2] == (304, b"")


def test_the_files_of_a_page_leave_its_address_most_of_its_weight(server: Server) -> None:
    """Bots on this machine share the address. An unknown path costs as much."""
    before = weight_left(server)
    for path in FOLDER.rglob("*"):
        if path.suffix in KINDS:
            get(server, f"/pages/{path.relative_to(FOLDER).as_posix()}", b"Connection: close")
    files = len([path for path in FOLDER.rglob("*") if path.suffix in KINDS])
    assert before - weight_left(server) <= files + 1  # its own question


def weight_left(server: Server) -> int:
    """Return what the address may still use; less than a minute ago it had all of it."""
    headers = get(server, "/api/v3/ping", b"Connection: close")[1]
    return int(headers["x-remaining-weight-10s"])


@pytest.mark.parametrize("path", ["/", "/why/order/7", "/why/request/1", "/learn"])
def test_each_view_is_the_page(server: Server, path: str) -> None:
    status, headers, body = get(server, path, b"Connection: close")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert body == (FOLDER / "index.html").read_bytes()


def test_other_pages_may_link_to_a_view_and_to_nothing_else(server: Server) -> None:
    linked = (b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Mode: navigate", b"Connection: close")
    assert get(server, "/", *linked)[0] == 200
    assert get(server, "/pages/index.html", *linked)[0] == 403
    assert get(server, "/api/v3/ping", *linked)[0] == 403
    included = (b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Mode: no-cors", b"Connection: close")
    assert get(server, "/", *included)[0] == 403


@pytest.mark.parametrize(
    "path", ["/pages/../__init__.py", "/pages/%2e%2e/__init__.py", "/pages/", "/pages", "//"]
)
def test_no_path_leads_out_of_the_folder(server: Server, path: str) -> None:
    assert get(server, path, b"Connection: close")[0] == 404


def test_a_page_with_a_session_asks_as_the_operator(server: Server) -> None:
    cookie, token = let_in(server)
    assert owners(server, cookie, token) == 200
    # Neither secret is enough alone: another port of this host gets the cookie too.
    assert owners(server, cookie) == 403
    assert owners(server, token) == 403
    assert owners(server, cookie, b"X-Venue-Page: " + b"0" * 64) == 403
    assert owners(server, b"Cookie: venue-%d=%s" % (server.port, b"0" * 64), token) == 403


def test_a_second_tab_has_the_session_of_the_first(server: Server) -> None:
    cookie, token = let_in(server)
    status, headers, body = begin(server, [*own(server), cookie])
    assert (status, json.loads(body)["token"]) == (200, token.split(b": ")[1].decode())
    assert headers["set-cookie"].split(";")[0].encode() == cookie.split(b": ")[1]


def test_a_page_acts_for_an_owner(server: Server) -> None:
    cookie, token = let_in(server)
    lines = [cookie, token, b"X-Venue-Act-As: alice", b"Connection: close"]
    status, _, body = get(server, "/capi/v3/account/balance", *lines)
    assert status == 200
    assert {row["asset"] for row in json.loads(body)} >= {"USDT"}


def replaced(lines: list[bytes], name: bytes, value: bytes | None) -> list[bytes]:
    """Return header lines with another value of one, or without it."""
    kept = [line for line in lines if not line.startswith(name + b":")]
    return kept if value is None else [*kept, name + b": " + value]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"Origin", None),
        (b"Origin", b"http://127.0.0.1:1"),
        (b"Origin", b"http://page.example"),
        (b"Origin", b"null"),
        (b"Sec-Fetch-Site", b"same-site"),
        (b"Host", b"127.0.0.1:1"),
        (b"Host", b"page.example"),
        (b"X-Forwarded-For", b"10.0.0.9"),
        (b"Via", b"1.1 proxy"),
        (b"X-Anything", b"1"),
    ],
)
def test_no_other_page_and_no_proxy_begins_a_session(
    server: Server, name: bytes, value: bytes | None
) -> None:
    status, headers, body = begin(server, replaced(own(server), name, value))
    assert (status, "set-cookie" in headers) == (403, False), body


@pytest.mark.parametrize(
    "line",
    [b"Sec-Fetch-Site: same-site", b"X-Forwarded-For: 10.0.0.9", b"Origin: http://127.0.0.1:1"],
)
def test_a_session_is_of_use_to_the_venues_own_pages_alone(server: Server, line: bytes) -> None:
    cookie, token = let_in(server)
    asked = (cookie, token, line, b"Connection: close")
    assert get(server, "/_venue/owners", *asked)[0] == 403


def test_a_real_venue_has_no_page(tmp_path: Path) -> None:
    """Its operators do not act for owners, so they see no account of one in a page either."""
    with real_venue(tmp_path) as found:
        for path in ("/", "/why/order/7", "/pages/bench.js"):
            assert get(found, path, b"Connection: close")[0] == 404
        token = b"Authorization: Bearer " + found.token().encode()
        assert begin(found, [*own(found), token])[0] == 404
        stream = STREAM.replace(b"/v3/ws/public", b"/_venue/events") % (UPGRADE, b"")
        with closing(connect(found)) as connection:
            connection.sendall(stream)
            assert connection.recv(12) == b"HTTP/1.1 404"
        assert found.stop() == 0


def test_with_a_token_a_browser_shows_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", "seal")
    with Server("--no-agents", folder=tmp_path) as found:
        assert begin(found, own(found))[0] == 403
        status, headers, body = begin(found, [*own(found), b"Authorization: Bearer seal"])
        assert status == 200
        cookie = b"Cookie: " + headers["set-cookie"].split(";")[0].encode()
        assert owners(found, cookie, b"X-Venue-Page: " + json.loads(body)["token"].encode()) == 200
        assert "seal" not in found.errors.read_text()
