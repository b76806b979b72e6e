"""The options that `venue dev` and `venue serve` share, their checks, and how a venue begins."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from venue.cli.operator import REFUSED, Profiled
from venue.cli.operator import die as _die
from venue.client.operator_tokens import OPERATOR_TOKEN
from venue.helpers.program import importing
from venue.times import span_us

if TYPE_CHECKING:
    from venue.running.options import Options
    from venue.running.serving import Running

STOPPED: Final = 3  # an exit code: the journal, history or their disk failed
OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
DEPTH_MS_LEAST: Final = 0
DEPTH_MS_MOST: Final = 60_000
PORT_MAX: Final = 65_535
KEPT_MIN_US: Final = span_us("1h")
KEPT_MAX_US: Final = span_us("99999d")

Settled = Callable[["Options"], "Options"]
"""A command adds its own settings to the shared ones. ClockRefused."""


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """The options of each command that runs a venue."""

    host: Annotated[str, Parameter(help="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Parameter(help="Port to listen on; 0 takes any free one.")] = 8787
    state: Annotated[
        str | None, Parameter(help="File to keep everything in; without it data is in memory.")
    ] = None
    strict: Annotated[
        bool,
        Parameter(
            help="Refuse parameters that an operation does not know; exchanges ignore them.",
            negative="",
        ),
    ] = False
    profile: Profiled = "document"
    batch_place: Annotated[
        bool | None,
        Parameter(help="Switch batch placement of both products on or off; it stays so."),
    ] = None
    keep: Annotated[
        str | None, Parameter(help="Archive all that is older, at the start and then: 30d, 12h.")
    ] = None
    depth_ms: Annotated[
        int, Parameter(help="Least time between two frames of a depth stream, in ms.")
    ] = 500
    allow_host: Annotated[
        tuple[str, ...],
        Parameter(
            help="A name that requests may call this venue by, beside addresses; may be repeated.",
            negative="",
        ),
    ] = ()
    allow_origin: Annotated[
        tuple[str, ...],
        Parameter(
            help="Origin of web pages that may call, as http://localhost:5173; may be repeated.",
            negative="",
        ),
    ] = ()
    trusted_proxy: Annotated[
        tuple[str, ...],
        Parameter(help="Address or network of proxies that name the caller.", negative=""),
    ] = ()
    ready_file: Annotated[
        str | None, Parameter(help="File for addresses and demo keys, once the venue answers.")
    ] = None
    quiet: Annotated[bool, Parameter(help="Print one line only.", negative="")] = False
    output: Annotated[Literal["text", "json"], Parameter(help="How to print.")] = "text"


def shared_refused(options: SharedOptions) -> str:
    """The reason why no venue can run with these options; empty when one can."""
    if not 0 <= options.port <= PORT_MAX:
        return f"--port {options.port}: must be from 0 to {PORT_MAX}"
    if not DEPTH_MS_LEAST <= options.depth_ms <= DEPTH_MS_MOST:
        return f"--depth-ms {options.depth_ms}: must be from {DEPTH_MS_LEAST} to {DEPTH_MS_MOST}"
    if options.keep is not None:
        if options.state is None:
            return "--keep archives files: it needs --state"
        try:
            kept_us(options.keep)
        except ValueError as problem:
            return f"--keep {problem}"
    if options.quiet and options.output == "json":
        return "--quiet and --output json exclude each other"
    for proxy in options.trusted_proxy:
        try:
            ip_network(proxy)
        except ValueError as problem:
            return f"--trusted-proxy {proxy}: {problem}"
    return ""


def kept_us(text: str) -> int:
    """How long to keep, in µs. ValueError: it is no span of time, or too short or too long."""
    with suppress(ValueError):
        kept = span_us(text)
        if KEPT_MIN_US <= kept <= KEPT_MAX_US:
            return kept
    raise ValueError(f"{text}: must be a span of time from 1h to 99999d, as 30d or 12h")


def serve(options: SharedOptions, settled: Settled) -> int:
    """Serve until told to stop; the exit code. Problems that a user can mend are told in words."""
    with importing():
        import uvloop
    try:
        return uvloop.run(_served(options, settled, time.perf_counter()))
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            _die(f"port {options.port} on {options.host} is in use. Use --port 0 for any free one.")
        words = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
        _die(words, STOPPED if problem.errno in OF_THE_DISK else REFUSED)
    except _failures() as problem:
        _die(str(problem), STOPPED)
    except _refusals() as problem:
        _die(_with_advice(problem, options.state))


async def _served(options: SharedOptions, settled: Settled, began: float) -> int:
    """History's process makes itself ready while this one imports the rest."""
    from venue.history.process.starting import start_worker

    process = await start_worker()
    try:
        with importing():
            from venue.cli.serving.banner import announce
            from venue.running.serving import run

        wired = settled(_shared(options))

        def ready(running: Running) -> None:
            if options.ready_file is not None:
                _write_ready(options.ready_file, running)
            form = "line" if options.quiet else options.output
            announce(running, wired, form, time.perf_counter() - began)

        return await run(wired, ready, process)
    finally:
        await process.end()


def _shared(options: SharedOptions) -> Options:
    """The venue's settings by these options."""
    from venue.api.profile import Profile
    from venue.running.options import Options

    return Options(
        host=options.host,
        port=options.port,
        state=options.state,
        strict=options.strict,
        profile=Profile(options.profile),
        batch_place=options.batch_place,
        depth_ms=options.depth_ms,
        keep_us=kept_us(options.keep) if options.keep is not None else None,
        operator_token=os.environ.get(OPERATOR_TOKEN, ""),
        hosts=options.allow_host,
        origins=options.allow_origin,
        proxies=options.trusted_proxy,
    )


def _with_advice(problem: Exception, state: str | None) -> str:
    """Why the venue does not start, and what can be done when its journal is damaged."""
    from venue.journal.journal import JournalCorrupt

    if state is None or not isinstance(problem, JournalCorrupt):
        return str(problem)
    from venue.journal.repair import advice

    return "; ".join(filter(None, (str(problem), advice(state))))


def _write_ready(path: str, running: Running) -> None:
    from venue.cli.serving.banner import described
    from venue.files import private_files

    private_files.put(Path(path), json.dumps(described(running)).encode())


def _failures() -> tuple[type[Exception], ...]:
    """The exceptions that end a venue. Imported when one has failed: a start does not wait for
    it."""
    from venue.helpers.link import HelperFailed
    from venue.journal.journal import JournalFailed

    return JournalFailed, HelperFailed


def _refusals() -> tuple[type[Exception], ...]:
    """The exceptions that keep a venue from starting."""
    from venue.gateway.access.vault import VaultError
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, OtherRules
    from venue.node.clock_modes import ClockRefused
    from venue.running.founding import OtherKind

    return (ClockRefused, JournalCorrupt, OtherRules, OtherKind, HistoryDamaged, VaultError)
