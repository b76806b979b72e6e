"""`venue dev`: its own options, their checks, and its settings."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter
from msgspec import structs

from venue.cli.serving.shared import LOOPBACK, SharedOptions, shared_refused
from venue.times import moment_us

if TYPE_CHECKING:
    from venue.running.options import Options

CAPACITY_MAX: Final = 1_000_000
WIRE_LOG_MAX: Final = 10_000
RATE: Final = re.compile("(?!0+([.]0+)?$)([0-9]{1,4}([.][0-9]{1,3})?|10000([.]0{1,3})?)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class DevOptions:
    """The options of `venue dev` alone."""

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
    history: Annotated[bool, Parameter(help="Whether candles precede the first trade.")] = True
    clock: Annotated[
        Literal["real", "offset", "rate", "manual", "skip"] | None,
        Parameter(help="How time passes; without it as before, or as the machine's."),
    ] = None
    rate: Annotated[
        str | None, Parameter(help="With --clock rate: seconds that pass in one, 0.001 to 10000.")
    ] = None
    at: Annotated[
        str | None,
        Parameter(
            help="With --clock: the time to begin at, as 2026-01-01T00:00:00Z, where a new venue"
            " with a manual clock begins by itself."
        ),
    ] = None
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
    demo_keys: Annotated[
        bool, Parameter(help="Whether the published keys of the demo accounts work.")
    ] = True
    demo_keys_on_network: Annotated[
        bool, Parameter(help="Allow the published demo keys on any host.", negative="")
    ] = False


def refused(shared: SharedOptions, options: DevOptions) -> str:
    """The reason why a venue cannot run with these options; empty when it can."""
    published = options.demo_keys and not options.demo_keys_on_network
    if shared.host not in LOOPBACK and published:
        return (
            f"refusing to listen on {shared.host}: the demo keys are published and anyone could "
            "trade with them. Use a loopback host, or say --no-demo-keys or --demo-keys-on-network."
        )
    if options.capacity is not None and not 1 <= options.capacity <= CAPACITY_MAX:
        return f"--capacity {options.capacity}: must be from 1 to {CAPACITY_MAX}"
    if not 0 <= options.wire_log <= WIRE_LOG_MAX:
        return f"--wire-log {options.wire_log}: must be from 0 to {WIRE_LOG_MAX}"
    if options.real_limits and not options.limits:
        return "--real-limits and --no-limits exclude each other"
    if options.demo_keys_on_network and not options.demo_keys:
        return "--demo-keys-on-network and --no-demo-keys exclude each other"
    if shared.state == "":
        return "--state: names no file; leave it out to keep everything in memory"
    return shared_refused(shared) or _clock_refused(options)


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


def _exists(state: str | None) -> bool:
    """Whether the file has a past, and so a time, of its own."""
    return state is not None and os.path.exists(state)


def settled(options: DevOptions, shared: Options) -> Options:
    """A practice venue's settings. ClockRefused."""
    from venue.node.clock_modes import BEGIN, parse_mode

    mode = clock_text(options)
    begin = options.at
    if begin is None and options.clock == "manual" and not _exists(shared.state):
        begin = BEGIN
    return structs.replace(
        shared,
        seed=options.seed,
        agents=options.agents,
        limits=options.limits,
        real_limits=options.real_limits,
        history=options.history,
        capacity=options.capacity,
        demo_keys=options.demo_keys,
        clock=parse_mode(mode) if mode is not None else None,
        at=moment_us(begin) if begin is not None else None,
        wire_log=options.wire_log,
        resets=True,
    )
