"""`venue with`: programs that have the exchange's addresses trade at the venue, unchanged."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.asking import OTHER_USER
from support.command import run, run_in
from support.copies import CLEAN
from support.redirected import UNCUT, isolates, under
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
    "httpx": """
import asyncio, httpx
place = "https://api-spot.weex.com/api/v3/time"
async def main():
    async with httpx.AsyncClient() as client:
        return (await client.get(place)).text
print("serverTime" in httpx.get(place).text and "serverTime" in asyncio.run(main()) and "open")
""",
    "websocket-client": """
import websocket
for product in ("spot", "contract"):
    socket = websocket.create_connection(f"wss://ws-{product}.weex.com/v3/ws/public")
    socket.send('{"method":"SUBSCRIBE","params":["BTCUSDT@ticker"],"id":1}')
    while '"ticker"' not in socket.recv():
        pass
    socket.close()
print("open")
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


ALONE = """
import os
for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]
import socket, urllib.request
for host in ("api-spot.weex.com", "an-unknown-one.weex.com"):
    assert b"serverTime" in urllib.request.urlopen(f"https://{host}/api/v3/time").read()
assert b"serverTime" in urllib.request.urlopen(os.environ["VENUE_URL"] + "/api/v3/time").read()
for place in (("192.0.2.3", 443), ("2001:db8::1", 443), ("other.example", 443)):
    try:
        socket.create_connection(place)
    except OSError as problem:
        print(problem.strerror)
"""


def test_the_system_cuts_off_a_program_without_hooks_and_proxy(server: Server) -> None:
    if not isolates():
        return  # the test below has what is left then
    done = under(server, sys.executable, "-I", "-c", ALONE)
    unreachable, unknown = "Network is unreachable", "Name or service not known"
    assert done.stdout.splitlines() == [unreachable, unreachable, unknown], done.stderr
    assert done.stderr == "venue with: refused, as --only-venue says: other.example (once)\n"


NO_MORE = "echo 0 > /proc/sys/user/max_user_namespaces"
NO_RIGHTS = "setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin"


def test_where_the_system_cuts_nothing_off_the_hooks_and_the_proxy_do(server: Server) -> None:
    command = f"{sys.executable} -m venue with alice --only-venue --url {server.url} --"
    asked = "curl -sS https://api-spot.weex.com/api/v3/time https://other.example/"
    poor = f"{command} {asked}"
    if isolates():
        poor = f"unshare --user --map-root-user sh -c '{NO_MORE} && exec {NO_RIGHTS} {poor}'"
    done = subprocess.run(["sh", "-c", poor], capture_output=True, text=True, env=CLEAN, timeout=60)
    assert "serverTime" in done.stdout
    assert done.stderr.startswith(UNCUT), done.stderr
    assert "venue with: refused, as --only-venue says: other.example (once)\n" in done.stderr


def test_a_world_is_the_exchange_too(server: Server) -> None:
    server.client().post("/_venue/worlds", {"name": "mine"})
    world = f"{server.url}/w/mine"
    bot = (sys.executable, str(BOT))
    done = run("with", "alice", "--only-venue", "--url", world, "--", *bot)
    assert (done.stdout, done.stderr) == ("open\n", "")
    script = 'curl -sS "$VENUE_URL/api/v3/ping"; echo; curl -sS "$VENUE_URL/_venue/clock"'
    told = run("with", "alice", "--only-venue", "--url", world, "--", "sh", "-c", script)
    ping, clock = told.stdout.splitlines()
    assert ping == "{}"
    assert "operator" in clock


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


def test_an_offer_of_another_protocol_is_passed_over(server: Server) -> None:
    """curl offers HTTP/2 in the clear; the connection's second request is one like the first."""
    place = "http://api-spot.weex.com/api/v3/time"
    done = under(server, "curl", "-sS", "--http2", "--noproxy", "*", place, place)
    assert done.stdout.count("serverTime") == 2, done.stdout


@pytest.mark.parametrize("name", ["evil.example", "evil.example:80", "[::1", "a:b", ""])
def test_a_door_knows_no_name_that_a_page_could_have(server: Server, name: str) -> None:
    """A page could have its visitor's browser call the door by such a name, as the venue's."""
    done = under(server, "sh", "-c", f'curl -sS -H "Host: {name}" "$VENUE_URL/_venue/keys"')
    assert done.stdout == ""


def test_a_proxy_of_the_environment_gets_what_is_not_for_the_exchange(server: Server) -> None:
    asked: list[str] = []

    def serve(listener: socket.socket) -> None:
        for _ in range(2):
            with listener.accept()[0] as caller:
                asked.append(caller.recv(65_536).decode())
                caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    program = """
import os, socket
port = int(os.environ["https_proxy"].rpartition(":")[2])
with socket.create_connection(("127.0.0.1", port)) as proxy:
    proxy.sendall(b"CONNECT other.example:4443 HTTP/1.1\\r\\n\\r\\n")
    while b"hi" not in proxy.recv(100): pass
"""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listening = threading.Thread(target=serve, args=(listener,))
        listening.start()
        done = run(
            "with", "alice", "--url", server.url, "--", "sh", "-c",
            f"curl -sS http://other.example/page; '{sys.executable}' -c '{program}'",
            HTTPS_PROXY=f"http://me:word@127.0.0.1:{listener.getsockname()[1]}",
        )  # fmt: skip
        listening.join()
    assert (done.returncode, done.stdout) == (0, "hi"), done.stderr
    assert [one.splitlines()[0] for one in asked] == [
        "GET http://other.example/page HTTP/1.1", "CONNECT other.example:4443 HTTP/1.1",
    ]  # fmt: skip
    assert all("\r\nProxy-Authorization: Basic bWU6d29yZA==\r\n" in one for one in asked)


def test_exceptions_from_a_proxy_stay_but_for_the_exchange(server: Server) -> None:
    before = "inside.example, *, .weex.com, com,api-spot.weex.com,10.0.0.0/8"
    done = run("with", "alice", "--url", server.url, "--", "printenv", "NO_PROXY", NO_PROXY=before)
    assert done.stdout == "localhost,127.0.0.1,::1,inside.example,10.0.0.0/8\n"


WITH = (sys.executable, "-m", "venue", "with", "bob", "--only-venue", "--")
TWICE = """
bot = ccxt.weex(keys)
for _ in range(5):
    ask = bot.fetch_ticker("BTC/USDT")["ask"]
    while True:
        try:
            bot.create_order("BTC/USDT", "limit", "buy", 0.01, ask * 1.001)
            break
        except ccxt.NetworkError:
            continue
"""


def test_a_bot_that_has_the_exchanges_addresses_goes_through_the_crash_test(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.py").write_text(f"import ccxt\n{KEYS}{TWICE}")
    crash = ("crashtest", "--only", "lost-reply", "--", sys.executable, "bot.py")
    done = run_in(tmp_path, *crash)
    assert done.returncode == 1, done.stderr
    assert "BUY 0.01 BTCUSDT (spot) was executed, and the bot got no answer" in done.stdout


def test_programs_of_venue_env_reach_the_venue_and_the_exchange(
    server: Server, tmp_path: Path
) -> None:
    """In node and Go: with the venue's address, and unchanged with the exchange's."""
    for place, start in ((server.url, ()), ("https://api-spot.weex.com", WITH)):
        for form, command in (("node", ("node",)), ("go", ("go", "run"))):
            program = tmp_path / f"main.{'js' if form == 'node' else form}"
            program.write_text(run("env", "bob", "--format", form, "--url", place).stdout)
            words = (*start, needed(command[0]), *command[1:], str(program))
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=120,
                env=CLEAN | {"VENUE_URL": server.url, "GOFLAGS": "-mod=mod", "GO111MODULE": "off"},
            )  # fmt: skip
            assert '"balances":[' in done.stdout, done.stderr
