"""Serves a venue until a signal or a failure: the process of `venue dev` and `venue serve`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Callable

import msgspec

from venue.api.errors import ApiError
from venue.client import operator_tokens
from venue.gateway.bounds import bounds
from venue.gateway.door import Door
from venue.gateway.transport.server import listen
from venue.helpers.process import HelperProcess
from venue.journal.journal import JournalFailed
from venue.node.clock import SystemClock
from venue.node.garbage import collect_young_only
from venue.node.node import Node
from venue.node.sequencer import Stopped
from venue.running.doors import doors
from venue.running.opening import in_background, start_venue
from venue.running.options import Options

log = logging.getLogger("venue")


class Running(msgspec.Struct, frozen=True):
    """A venue that answers: where, and what it is made of."""

    host: str
    port: int
    door: Door

    @property
    def node(self) -> Node:
        """The venue without its doors."""
        return self.door.node


async def run(
    options: Options, ready: Callable[[Running], None], process: HelperProcess | None = None
) -> int:
    """Serve until a signal or a failure; the process's exit code. OSError: the address is taken.

    `ready` is called once, when the first request would be answered. `process` is one for history,
    which the caller has begun, and ends when it is left over.
    """
    failed: list[BaseException] = []
    stopping = asyncio.Event()

    def on_failure(problem: BaseException) -> None:
        if not isinstance(problem, JournalFailed):
            log.error("a defect stops the venue", exc_info=problem)
        failed.append(problem)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopping.set)
    bound = listen(options.host, options.port)
    try:
        await _serve(
            options,
            ready,
            stopping,
            bound,
            start_venue(options, SystemClock(), on_failure, process),
        )
    except (Stopped, ApiError):  # under way when the journal or a defect stopped the venue
        if not failed:
            raise
    for problem in failed:
        print(f"venue: stopped: {problem}", file=sys.stderr)
    return 3 if failed else 0


async def _serve(
    options: Options,
    ready: Callable[[Running], None],
    stopping: asyncio.Event,
    bound: socket.socket,
    opening: contextlib.AbstractAsyncContextManager[Door],
) -> None:
    """Open the venue and its doors, and close them again at a signal or a failure."""
    fit = bounds(limited=options.limits, factor=options.limits_factor())
    async with opening as door:
        node = door.node
        if fit.told:
            log.warning("%s", fit.told)
            door.health.warnings.append(fit.told)
        options, noted = _with_token(options, bound)
        async with doors(door, options, bound, fit):
            collect_young_only()
            async with in_background(node, options) as background:
                door.stop = stopping.set
                with noted:
                    ready(Running(options.host, bound.getsockname()[1], door))
                    await _until(stopping, background)


def _with_token(
    options: Options, bound: socket.socket
) -> tuple[Options, contextlib.AbstractContextManager[None]]:
    """Return a real venue's options with the token of its file, unless another is given, and the
    note that tells commands of it. OSError."""
    if options.practice or options.operator_token or options.state is None:
        return options, contextlib.nullcontext()
    token = operator_tokens.of_file(options.state)
    ip, port, *_ = bound.getsockname()
    noted = operator_tokens.publish_token(ip, port, options.state)
    return msgspec.structs.replace(options, operator_token=token), noted


async def _until(stopping: asyncio.Event, background: list[asyncio.Task[None]]) -> None:
    """Return at a signal or failure; raise what ended a background task."""
    waiting = asyncio.create_task(stopping.wait())
    done, _ = await asyncio.wait([waiting, *background], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    for task in done:
        problem = task.exception()
        if problem is not None and not isinstance(problem, Stopped):
            raise problem
