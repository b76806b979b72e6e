"""One run of a bot through a schedule, from a new venue to the verdict."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from venue.crashtest import judge
from venue.crashtest.acts import Acts
from venue.crashtest.command import Command
from venue.crashtest.door import CONNECTIONS_MAX, BehindDoor, BotDoor, CutOff
from venue.crashtest.errors import CrashTestError
from venue.crashtest.judge import BotLimits, Finding, JudgedLedger, executed, judged
from venue.crashtest.operator import OWNER, Operator
from venue.crashtest.record import PLACING, Record, RecordedExchange, market_of
from venue.crashtest.schedule import COUNTED, OPENED, PINGS, SLOW, Event, is_like, rule
from venue.lab import demo
from venue.practice import NotStarted, Practice
from venue.redirect import certificates
from venue.redirect.doors import Doors, Ports
from venue.redirect.environment import RedirectPlan, environment
from venue.redirect.outside import Outside, before
from venue.redirect.passing import address
from venue.report.data import ReportData
from venue.times import US_PER_MS, instant_us

BEGINNING: Final = "2026-01-01T07:59:00Z"  # funding is due at 08:00
BEAT_MS: Final = 500  # venue time that passes before each request
IDLE_S: Final = 2.0  # time is advanced for a bot that sends nothing for so long
LISTENS_S: Final = 0.5  # one that listens to a stream may wait for a frame
LATER: Final = 6  # beats after which an act is taken back
LOOK_S: Final = 0.02
FIRST_S: Final = 30.0  # within which the first request must come
FLOOD: Final = 20  # times the requests of a run
OUTPUT_MAX: Final = 50_000_000
RESTART: Final = "restart"


class KeptRun(Struct, frozen=True):
    """A run in which the bot broke a rule: a file of it, empty when its venue did not give one, and
    the data of its report."""

    run: bytes
    report: ReportData | None


Keep = Callable[[str], Awaitable[KeptRun]]


class TrialPlan(Struct, frozen=True, kw_only=True):
    """The settings that all runs of a crash test share. A run is stopped after this many requests,
    or seconds; `stop_s` is how long the bot may take to exit."""

    command: list[str]
    seed: int
    requests: int
    seconds: float
    stop_s: float
    limits: BotLimits
    profile: str = "document"


class Trial(Struct, frozen=True):
    """The outcome of a run: whether its events affected the bot, and the rules that the bot broke.
    `counts` are its requests by kind, `markets` the markets of its orders, `planned` the orders
    that it executed by intent; None when it did not exit by itself. `fresh`: no order was placed
    from the frozen book of a stream."""

    met: bool
    findings: list[Finding]
    counts: dict[str, int]
    markets: list[tuple[str, str]]
    planned: dict[str, int] | None
    fresh: bool
    kept: KeptRun | None = None  # when the bot broke a rule


class TrialRun:
    """One run; `calm` is the trial of the bot's calm day, None: this is the calm day. `keep` keeps
    the run of the venue at an address."""

    def __init__(
        self, plan: TrialPlan, events: list[Event], calm: Trial | None, keep: Keep
    ) -> None:
        self._keep = keep
        self._plan = plan
        self._events = events
        self._calm = calm
        self._met = False
        self._findings: list[Finding] = []
        self._seen = [0] * len(events)
        self._undo_at = 0
        self._beats = 0  # requests, and waits of a bot that listens
        self._stop_at: float | None = None
        self._broken: Exception | None = None  # an operator's act that failed

    async def trial(self) -> Trial:
        """Run the bot. CrashTestError: the venue refused a necessary step, or the bot cannot
        start."""
        with tempfile.TemporaryDirectory(prefix="venue-") as folder:
            self._folder = Path(folder)
            self._practice = Practice(self._folder, *self._options(first=True))
            try:
                return await self._with_venue()
            finally:
                self._practice.kill()

    def _options(self, *, first: bool) -> list[str]:
        """Return the venue's options; after a restart its time continues."""
        given = ["--seed", str(self._plan.seed), "--profile", self._plan.profile]
        if any(event.do == RESTART for event in self._events):
            given += ["--state", str(self._folder / "venue.db")]
        return [*given, "--clock", "manual", "--at", BEGINNING] if first else given

    async def _with_venue(self) -> Trial:
        beginning = instant_us(BEGINNING) // US_PER_MS
        self._operator = Operator(lambda: self._practice.url, beginning)
        self._acts = Acts(self._operator, self._calm.markets if self._calm else [])
        for number, event in enumerate(self._events):
            if event.effect is not None:
                await self._operator.ask("add_fault", **rule(number, event, OWNER))
        if self._calm is None:
            await self._count_frames()
        self._door = BotDoor(
            BehindDoor(
                port=lambda: self._practice.port,
                now=lambda: self._operator.time,
                before=self._before,
                look=self._look,
                wrong=self._find,
            )
        )
        self._url = url = await self._door.open()
        exchange = Doors(address(url), certificates.make(self._folder), Outside(before(os.environ)))
        try:
            ports = await exchange.open(None)
            self._command = await Command.start(
                self._plan.command,
                _environment(url, ports, self._folder),
                self._folder / "said.txt",
            )
            try:
                await self._live()
            finally:
                await self._command.end()
        finally:
            await exchange.close()
            await self._door.close()
        return await self._verdict()

    async def _count_frames(self) -> None:
        """Add fault rules that never apply: they count frames as those of incidents will."""
        for at, on in enumerate(COUNTED):
            event = Event(on, 1, {"kind": "ws.gap"})
            values = {**rule(0, event, OWNER), "id": f"count-{at}"}
            await self._operator.ask("add_fault", **values, enabled=False)

    async def _look(self) -> None:
        try:
            await self._operator.ask("health")
        except CrashTestError as problem:
            self._broken = problem

    # -- while the bot runs -----------------------------------------------------------------------

    async def _live(self) -> None:
        """Wait until the bot has ended by itself, or was told to and its time is over."""
        began = time.monotonic()
        door, command = self._door, self._command
        while not await command.wait(LOOK_S):
            if self._broken is not None:
                raise self._broken
            now = time.monotonic()
            if self._stop_at is not None:
                if now > self._stop_at + self._plan.stop_s:
                    words = f"{self._plan.stop_s:g} s after SIGTERM it was still there"
                    self._findings.append(Finding(judge.HUNG, words))
                    return
            elif now > began + self._plan.seconds or (
                not door.record.exchanges and not door.record.sockets and now > began + FIRST_S
            ):
                self._stop()
            elif now > door.quiet_since() + (LISTENS_S if door.listens() else IDLE_S) and (
                door.record.exchanges or door.record.sockets
            ):
                await self._wait_for()
            if self._flooding():
                return
        if self._flooding():  # it ended before that was looked at, perhaps because of it
            return
        if command.code and self._stop_at is None:
            host = self._url.removeprefix("http://")  # another one in each run
            said = command.last_words().replace(self._url, "VENUE_URL").replace(host, "VENUE")
            words = f"with code {command.code}: {said}"
            self._findings.append(Finding(judge.ENDED, words))

    async def _wait_for(self) -> None:
        """Advance time for a bot that sends nothing."""
        door = self._door
        async with door.in_turn():
            if door.listens():
                await self._count_beat()
            await self._operator.pass_time(BEAT_MS)
            await door.settle()
        door.note_time()

    async def _count_beat(self) -> None:
        """Count a beat: end an act whose time is over, and stop the bot after its last request."""
        self._beats += 1
        if self._acts.later and self._beats >= self._undo_at:
            await self._acts.later.pop()()
        if self._beats == self._plan.requests:
            self._stop()

    def _flooding(self) -> bool:
        record = self._door.record
        if self._command.size() > OUTPUT_MAX:
            words = f"it printed more than {OUTPUT_MAX // 1_000_000} MB"
        elif self._door.flooded:
            words = f"it had more than {CONNECTIONS_MAX} connections at a time"
        elif len(record.exchanges) + record.sockets > FLOOD * self._plan.requests:
            words = f"it sent more than {FLOOD * self._plan.requests} requests and did not stop"
        else:
            return False
        self._findings.append(Finding(judge.FLOOD, words))
        return True

    def _stop(self) -> None:
        self._stop_at = time.monotonic()
        self._command.ask_to_stop()

    async def _before(self, exchange: RecordedExchange) -> None:
        """Do the schedule's acts before a request, then advance venue time a little."""
        try:
            await self._prepare(exchange)
        except (CrashTestError, NotStarted) as problem:
            self._broken = problem
            raise CutOff from None

    async def _prepare(self, exchange: RecordedExchange) -> None:
        operator = self._operator
        for number, event in enumerate(self._events):
            if is_like(event.on, exchange.operation, exchange.method):
                self._seen[number] += 1
                if event.do and self._seen[number] == event.nth:
                    await self._do(event, exchange)
        await self._count_beat()
        await operator.pass_time(BEAT_MS)
        exchange.time = operator.time

    async def _do(self, event: Event, exchange: RecordedExchange) -> None:
        self._undo_at = self._beats + LATER
        if event.do == SLOW:
            self._door.hold()
            self._acts.later.append(self._release)
            return
        if event.do != RESTART:
            with suppress(CrashTestError):  # an act that is impossible now has not met the bot
                self._met = await self._acts.do(event.do, exchange) or self._met
            return
        self._met = True
        self._door.cut()
        self._practice.kill()
        self._practice = Practice(self._folder, *self._options(first=False))

    async def _release(self) -> None:
        self._door.release()

    def _find(self, name: str, words: str) -> None:
        finding = Finding(name, words)
        if finding not in self._findings:
            self._findings.append(finding)

    # -- afterwards -------------------------------------------------------------------------------

    async def _verdict(self) -> Trial:
        operator, record = self._operator, self._door.record
        quiet = [f"event-{number}" for number, event in enumerate(self._events) if event.noise]
        rules = await operator.ask("faults")
        hit = any(one["hits"] for one in rules if one["id"] not in quiet)
        await operator.ask("clear_faults")
        for undo in self._acts.later:
            await undo()
        markets = _markets(record)
        ledger = JudgedLedger(
            await operator.orders(markets),
            await operator.fills(markets),
            await operator.open_orders(),
            await operator.positions(),
        )
        health = await operator.ask("health")
        if health["status"] != "ok":
            self._find("the venue is not well", health["status"])
        calm = self._calm
        planned = calm.planned if calm else None
        findings = [*self._findings, *judged(record, ledger, self._plan.limits, planned)]
        still = judge.stale(record, ledger)
        if calm is not None and calm.fresh and any(one.is_of_streams for one in self._events):
            findings += still
        unlike = [one for at, one in enumerate(findings) if one not in findings[:at]]
        ended = self._stop_at is None and not self._findings
        done = executed(record, ledger) if ended else None
        seen = {on: rules[at]["matched"] if calm is None else 0 for at, on in enumerate(COUNTED)}
        counts = _counts(record) | seen
        met = self._met or hit or self._door.held
        kept = await self._keep(self._practice.url) if unlike else None
        return Trial(met, unlike, counts, markets, done, not still, kept)


def _environment(url: str, ports: Ports, folder: Path) -> dict[str, str]:
    """Return the environment of the bot, which also redirects the exchange's own addresses to the
    proxy."""
    account = next(one for one in demo.ACCOUNTS if one.name == OWNER)
    plan = RedirectPlan(url, account.key, account.secret, demo.PASSPHRASE, folder, only=False)
    socket = url.replace("http", "ws", 1)
    return environment(os.environ, plan, ports, isolated=False) | {
        "VENUE_WS_SPOT": f"{socket}/spot/v3/ws",
        "VENUE_WS_CONTRACT": f"{socket}/contract/v3/ws",
    }


def _counts(record: Record) -> dict[str, int]:
    """Return how many requests there were of each kind that events count."""
    kinds = ("place*", "cancel*", "GET", "*")
    counts = {
        kind: sum(is_like(kind, one.operation, one.method) for one in record.exchanges)
        for kind in kinds
    }
    counts[OPENED] = counts[PINGS] = record.sockets
    return counts


def _markets(record: Record) -> list[tuple[str, str]]:
    """Return the markets where the bot placed orders."""
    found: list[tuple[str, str]] = []
    for one in record.exchanges:
        if one.operation in PLACING and isinstance(one.values.get("symbol"), str):
            market = market_of(one)
            if market not in found:
                found.append(market)
    return found
