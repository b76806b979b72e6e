"""The `venue` command. Rooms are imported inside the commands: help stays fast."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NoReturn

from cyclopts import App, Parameter
from cyclopts.config import Toml

import venue

if TYPE_CHECKING:
    from venue.main import Running

DEFAULT_URL: Final = "http://127.0.0.1:8787"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

app = App(
    name="venue",
    help="A trading venue you run yourself: a practice exchange on your machine.",
    version=venue.__version__,
    config=Toml("venue.toml", allow_unknown=True),
)

Url = Annotated[str, Parameter(env_var="VENUE_URL", help="Address of the running venue.")]
Wallet = Literal["SPOT", "CONTRACT", "FUNDING"]


def main() -> None:
    """The command's entry point."""
    app()


@app.command
def dev(
    *,
    host: str = "127.0.0.1",
    port: int = 8787,
    state: str | None = None,
    seed: int = 1,
    agents: bool = True,
    limits: bool = True,
    history: bool = True,
    batch_place: bool | None = None,
    ready_file: str | None = None,
    quiet: bool = False,
    output: Literal["text", "json"] = "text",
    demo_keys_on_network: bool = False,
) -> None:
    """Run a practice venue with demo accounts, living markets and virtual money.

    Parameters
    ----------
    host: Address to listen on; only loopback, unless --demo-keys-on-network.
    port: Port to listen on; 0 takes any free one.
    state: File to keep everything in; without it data lives in memory.
    seed: Seed of agents and candle history.
    agents: Whether liquidity agents trade.
    limits: Whether weights and connections are limited.
    history: Whether there are seeded candles before the first trade.
    batch_place: Switch batch placement (POST /api/v3/order/batch) on or off.
    ready_file: File to write addresses and demo keys to, once the venue answers.
    quiet: Print one line only.
    output: Print text or one JSON object.
    demo_keys_on_network: Allow the published demo keys on an address others can reach.
    """
    began = time.perf_counter()
    if host not in LOOPBACK and not demo_keys_on_network:
        _die(
            f"refusing to listen on {host}: the demo keys are published and anyone could trade "
            "with them. Use a loopback host, or say --demo-keys-on-network."
        )
    from venue.main import Options, serve

    options = Options(
        host=host, port=port, state=state, seed=seed, agents=agents, limits=limits,
        history=history, batch_place=batch_place,
    )  # fmt: skip

    def ready(running: Running) -> None:
        from venue.banner import announce

        if ready_file is not None:
            _write_ready(ready_file, running)
        announce(running, options, "line" if quiet else output, time.perf_counter() - began)

    _run(options, serve, ready)


def _run(options: Any, serve: Any, ready: Any) -> None:
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherVersion

    try:
        sys.exit(serve(options, ready))
    except OSError as problem:
        if isinstance(problem, socket.error) and problem.errno in (98, 48, 10048):
            _die(f"port {options.port} on {options.host} is in use. Use --port 0 for any free one.")
        _die(str(problem))
    except (JournalCorrupt, JournalFailed, OtherVersion) as problem:
        _die(str(problem))


def _write_ready(path: str, running: Running) -> None:
    from venue.banner import described
    from venue.main import write_atomically

    write_atomically(path, json.dumps(described(running)).encode())


@app.command
def faucet(name: str, wallet: Wallet, asset: str, amount: str, *, url: Url = DEFAULT_URL) -> None:
    """Give an owner of a running venue virtual money."""
    body = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
    moved = _operator(url, "/_venue/deposit", body)
    print(f"{name} {moved['wallet']} {moved['asset']} +{moved['amount']} -> {moved['after']}")


@app.command
def transfer(
    name: str, source: Wallet, target: Wallet, asset: str, amount: str, *, url: Url = DEFAULT_URL
) -> None:
    """Move money between two wallets of one owner of a running venue."""
    body = {"owner": name, "from": source, "to": target, "asset": asset, "amount": amount}
    for moved in _operator(url, "/_venue/transfer", body):
        print(f"{name} {moved['wallet']} {moved['asset']} {moved['amount']} -> {moved['after']}")


@app.command
def env(
    name: str,
    *,
    form: Annotated[
        Literal["sh", "dotenv", "json", "curl", "ccxt-py", "ccxt-js", "freqtrade"],
        Parameter(name="--format"),
    ] = "sh",
    url: Url = DEFAULT_URL,
) -> None:
    """Print how to reach a running venue as one of the demo accounts."""
    from venue.environment import FORMATS, credentials

    found = credentials(name, url)
    if found is None:
        _die(f"{name} is no demo account; there are alice, bob, carol and dave")
    print(FORMATS[form](found))


@app.command
def ops() -> None:
    """Print the table of operations."""
    from venue.api.describe import operations_table

    print(operations_table())


@app.command
def verify(file: str) -> None:
    """Replay a stopped venue's journal; check its chain, the invariants and history."""
    from venue.verify import verify as check

    findings = check(file)
    for text in findings.facts:
        print(text)
    for text in findings.problems:
        print(f"PROBLEM {text}", file=sys.stderr)
    sys.exit(1 if findings.problems else 0)


@app.command(name="rebuild-history")
def rebuild_history(file: str) -> None:
    """Empty a stopped venue's history and build it again from its journal."""
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherVersion
    from venue.main import rebuild_history as rebuild

    if not os.path.exists(file):
        _die(f"{file}: no such journal")
    try:
        print(f"history rebuilt up to command {rebuild(file)}")
    except (JournalCorrupt, JournalFailed, OtherVersion) as problem:
        _die(str(problem))


@app.command
def version() -> None:
    """Print the version."""
    print(venue.__version__)


def _operator(url: str, path: str, body: dict[str, str]) -> Any:
    """Call an operator operation; ends the command with the venue's own words when refused."""
    headers = {"Content-Type": "application/json"}
    token = os.environ.get("VENUE_OPERATOR_TOKEN")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(  # noqa: S310 - the user's own address
        url.rstrip("/") + path, json.dumps(body).encode(), headers, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310
            return json.load(reply)
    except urllib.error.HTTPError as problem:
        answer = json.loads(problem.read() or b"{}")
        _die(f"refused: {answer.get('msg') or answer.get('message') or problem}")
    except urllib.error.URLError as problem:
        _die(f"no venue answers at {url} ({problem.reason}); start one with `venue dev`")


def _die(reason: str) -> NoReturn:
    print(f"venue: {reason}", file=sys.stderr)
    sys.exit(2)
