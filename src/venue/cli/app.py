"""The `venue` command. Its commands import what they need themselves: help stays fast."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, NoReturn

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from venue.cli.clock import clock
from venue.cli.contracts import crash, delist, index, preview, settle
from venue.cli.faults import fault
from venue.cli.identity import FIRST, at_hand
from venue.cli.keys import key
from venue.cli.mcp.command import mcp
from venue.cli.operator import (
    Amount,
    Asset,
    Output,
    Owner,
    Url,
    Wallet,
    WalletName,
    capital,
)
from venue.cli.operator import call as _operator
from venue.cli.operator import checked as _checked
from venue.cli.operator import die as _die
from venue.cli.operator import moment as _moment
from venue.cli.operator import show as _show
from venue.cli.options import FileOptions as OptionsFile
from venue.cli.progress import working
from venue.cli.raw import delete, get, post
from venue.cli.rehearsal.crashtest import crashtest
from venue.cli.rehearsal.redirecting import with_venue
from venue.cli.rehearsal.scenarios import run
from venue.cli.running import status, stop, wait, withdraw
from venue.cli.runs.bundling import bundle
from venue.cli.runs.opening import open_run
from venue.cli.runs.replaying import fork, log, replay
from venue.cli.serving import dev as practice
from venue.cli.serving import real
from venue.cli.serving.dev import DevOptions
from venue.cli.serving.shared import SharedOptions, kept_us
from venue.cli.serving.shared import serve as _serve
from venue.cli.snapshots import reset, snapshot
from venue.cli.told.explain import explain
from venue.cli.told.printing import tell
from venue.cli.told.wire import wire
from venue.cli.trading import account, balance, buy, cancel, fills, orders, sell
from venue.cli.worlds import world
from venue.client.defaults import DEFAULT_URL
from venue.compiled import notice
from venue.journal import built

if TYPE_CHECKING:
    from venue.lab.credentials import Credentials


def _misread(problem: CycloptsError) -> NoReturn:
    """End with one line, as every refusal, for arguments that no command takes."""
    if isinstance(problem, UnusedCliTokensError):
        told = " ".join(problem.unused_tokens or ())
        _die(f"{told}: this command takes no more arguments; --help lists what it takes")
    _die(" ".join(str(problem).split()))


app = App(
    name="venue",
    help="A trading venue you run yourself: a practice exchange on your machine.",
    version=built.name,
    error_formatter=_misread,
)

app.config = (OptionsFile(app),)
for one in (clock, fault, key, snapshot, wire, world):
    app.command(one)
for command in (
    get, post, delete, buy, sell, cancel, orders, fills, balance, account, withdraw, status, stop,
    wait, reset, index, crash, explain, run, crashtest, bundle, replay,
    log, fork, preview, delist, settle, mcp,
):  # fmt: skip
    app.command(command)
app.command(open_run, name="open")
app.command(with_venue, name="with")


Symbol = Annotated[str, Parameter(help="Name of the market, as BTCUSDT.")]
Stopped = Annotated[str, Parameter(help="The stopped venue's journal, as given to --state.")]
Keep = Annotated[str, Parameter(help="How long to keep: 30d, 12h.")]
Product = Annotated[
    Literal["SPOT", "CONTRACT"], Parameter(converter=capital, help="Spot or contract.")
]


@app.meta.default
def _configured(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    config: Annotated[
        str | None, Parameter(help="File of options, by command; any option may stand there.")
    ] = None,
) -> None:
    if config is not None:
        if not os.path.isfile(config):
            _die(f"{config}: no such file")
        app.config = (OptionsFile(app, config),)
    app(tokens)


def main() -> None:
    """The command's entry point."""
    try:
        app.meta()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


SHARED: Final = SharedOptions()
OF_DEV: Final = DevOptions()


@app.command
def dev(
    shared: Annotated[SharedOptions, Parameter(name="*")] = SHARED,
    options: Annotated[DevOptions, Parameter(name="*")] = OF_DEV,
) -> None:
    """Run a practice venue with demo accounts, living markets and virtual money."""
    if problem := practice.refused(shared, options):
        _die(problem)
    sys.exit(_serve(shared, partial(practice.settled, options)))


@app.command
def serve(shared: Annotated[SharedOptions, Parameter(name="*")] = SHARED) -> None:
    """Run a real venue: it begins empty, and nobody moves its time or takes its state back."""
    if problem := real.refused(shared):
        _die(problem)
    sys.exit(_serve(shared, real.settled))


@app.command
def faucet(
    name: Owner, wallet: Wallet, asset: Asset, amount: Amount, *, url: Url = DEFAULT_URL
) -> None:
    """Give an owner of a running venue virtual money."""
    body = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
    moved = _operator(url, "deposit", body)
    tell(f"{name} {moved['wallet']} {moved['asset']} +{moved['amount']} -> {moved['after']}")


@app.command
def transfer(
    name: Owner,
    source: Wallet,
    target: Annotated[WalletName, Parameter(converter=capital, help="The wallet it goes to.")],
    asset: Asset,
    amount: Amount,
    *,
    url: Url = DEFAULT_URL,
) -> None:
    """Move money between two wallets of one owner of a running venue."""
    body = {"owner": name, "from": source, "to": target, "asset": asset, "amount": amount}
    for moved in _operator(url, "transfer", body):
        tell(f"{name} {moved['wallet']} {moved['asset']} {moved['amount']} -> {moved['after']}")


@app.command
def halt(
    symbol: Symbol,
    *,
    product: Product = "SPOT",
    reason: Annotated[str, Parameter(help="The reason, which the venue tells.")] = "",
    url: Url = DEFAULT_URL,
) -> None:
    """Have a market of a running venue accept cancels only."""
    _operator(url, f"halt{_ROWS[product]}", {"symbol": symbol, "reason": reason})
    tell(f"{symbol} ({product.lower()}) is halted")


@app.command
def resume(symbol: Symbol, *, product: Product = "SPOT", url: Url = DEFAULT_URL) -> None:
    """Have a halted market of a running venue accept orders again."""
    _operator(url, f"resume{_ROWS[product]}", {"symbol": symbol})
    tell(f"{symbol} ({product.lower()}) takes orders")


@app.command
def positions(
    name: Annotated[str, Parameter(name="--as", help="Name of the owner.")] = FIRST,
    *,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Print an owner's open positions on a running venue."""
    rows = _operator(url, "operator_positions", {"owner": name})
    columns = (
        "symbol", "side", "size", "entryPrice", "markPrice", "liquidatePrice", "unrealizePnl",
        "asset", "leverage", "marginType", "id",
    )  # fmt: skip
    _show(columns, rows, output, f"{name} has no open positions")


@app.command
def liquidations(
    name: Annotated[str, Parameter(help="Name of the owner. Without it: all owners.")] = "", *,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
    output: Output = "text", url: Url = DEFAULT_URL,
) -> None:  # fmt: skip
    """Print the newest liquidations on a running venue, of all owners or of one."""
    query = {"limit": str(limit)} | ({"owner": name} if name else {})
    rows = _operator(url, "liquidations", query)
    for row in rows if output == "text" else ():
        row["time"] = _moment(row["time"])
    columns = (
        "id", "time", "owner", "symbol", "equity", "maintenance", "equityAfter", "fundEquity",
        "asset",
    )  # fmt: skip
    _show(columns, rows, output, "no liquidations")


@app.command
def env(
    name: Annotated[str, Parameter(help="Name of the owner.")],
    *,
    form: Annotated[
        Literal["sh", "dotenv", "json", "curl", "ccxt-py", "ccxt-js", "freqtrade", "node", "go"],
        Parameter(name="--format", help="For whom it is printed."),
    ] = "sh",
    url: Url = DEFAULT_URL,
) -> None:
    """Print how to reach a running venue as an owner: a demo account, or one whose key stands in
    VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE."""
    from venue.cli.credentials import FORMATS

    tell(FORMATS[form](at_hand(name, url) or _demo(name, url)))


@app.command
def tail(
    *channels: Annotated[str, Parameter(help="BTCUSDT@trade, BTCUSDT@depth15, orders, fill ...")],
    product: Product = "SPOT",
    name: Annotated[str, Parameter(name="--as", help="Demo account of private channels.")] = "",
    count: Annotated[int | None, Parameter(help="End after so many frames, 1 at least.")] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Print a running venue's frames, one JSON line each: BTCUSDT@trade, orders ... ^C ends it."""
    from venue.cli.tail import tail as follow
    from venue.client.errors import FAILURES, words

    if not channels:
        _die("which channels? For instance BTCUSDT@trade, or orders --as alice")
    if count is not None and count < 1:
        _die(f"--count {count}: must be 1 or more")
    try:
        follow(url, product, list(channels), _demo(name, url) if name else None, count)
    except FAILURES as problem:
        _die(words(problem))


@app.command
def watch(
    symbol: Symbol,
    *,
    product: Product = "SPOT",
    name: Annotated[str, Parameter(name="--as", help="Demo account of the orders.")] = "alice",
    url: Url = DEFAULT_URL,
) -> None:
    """Show a running venue's book, last trades and own open orders on the full screen; q quits."""
    from venue.cli.watch import watch as show
    from venue.client.errors import FAILURES, words

    try:
        show(url, product, symbol, _demo(name, url), name)
    except FAILURES as problem:
        _die(words(problem))


@app.command
def ops(*, output: Output = "text") -> None:
    """Print the table of operations."""
    from venue.api.documents.text import operations, operations_table

    tell(json.dumps(operations()) if output == "json" else operations_table())


@app.command
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Which shell it is for.")],
) -> None:
    """Print a script that completes commands and options: eval "$(venue completion bash)"."""
    tell(app.generate_completion(prog_name="venue", shell=shell))


@app.command
def verify(file: Stopped) -> None:
    """Replay a stopped venue's journal; check its chain, the invariants and history."""
    from venue.cli.verify import verify as check

    with working(f"verifying {file}"):
        findings = check(file)
    for text in findings.facts:
        tell(text)
    for text in findings.problems:
        tell(f"PROBLEM {text}", file=sys.stderr)
    sys.exit(1 if findings.problems else 0)


@app.command
def repair(file: Stopped) -> None:
    """Write what holds of a stopped venue's damaged journal to a new one; the damaged is kept."""
    from venue.journal.journal import JournalCorrupt, JournalFailed
    from venue.journal.repair import Refused, told
    from venue.journal.repair import repair as mend

    if not os.path.exists(file):
        _die(f"{file}: no such journal")
    try:
        for line in told(file, mend(file)):
            tell(line)
    except (Refused, JournalCorrupt, JournalFailed, OSError) as problem:
        _die(str(problem))


@app.command(name="rebuild-history")
def rebuild_history(
    file: Stopped,
    *,
    drop_older: Annotated[
        bool,
        Parameter(
            help="Also when rows get lost: those of commands under former rules cannot be made"
            " again."
        ),
    ] = False,
) -> None:
    """Empty a stopped venue's history and build it again from its journal."""
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
    from venue.recompute.history import rebuild_history as rebuild

    if not os.path.exists(file):
        _die(f"{file}: no such journal")
    try:
        with working("rebuilding history"):
            begin, reached = rebuild(file, drop_older=drop_older)
        tell(f"history rebuilt{f' from {begin}' if begin else ''} up to command {reached}")
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        _die(str(problem))


@app.command
def prune(file: Stopped, *, keep: Keep) -> None:
    """Move older commands and rows of a stopped venue to archives beside its journal and
    history."""
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
    from venue.pruning.prune import prune as archive

    try:
        keep_us = kept_us(keep)
    except ValueError as problem:
        _die(f"--keep {problem}")
    if not os.path.exists(file):
        _die(f"{file}: no such journal")
    try:
        with working(f"archiving what is older than {keep}"):
            begins = archive(file, keep_us)
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        _die(str(problem))
    tell(f"the journal begins after command {begins.journal}, history after {begins.history}")
    if begins.journal:
        tell("the next start drops the states that were kept before")


@app.command
def version() -> None:
    """Print the version, with its commit and the digest of its core, as files name it, and the
    engine that runs."""
    tell(built.name())
    tell(f"engine {notice()}")


_ROWS: Final = {"SPOT": "", "CONTRACT": "_contract"}


def _demo(name: str, url: str) -> Credentials:
    from venue.lab.credentials import credentials

    found = credentials(name, _checked(url))
    if found is None:
        _die(f"{name} is no demo account; there are alice, bob, carol and dave")
    return found
