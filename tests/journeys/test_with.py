"""`venue with`: programs that have the exchange's addresses trade at the venue, unchanged."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.asking import OTHER_USER
from support.command import Done, run
from support.server import Server
from support.tools import needed

ROOT = Path(__file__).resolve().parents[2]
BOT = ROOT / "examples" / "bots" / "unchanged.py"
KEYS = """
import os
keys = {"apiKey": os.environ["WEEX_API_KEY"], "secret": os.environ["WEEX_API_SECRET"],
        "password": os.environ["WEEX_PASSPHRASE"], "enableRateLimit": False}
"""
ASYNC = """
import asyncio, ccxt.async_support
async def main():
    async with ccxt.async_support.weex(keys) as exchange:
        order = await exchange.create_order("BTC/USDT", "limit", "buy", 0.01, 60000)
        print((await exchange.fetch_order(order["id"], "BTC/USDT"))["status"])
"""
PRO = """
import asyncio, ccxt.pro
async def main():
    async with ccxt.pro.weex(keys) as exchange:
        for symbol in ("BTC/USDT", "BTC/USDT:USDT"):
            assert (await exchange.watch_order_book(symbol))["symbol"] == symbol
        told = asyncio.create_task(exchange.watch_orders("BTC/USDT"))
        while not told.done():
            await exchange.create_order("BTC/USDT", "limit", "buy", 0.01, 60000)
            await asyncio.wait([told], timeout=1)
        print(told.result()[0]["status"])
"""
AIOHTTP = """
import aiohttp
async def main():
    async with aiohttp.ClientSession() as session:
        async with session.get("https://api-spot.weex.com/api/v3/time") as answer:
            print("serverTime" in await answer.json() and "open")
"""
RESOLVING = """
import aiohttp, aiohttp.resolver
async def main():
    resolver = object.__new__(aiohttp.resolver.AsyncResolver)  # asks servers of names itself
    found = await resolver.resolve("api-spot.weex.com", 443)
    print(found[0]["host"] == "127.0.0.1" and "open")
"""
WEBSOCKETS = """
import websockets
async def main():
    for product in ("spot", "contract"):
        async with websockets.connect(f"wss://ws-{product}.weex.com/v3/ws/public") as socket:
            await socket.send('{"method":"SUBSCRIBE","params":["BTCUSDT@ticker"],"id":1}')
            while '"ticker"' not in (said := await socket.recv()):
                pass
    print("open")
"""
ASYNCIO = "\nimport asyncio\nasyncio.run(main())\n"
UVLOOP = "\nimport uvloop\nuvloop.run(main())\n"
PYTHON = {
    "ccxt": BOT.read_text(),
    "ccxt async": KEYS + ASYNC + ASYNCIO,
    "ccxt async, uvloop": KEYS + ASYNC + UVLOOP,
    "ccxt pro": KEYS + PRO + ASYNCIO,
    "requests": """
import requests
for scheme in ("https", "http"):
    told = requests.get(f"{scheme}://api-contract.weex.com/capi/v3/market/time").json()
print("serverTime" in str(told) and "open")
""",
    "aiohttp": AIOHTTP + ASYNCIO,
    "aiohttp, uvloop": AIOHTTP + UVLOOP,
    "aiohttp's own resolver": RESOLVING + ASYNCIO,
    "websockets": WEBSOCKETS + ASYNCIO,
    "websockets, uvloop": WEBSOCKETS + UVLOOP,
    "urllib": """
from urllib.request import urlopen
print("serverTime" in urlopen("https://api-spot.weex.com/api/v3/time").read().decode() and "open")
""",
    "a socket": """
import socket, ssl
address = socket.gethostbyname("API-SPOT.weex.com.")
for place in (("api-spot.weex.com", 443), (address, 443)):
    with socket.socket() as plain:
        plain.connect(place)
        context = ssl.create_default_context()
        with context.wrap_socket(plain, server_hostname="api-spot.weex.com") as safe:
            safe.sendall(b"GET /api/v3/ping HTTP/1.1\\r\\nHost: api-spot.weex.com\\r\\n\\r\\n")
            assert safe.recv(100).startswith(b"HTTP/1.1 200")
print("open")
""",
}
NODE = """
const https = require('node:https')
const host = 'api-contract.weex.com'
const asked = new Promise((resolve, reject) => https.get({ host, path: '/capi/v3/market/time' },
  answer => answer.on('data', resolve)).on('error', reject))
Promise.all([
  asked,
  fetch('https://api-spot.weex.com/api/v3/time').then(answer => answer.text()),
  fetch('http://api-spot.weex.com/api/v3/time').then(answer => answer.text()),
  require('node:dns').promises.lookup('api-spot.weex.com')
]).then(told => {
  if (told[3].address !== '127.86.69.88') throw new Error(told[3].address)
  console.log(told.slice(0, 3).every(one => String(one).includes('serverTime')) && 'open')
}).catch(problem => { console.log(problem.cause || problem); process.exitCode = 1 })
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("with")) as found:
        yield found
        assert found.stop() == 0


def under(server: Server, *words: str, **environment: str) -> Done:
    """A command of `venue with alice`, with nothing else in reach."""
    return run("with", "alice", "--only-venue", "--url", server.url, "--", *words, **environment)


@pytest.mark.parametrize("name", PYTHON)
def test_a_python_program_trades_unchanged(server: Server, name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PYTHON[name])
    done = under(server, sys.executable, str(program))
    assert (done.returncode, done.stdout) == (0, "open\n"), done.stderr
    assert done.stderr == "" or "resolver" in name


def test_a_node_program_asks_unchanged(server: Server, tmp_path: Path) -> None:
    program = tmp_path / "program.cjs"
    program.write_text(NODE)
    done = under(server, needed("node"), str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "open\n", "")


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_curl_signs_and_orders_by_the_proxy(server: Server, scheme: str) -> None:
    script = f"""
body='{{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000"}}'
ts=$(date +%s%3N)
sig=$(printf %s "${{ts}}POST/api/v3/order$body" |
  openssl dgst -sha256 -hmac "$WEEX_API_SECRET" -binary | base64)
curl -sS -d "$body" -H 'Content-Type: application/json' -H 'Transfer-Encoding: chunked' \\
  -H "ACCESS-KEY: $WEEX_API_KEY" -H "ACCESS-PASSPHRASE: $WEEX_PASSPHRASE" \\
  -H "ACCESS-TIMESTAMP: $ts" -H "ACCESS-SIGN: $sig" \\
  '{scheme}://api-spot.weex.com/api/v3/order' '{scheme}://api-spot.weex.com/api/v3/order'
"""
    needed("curl")
    needed("openssl")
    done = under(server, "bash", "-eu", "-o", "pipefail", "-c", script)
    assert (done.returncode, done.stderr) == (0, "")
    ids = re.findall(r'"orderId":"?(\d+)', done.stdout)
    assert len(ids) == 2, done.stdout
    assert ids[0] == ids[1], "the second is the same request"


def test_other_hosts_are_cut_off_and_told(server: Server) -> None:
    programs = (
        "import urllib.request; urllib.request.urlopen('https://one.example/secret?key=1')",
        "import socket; socket.create_connection(('two.example', 443))",
        "import socket; socket.socket().connect(('192.0.2.3', 443))",
    )
    script = "\n".join(f'"{sys.executable}" -c "{one}"' for one in programs)
    node = "fetch('https://four.example/').catch(problem => process.exit(0))"
    done = under(server, "sh", "-c", f'{script}\n"{needed("node")}" -e "{node}"\ntrue')
    said = "one.example (once), two.example (once), 192.0.2.3 (once), four.example (once)"
    assert done.returncode == 0
    assert f"venue with: refused, as --only-venue says: {said}\n" in done.stderr
    assert "secret" not in done.stderr.partition("venue with: ")[2]


@pytest.mark.parametrize("path", ["_venue/owners", "%5fvenue/owners", "x/../_venue/owners"])
def test_nobody_is_the_operator_by_a_door(server: Server, path: str) -> None:
    ask = ("curl", "-s", "--path-as-is", "-w", "%{http_code}")
    done = run(
        "with", "alice", "--url", server.url, "--", *ask, f"https://api-spot.weex.com/{path}"
    )
    assert done.stdout.strip()[-3:] in ("403", "404"), done
    assert "alice" not in done.stdout


def test_programs_of_other_users_are_refused(server: Server) -> None:
    script = f"""
import os, subprocess
for proxied in ("http://api-spot.weex.com/api/v3/time", "http://localhost:1/"):
    ask = ["curl", "-s", "--noproxy", "", proxied]
    done = subprocess.run(ask, user={OTHER_USER}, capture_output=True)
    print(done.returncode, done.stdout)
"""
    done = run("with", "alice", "--url", server.url, "--", sys.executable, "-c", script)
    lines = done.stdout.split("\n")[:2]
    assert all(line.split()[0] in ("52", "56") and line.endswith("b''") for line in lines), done
    assert "programs of other users connected 2 times: refused" in done.stderr


def test_a_program_of_this_machine_is_reached_without_the_proxy(server: Server) -> None:
    done = under(server, "sh", "-c", 'curl -sS "$VENUE_URL/api/v3/time"')
    assert "serverTime" in done.stdout
    assert done.stderr == "venue with: no request to the exchange came to the venue\n"


def test_a_python_that_has_its_own_sitecustomize_runs_both(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.own = 'ran'\n")
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nprint(sys.own)\n{PYTHON['requests']}")
    done = under(server, sys.executable, str(program), PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "ran\nopen\n"), done.stderr


def test_a_program_that_pins_certificates_is_told_of(server: Server, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession() as session:
        pinned = aiohttp.Fingerprint(bytes(32))
        try:
            await session.get("https://api-spot.weex.com/api/v3/time", ssl=pinned)
        except aiohttp.ServerFingerprintMismatch:
            print("refused")
asyncio.run(main())
""")
    done = under(server, sys.executable, str(program))
    assert done.stdout == "refused\n"
    assert done.stderr.startswith("venue with: api-spot.weex.com was called once and asked nothing")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("no-such-program",), 127, "venue: no-such-program: there is no such program\n"),
        (("/",), 126, "venue: / cannot be started: Permission denied\n"),
        ((), 2, "venue: which command? For instance: venue with alice -- python bot.py\n"),
    ],
)
def test_a_command_that_cannot_be_started(
    server: Server, words: tuple[str, ...], code: int, said: str
) -> None:
    done = under(server, *words)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_the_exit_code_is_the_commands(server: Server, script: str, code: int) -> None:
    assert under(server, "sh", "-c", script).returncode == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("alise", "--", "true"), "alise is no owner of this venue; near to it: alice"),
        (("alice", "--clock", "manual", "--", "true"),
         "--clock is an option of a venue that is started: it needs --new"),
        (("alice", "--stop", "-1", "--", "true"), "--stop -1: must be from 0 to 3600"),
        (("alice", "--new", "--clock", "manual", "--at", "x", "--", "true"),
         "--at x: must be a time such as 2026-01-01T08:00:00Z"),
    ],
)  # fmt: skip
def test_refusals_come_before_the_command(
    server: Server, arguments: tuple[str, ...], said: str
) -> None:
    done = run("with", *arguments, VENUE_URL=server.url)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"venue: {said}\n")


def test_an_owner_gets_a_key_for_the_command_alone(server: Server) -> None:
    client = server.client()
    client.post("/_venue/owners", {"name": "erin"})
    done = run("with", "erin", "--url", server.url, "--", "printenv", "WEEX_API_KEY")
    key = done.stdout.strip()
    (row,) = [one for one in client.get("/_venue/keys?owner=erin").json if one["key"] == key]
    assert row["revoked"] is True
    assert done.returncode == 0


def test_a_venue_is_started_for_the_command_and_ends_with_it() -> None:
    script = "curl -sS https://api-spot.weex.com/api/v3/time; echo; printenv VENUE_URL"
    done = run("with", "alice", "--new", "--clock", "manual", "--only-venue", "--", "sh", "-c",
               script)  # fmt: skip
    time, url = done.stdout.split()
    assert time == '{"serverTime":1767225600000}'
    left = run("get", "/api/v3/ping", "--url", url)
    assert "no venue answers" in left.stderr
