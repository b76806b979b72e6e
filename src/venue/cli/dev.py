"""`venue dev`: its options, their checks, and how it begins."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from venue.cli.credentials import OPERATOR_TOKEN
from venue.cli.operator import REFUSED
from venue.cli.operator import die as _die
from venue.program import importing
from venue.times import moment_us, span_us

if TYPE_CHECKING:
    from venue.main import Options, Running

STOPPED: Final = 3  # an exit code: the journal, history or their disk failed
OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
PORT_MAX: Final = 65_535
CAPACITY_MAX: Final = 1_000_000
WIRE_LOG_MAX: Final = 10_000
RATE: Final = re.compile("(?!0+([.]0+)?$)([0-9]{1,4}([.][0-9]{1,3})?|10000([.]0{1,3})?)", re.ASCII)
KEPT_MIN_US: Final = span_us("1h")
KEPT_MAX_US: Final = span_us("99999d")


@dataclass(frozen=True, kw_only=True)
class DevOptions:
    """The options of `venue dev`."""

    host: Annotated[str, Parameter(help="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Parameter(help="Port to listen on; 0 takes any free one.")] = 8787
    state: Annotated[
        str | None, Parameter(help="File to keep everything in; without it data is in memory.")
    ] = None
    seed: Annotated[int, Parameter(help="Seed of the agents and of the candle history.")] = 1
    agents: Annotated[bool, Parameter(help="Whether liquidity agents trade.")] = True
    limits: Annotated[bool, Parameter(help="Whether weights and connections are limited.")] = True
    real_limits: Annotated[
        bool,
        Parameter(
            help="Limits as the interface has them: a weight of 500 in ten seconds, 300 orders a"
            " minute; without it a hundred times as much.",
            negative="",
        ),
    ] = False
    strict: Annotated[
        bool,
        Parameter(
            help="Refuse parameters that an operation does not know; exchanges ignore them.",
            negative="",
        ),
    ] = False
    history: Annotated[bool, Parameter(help="Whether candles precede the first trade.")] = True
    batch_place: Annotated[
        bool | None,
        Parameter(help="Switch batch placement of both products on or off; it stays so."),
    ] = None
    clock: Annotated[
        Literal["real", "offset", "rate", "manual", "skip"] | None,
        Parameter(help="How time passes; without it as before, or as the machine's."),
    ] = None
    rate: Annotated[
        str | None, Parameter(help="With --clock rate: seconds that pass in one, 0.001 to 10000.")
    ] = None
    at: Annotated[
        str | None,
        Parameter(help="With --clock: the time to begin at, as 2026-01-01T00:00:00Z."),
    ] = None
    keep: Annotated[
        str | None, Parameter(help="Archive all that is older, at the start and then: 30d, 12h.")
    ] = None
    depth_ms: Annotated[
        int, Parameter(help="Least time between two frames of a depth stream, in ms.")
    ] = 500
    capacity: Annotated[
        int | None,
        Parameter(
            help="Orders and other commands a second that the venue takes at most, to rehearse"
            " overload; without it as many as the machine can."
        ),
    ] = None
    wire_log: Annotated[
        int, Parameter(help="Requests, and frames, that `venue wire` can show; 0: none.")
    ] = 1_000
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
    demo_keys: Annotated[
        bool, Parameter(help="Whether the published keys of the demo accounts work.")
    ] = True
    demo_keys_on_network: Annotated[
        bool, Parameter(help="Allow the published demo keys on any host.", negative="")
    ] = False


def refused(options: DevOptions) -> str:
    """The reason why a venue cannot run with these options; empty when it can."""
    published = options.demo_keys and not options.demo_keys_on_network
    if options.host not in LOOPBACK and published:
        return (
            f"refusing to listen on {options.host}: the demo keys are published and anyone could "
            "trade with them. Use a loopback host, or say --no-demo-keys or --demo-keys-on-network."
        )
    if not 0 <= options.port <= PORT_MAX:
        return f"--port {options.port}: must be from 0 to {PORT_MAX}"
    if options.capacity is not None and not 1 <= options.capacity <= CAPACITY_MAX:
        return f"--capacity {options.capacity}: must be from 1 to {CAPACITY_MAX}"
    if not 0 <= options.wire_log <= WIRE_LOG_MAX:
        return f"--wire-log {options.wire_log}: must be from 0 to {WIRE_LOG_MAX}"
    if options.real_limits and not options.limits:
        return "--real-limits and --no-limits exclude each other"
    if options.state == "":
        return "--state: names no file; leave it out to keep everything in memory"
    if options.keep is not None:
        if options.state is None:
            return "--keep archives files: it needs --state"
        try:
            kept_us(options.keep)
        except ValueError as problem:
            return f"--keep {problem}"
    if clock_problem := _clock_refused(options):
        return clock_problem
    for proxy in options.trusted_proxy:
        try:
            ip_network(proxy)
        except ValueError as problem:
            return f"--trusted-proxy {proxy}: {problem}"
    return ""


def _clock_refused(options: DevOptions) -> str:
    """The fault in the options of time; empty when there is none."""
    if options.at is not None and options.clock in (None, "real"):
        return "--at: needs --clock manual, skip, rate or offset"
    if (options.rate is not None) != (options.clock == "rate"):
        return "--rate belongs to --clock rate, and --clock rate needs it"
    if options.rate is not None and not RATE.fullmatch(options.rate):
        return f"--rate {options.rate}: must be from 0.001 to 10000, with at most 3 decimals"
    if options.at is not None:
        try:
            moment_us(options.at)
        except ValueError as problem:
            return f"--at {options.at}: {problem}"
    return ""


def clock_text(options: DevOptions) -> str | None:
    """The clock's mode as the venue's setting; None when none is asked for."""
    if options.clock == "offset":
        return "offset 0"
    if options.rate is None:
        return options.clock
    whole, _, fraction = options.rate.partition(".")
    return f"rate {int(whole) * 1000 + int(fraction.ljust(3, '0'))}"


def kept_us(text: str) -> int:
    """How long to keep, in µs. ValueError: it is no span of time, or too short or too long."""
    with suppress(ValueError):
        kept = span_us(text)
        if KEPT_MIN_US <= kept <= KEPT_MAX_US:
            return kept
    raise ValueError(f"{text}: must be a span of time from 1h to 99999d, as 30d or 12h")


def serve(options: DevOptions) -> int:
    """Serve until told to stop; the exit code. Problems that a user can mend are told in words."""
    with importing():
        import uvloop
    try:
        return uvloop.run(_served(options, time.perf_counter()))
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            _die(f"port {options.port} on {options.host} is in use. Use --port 0 for any free one.")
        words = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
        _die(words, STOPPED if problem.errno in OF_THE_DISK else REFUSED)
    except _failures() as problem:
        _die(str(problem), STOPPED)
    except _refusals() as problem:
        _die(str(problem))


async def _served(options: DevOptions, began: float) -> int:
    """History's process makes itself ready while this one imports the rest."""
    from venue.history.process.link import end, worker

    process = await worker()
    try:
        with importing():
            from venue.cli.banner import announce
            from venue.main import run

        wired = _wired(options)

        def ready(running: Running) -> None:
            if options.ready_file is not None:
                _write_ready(options.ready_file, running)
            form = "line" if options.quiet else options.output
            announce(running, wired, form, time.perf_counter() - began)

        return await run(wired, ready, process)
    finally:
        await end(process)


def _wired(options: DevOptions) -> Options:
    """The venue's settings by these options. ClockRefused."""
    from venue.main import Options
    from venue.node.clock_modes import parsed

    mode = clock_text(options)
    return Options(
        host=options.host,
        port=options.port,
        state=options.state,
        seed=options.seed,
        agents=options.agents,
        limits=options.limits,
        real_limits=options.real_limits,
        strict=options.strict,
        history=options.history,
        batch_place=options.batch_place,
        depth_ms=options.depth_ms,
        capacity=options.capacity,
        keep_us=kept_us(options.keep) if options.keep is not None else None,
        operator_token=os.environ.get(OPERATOR_TOKEN, ""),
        hosts=options.allow_host,
        origins=options.allow_origin,
        proxies=options.trusted_proxy,
        demo_keys=options.demo_keys,
        clock=parsed(mode) if mode is not None else None,
        at=moment_us(options.at) if options.at is not None else None,
        wire_log=options.wire_log,
        resets=True,
    )


def _write_ready(path: str, running: Running) -> None:
    from venue import private_files
    from venue.cli.banner import described

    private_files.put(Path(path), json.dumps(described(running)).encode())


def _failures() -> tuple[type[Exception], ...]:
    """The exceptions that end a venue. Imported when one has failed: a start does not wait for
    it."""
    from venue.history.process.link import HistoryFailed
    from venue.journal.journal import JournalFailed

    return JournalFailed, HistoryFailed


def _refusals() -> tuple[type[Exception], ...]:
    """The exceptions that keep a venue from starting."""
    from venue.compiled import StaleBuild
    from venue.gateway.access.vault import VaultError
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, OtherRules
    from venue.node.clock_modes import ClockRefused

    return ClockRefused, JournalCorrupt, OtherRules, HistoryDamaged, VaultError, StaleBuild
