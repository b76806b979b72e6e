"""The pytest plugin: fixtures, the marker, and the data that a failing test shows.

One venue runs for each worker and kind that tests ask for; each test finds it in its initial state.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Generator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import pytest

from venue.api.profile import Profile

if TYPE_CHECKING:
    from venue.practice import Practice
    from venue.report.gather import Ask
    from venue.testing.handle import Handle, Wire

URL: Final = "VENUE_URL"
BEGINNING: Final = "2026-01-01T00:00:00.000Z"  # as scenarios spell it: they share the server
MARKER: Final = (
    "venue(seed=1, clock='manual', at='2026-01-01T00:00:00Z', agents=True, profile='document',"
    " scenario=FILE): the options of the test's venue"
)
ARGUMENTS: Final[dict[str, type[Any]]] = {
    "seed": int,
    "clock": str,
    "at": str,
    "agents": bool,
    "profile": str,
    "scenario": str,
}
OPERATED: Final = "/_venue/"
LINES: Final = 20  # of the wire log that a failing test shows
_HANDLES: Final = pytest.StashKey["list[Handle]"]()


class Kind(NamedTuple):
    """The options with which a venue is started."""

    seed: int = 1
    at: str = BEGINNING
    agents: bool = True
    profile: str = Profile.DOCUMENT.value


class Servers:
    """The venues of this worker, by kind; or the one at VENUE_URL."""

    def __init__(self, given: str) -> None:
        self._given = given.rstrip("/")
        self._running: dict[Kind, Practice] = {}
        self._folders: list[tempfile.TemporaryDirectory[str]] = []
        self._markets: dict[str, dict[str, Any]] = {}
        self._made = 0

    def fresh(self, kind: Kind) -> Handle:
        """Return a venue of a kind, in its initial state. Refused, Unreachable, NotStarted."""
        from venue.testing.handle import Handle

        if self._given:
            return self.world(kind, agents=False)
        url = self._url(kind)
        handle = Handle(url, kind.seed, self._markets.setdefault(url, {}))
        handle.operator("reset")
        handle.wire.begin()
        return handle

    def world(self, kind: Kind, *, agents: bool) -> Handle:
        """Return a new world of a venue; its other worlds are not touched. `agents` act in it.
        Refused, Unreachable, NotStarted."""
        from venue.testing.handle import Handle

        host = self._given or self._url(kind)
        markets = self._markets.setdefault(host, {})
        self._made += 1
        name = f"test-{os.getpid()}-{self._made}"
        Handle(host, None, markets).operator("create_world", name=name, agents=agents)
        seed = None if self._given else kind.seed
        return Handle(f"{host}/w/{name}", seed, markets)

    def end(self, handle: Handle) -> None:
        """End the test: remove its world, if it had one."""
        from venue.testing.handle import Handle

        host, _, name = handle.url.rpartition("/w/")
        if host:
            Handle(host, None, {}).operator("delete_world", name=name)

    def _url(self, kind: Kind) -> str:
        from venue.practice import Practice

        if kind not in self._running:
            folder = tempfile.TemporaryDirectory(prefix="venue-")
            self._folders.append(folder)
            options = ["--seed", str(kind.seed), "--clock", "manual", "--at", kind.at]
            options += ["--profile", kind.profile]
            if not kind.agents:
                options.append("--no-agents")
            self._running[kind] = Practice(Path(folder.name), *options)
        return self._running[kind].url

    def stop(self) -> None:
        """End the venues that were started."""
        for running in self._running.values():
            running.begin_to_stop()
        for running in self._running.values():
            running.stop()
        for folder in self._folders:
            folder.cleanup()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def venue_servers() -> Iterator[Servers]:
    """Yield the venues that all tests of this worker share."""
    servers = Servers(os.environ.get(URL, ""))
    yield servers
    servers.stop()


@pytest.fixture
def venue(request: pytest.FixtureRequest, venue_servers: Servers) -> Iterator[Handle]:
    """A venue in its initial state, in manual time; the marker `venue` gives its options."""
    yield from _lent(request.node, venue_servers, lambda kind, _: venue_servers.fresh(kind))


@pytest.fixture
def venue_world(request: pytest.FixtureRequest, venue_servers: Servers) -> Iterator[Handle]:
    """A separate world, in which agents rest unless the marker says otherwise."""
    yield from _lent(
        request.node,
        venue_servers,
        lambda kind, given: venue_servers.world(kind, agents=given.get("agents", False)),
    )


@pytest.fixture
def wire(request: pytest.FixtureRequest) -> Wire:
    """The wire log of the test's venue, or of its world where it has no venue."""
    named = request.fixturenames
    only_world = "venue_world" in named and not {"venue", "venue_ccxt"} & set(named)
    handle: Handle = request.getfixturevalue("venue_world" if only_world else "venue")
    return handle.wire


@pytest.fixture
def venue_ccxt(venue: Handle) -> Callable[..., Any]:
    """Makes stock ccxt clients of the test's venue: `venue_ccxt("alice")`."""
    return venue.ccxt


def _fail(words: str) -> NoReturn:
    """End the test with one line; a traceback would say no more."""
    raise pytest.fail.Exception(words, pytrace=False) from None


def _lent(
    item: pytest.Item, servers: Servers, make: Callable[[Kind, dict[str, Any]], Handle]
) -> Iterator[Handle]:
    """Yield the venue or world that the marker asks for, until the test ends."""
    from venue.client.errors import FAILURES
    from venue.practice import NotStarted

    given = _marked(item)
    chosen = {"seed", "at", "agents", "profile", "scenario"} & given.keys()
    if chosen and os.environ.get(URL):
        own = "seed, at, agents, profile and scenario"
        _fail(f"the venue at {URL} has its own {own}: leave them out")
    try:
        handle = _made(given, lambda kind: make(kind, given))
    except (*FAILURES, NotStarted) as problem:
        _fail(f"no venue for this test: {problem}")
    item.stash.setdefault(_HANDLES, []).append(handle)
    yield handle
    servers.end(handle)


def _made(given: dict[str, Any], make: Callable[[Kind], Handle]) -> Handle:
    """Return the venue that a marker asks for."""
    if "scenario" in given:
        from venue.times import instant_text

        scenario = _scenario(given["scenario"])
        profile = given.get("profile", Profile.DOCUMENT.value)
        handle = make(Kind(scenario.seed, instant_text(scenario.clock), scenario.agents, profile))
        _played(scenario, handle)
    else:
        chosen = {name: given[name] for name in Kind._fields if name in given}
        handle = make(Kind(**chosen))
    if "clock" in given:
        mode, _, rate = given["clock"].partition(" ")
        handle.clock.set(mode, **({"rate": rate} if rate else {}))
    if given:  # its setting up is no part of the test
        handle.wire.begin()
    return handle


def _scenario(path: str) -> Any:
    from venue.scenario.file import load
    from venue.scenario.refused import ScenarioRefused

    try:
        return load(path)
    except ScenarioRefused as problem:
        _fail(f"scenario: {problem}")


def _played(scenario: Any, handle: Handle) -> None:
    """Play the scenario's steps, before the test begins."""
    from venue.scenario.runner import Runner, ScenarioFailed

    try:
        wrong = [one for one in Runner(scenario, handle.url).run() if one.problems]
    except ScenarioFailed as problem:
        _fail(f"scenario: {problem}")
    if wrong:
        told = "; ".join(f"{one.step}: {', '.join(one.problems)}" for one in wrong)
        _fail(f"scenario: {told}")


def _marked(item: pytest.Item) -> dict[str, Any]:
    """Return the marker's arguments; an unknown one, or one of another type, ends the test with one
    line."""
    from venue.lab.demo import SEED_MAX

    found: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("venue"))):
        if marker.args:
            _fail("the marker venue takes its arguments by name")
        found |= marker.kwargs
    for name, value in found.items():
        if name not in ARGUMENTS:
            known = ", ".join(ARGUMENTS)
            _fail(f"the marker venue has no argument {name}; it has {known}")
        kind = ARGUMENTS[name]
        if type(value) is not kind:
            _fail(f"the marker venue: {name} must be of type {kind.__name__}")
    if "scenario" in found and {"seed", "at", "agents"} & found.keys():
        words = "the marker venue: a scenario has a seed, a time and agents of its own"
        _fail(words)
    if found.get("profile", Profile.DOCUMENT) not in list(Profile):
        _fail(f"the marker venue: profile must be {' or '.join(Profile)}")
    if not 0 <= found.get("seed", 0) <= SEED_MAX:
        _fail(f"the marker venue: seed must be from 0 to {SEED_MAX}")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Add the venue's state at the end to the report of a failing test."""
    report = yield
    if report.when == "call" and report.failed:
        handles: list[Handle] = item.stash.get(_HANDLES, [])
        for number, handle in enumerate(handles):
            stem = _file_stem(item, number)
            log, run = _log(handle), _kept_run(item, handle, stem)  # before `_state` clears
            faults, state = _state(handle)
            page = _written_report(item, handle, stem, report, faults)
            told = "\n".join([state, *run, *page])
            report.sections += [("venue", told), ("venue's wire log", log)]
    return report


def _file_stem(item: pytest.Item, number: int) -> str:
    """Return the name of a test's files; a second venue of the test has its own."""
    stem = re.sub(r"[^0-9A-Za-z_]+", "-", item.name)
    return f"{stem}-{number + 1}" if number else stem


def _state(handle: Handle) -> tuple[list[dict[str, Any]], str]:
    """Return the rules of faults, which are removed, and the venue's state in words."""
    from venue.client.errors import FAILURES
    from venue.report.gather import asking
    from venue.times import US_PER_MS, instant_text

    # A venue that the tests started has ended when its address is read.
    lines = [handle.url if handle.seed is None else f"seed {handle.seed}"]
    faults: list[dict[str, Any]] = []
    try:
        lines.append(f"venue time {instant_text(handle.clock.now() * US_PER_MS)}")
        faults = handle.operator("faults")
        for one in faults:
            lines.append(f"fault {one['id']} {one['effect']}: {one['hits']} of {one['matched']}")
        handle.faults.clear()  # the questions that follow meet none
        with asking(handle.url) as ask:
            for one in ask("owners", "", {}):
                if one["name"] in handle.accounts:
                    lines.append(f"{one['name']}: {'; '.join(_account(ask, one))}")
    except FAILURES as problem:
        lines.append(str(problem))
    return faults, "\n".join(lines)


def _account(ask: Ask, owner: dict[str, Any]) -> list[str]:
    """Return an owner's open orders, money and positions, in words."""
    name = owner["name"]
    spot = []
    for one in ask("account", name, {})["balances"]:
        locked = f" ({one['locked']} locked)" if Decimal(one["locked"]) else ""
        spot.append(f"{one['free']} {one['asset']}{locked}")
    margin = [f"{one['balance']} {one['asset']}"
              for row in ("contract_balance", "demo_balance")
              for one in ask(row, name, {}) if Decimal(one["balance"])]  # fmt: skip
    held = [f"{one['side']} {one['size']} {one['symbol']} at {one['entryPrice']}, profit"
            f" {one['unrealizePnl']} {one['asset']}"
            for one in ask("operator_positions", "", {"owner": name})]  # fmt: skip
    told = [f"{owner['openOrders']} open order{'s' * (owner['openOrders'] != 1)}"]
    told += [f"spot {', '.join(spot)}"] * bool(spot)
    told += [f"contracts {', '.join(margin)}"] * bool(margin)
    return told + held


def _kept_run(item: pytest.Item, handle: Handle, stem: str) -> list[str]:
    """Return a line on how to open the venue's run, which stays in pytest's cache; empty if there
    is none."""
    from venue.bundle.file import RunRefused, write
    from venue.bundle.gathering import PATIENCE_S, gathered
    from venue.client.blocking import Client
    from venue.client.errors import FAILURES, words

    cache = getattr(item.config, "cache", None)
    if cache is None:
        return []
    path = cache.mkdir("venue") / f"{stem}.venue"
    try:
        path.unlink(missing_ok=True)  # of an earlier session
        with Client(handle.url, timeout_s=PATIENCE_S) as client:
            write(str(path), gathered(client))
    except FAILURES as problem:
        return [words(problem)]
    except (RunRefused, OSError) as problem:
        return [str(problem)]
    return [f"venue open {path}"]


def _written_report(
    item: pytest.Item,
    handle: Handle,
    stem: str,
    failed: pytest.TestReport,
    faults: list[dict[str, Any]],
) -> list[str]:
    """Return a line that names the report of the test's venue, which stays in pytest's cache; empty
    if there is none."""
    from venue.report.data import ReportAbout, ReportBounds, ReportCommand, ReportVerdict
    from venue.report.making import report_of, write_report

    cache = getattr(item.config, "cache", None)
    if cache is None:
        return []
    folder = cache.mkdir("venue")
    path, run = folder / f"{stem}.html", folder / f"{stem}.venue"
    crash = getattr(failed.longrepr, "reprcrash", None)
    words = str(getattr(crash, "message", "") or "the test failed").splitlines()
    commands = [ReportCommand("This test again", f"pytest {item.nodeid}")]
    if run.exists():
        commands.append(ReportCommand("The run, at any of its commands", f"venue open {run.name}"))
    about = ReportAbout(
        item.nodeid,
        ReportVerdict("failed", f"{item.name}: {words[0]}", words[1:6]),
        commands,
        "" if handle.seed is None else str(handle.seed),
        handle.wire.after,
        faults,
    )
    few = ReportBounds(refusals=3, orders=2, others=1, seconds=5.0)
    try:
        write_report(path, report_of(handle.url, about, few))
    except Exception as problem:  # noqa: BLE001 - whatever it is, the test's own failure is told
        return [f"no report: {problem or type(problem).__name__}"]
    return [f"report {path}"]


def _log(handle: Handle) -> str:
    """Return the last requests of clients with their answers, without the test's own operator
    calls."""
    from venue.client.defaults import DEFAULT_URL
    from venue.client.errors import FAILURES
    from venue.client.wire_lines import line

    try:
        entries = handle.wire.entries()
    except FAILURES as problem:
        return str(problem)
    # The commands that repeat a request are for `venue open`, which has the default address.
    where = DEFAULT_URL if handle.seed is not None else handle.url
    shown = [line(one, where) for one in entries if not one["path"].startswith(OPERATED)]
    left = len(shown) - LINES
    return "\n".join([f"({left} before)"] * (left > 0) + shown[-LINES:] or ["nothing was asked"])
