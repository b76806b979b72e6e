"""Runs one command whose exchange is a venue."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from venue.redirect import certificates
from venue.redirect.command import Foreground
from venue.redirect.doors import Doors
from venue.redirect.environment import RedirectPlan, environment
from venue.redirect.isolation import Isolation, isolate
from venue.redirect.names import NameServer
from venue.redirect.outside import Outside, before
from venue.redirect.passing import address
from venue.redirect.traffic import told

UNSURE = "this system cuts no program off; one that uses neither the hooks nor the proxy may go out"


def run(
    words: tuple[str, ...], plan: RedirectPlan, stop_s: float, say: Callable[[str], None]
) -> int:
    """Return the exit code of a command. `say` hears sentences for its user. OtherProxy; NotRun;
    OSError: a file of certificates cannot be written."""
    proxy = None if plan.only else Outside(before(os.environ))
    isolation = isolate(plan.folder, address(plan.url).own_port) if plan.only else None
    if plan.only and isolation is None:
        say(UNSURE)
    doors = Doors(address(plan.url), certificates.make(plan.folder), proxy)
    foreground = Foreground(stop_s, isolation, say)
    code = asyncio.run(_run(doors, foreground, words, plan, isolation))
    for line in told(doors.traffic):
        say(line)
    return code


async def _run(
    doors: Doors,
    foreground: Foreground,
    words: tuple[str, ...],
    plan: RedirectPlan,
    isolation: Isolation | None,
) -> int:
    loop = asyncio.get_running_loop()
    if isolation is not None:
        server = NameServer(isolation.asked, doors.traffic)
        loop.add_reader(isolation.asked, server.answer)
    try:
        ports = await doors.open(isolation)
        made = environment(os.environ, plan, ports, isolated=isolation is not None)
        return await foreground.run(words, made)
    finally:
        await doors.close()
        if isolation is not None:
            loop.remove_reader(isolation.asked)
            isolation.close()
