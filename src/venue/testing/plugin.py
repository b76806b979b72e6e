"""The plugin that pytest finds: fixtures, the marker, and what a failing test shows.

One venue runs for each worker and kind that tests ask for; it is as it began before each test.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from venue.practice import Practice
    from venue.testing.handle import Handle

URL: Final = "VENUE_URL"
BEGINNING: Final = "2026-01-01T00:00:00Z"
SEED_MAX: Final = 2**31 - 1
MARKER: Final = (
    "venue(seed=1, clock='manual', at='2026-01-01T00:00:00Z', agents=True, scenario=FILE): what"
    " the test's venue is like"
)
ARGUMENTS: Final[dict[str, type[Any]]] = {
    "seed": int,
    "clock": str,
    "at": str,
    "agents": bool,
    "scenario": str,
}
_HANDLE: Final = pytest.StashKey["Handle"]()


class Kind(NamedTuple):
    """What a venue is started with; None is as it comes."""

    seed: int | None = None
    at: str | None = None
    agents: bool | None = None


class Servers:
    """The venues of this worker, by kind; or the one that is at VENUE_URL."""

    def __init__(self, given: str) -> None:
        self._given = given.rstrip("/")
        self._running: dict[Kind, Practice] = {}
        self._folders: list[tempfile.TemporaryDirectory[str]] = []
        self._markets: dict[str, dict[str, Any]] = {}
        self._made = 0

    def fresh(self, kind: Kind) -> Handle:
        """A venue of a kind, as it was when it began. VenueRefused, NotStarted."""
        from venue.testing.handle import Handle

        if self._given:
            return self._world(kind)
        url = self._url(kind)
        handle = Handle(url, kind.seed, self._markets.setdefault(url, {}))
        handle.operator("reset")
        return handle

    def end(self, handle: Handle) -> None:
        """The test is over: its world goes, if it had one."""
        if self._given:
            self._host().operator("delete_world", name=handle.url.rpartition("/")[2])

    def _world(self, kind: Kind) -> Handle:
        """A new world of the venue that is there: what others do in that venue is left alone."""
        from venue.testing.handle import Handle

        if kind != Kind():
            _fail(f"seed, at, agents and scenario are what the venue at {URL} has: leave them out")
        self._made += 1
        name = f"test-{os.getpid()}-{self._made}"
        self._host().operator("create_world", name=name)
        markets = self._markets.setdefault(self._given, {})
        return Handle(f"{self._given}/w/{name}", None, markets)

    def _host(self) -> Handle:
        from venue.testing.handle import Handle

        return Handle(self._given, None, {})

    def _url(self, kind: Kind) -> str:
        from venue.practice import Practice

        if kind not in self._running:
            folder = tempfile.TemporaryDirectory(prefix="venue-")
            self._folders.append(folder)
            options = ["--seed", str(1 if kind.seed is None else kind.seed)]
            options += ["--clock", "manual", "--at", kind.at or BEGINNING]
            if kind.agents is False:
                options.append("--no-agents")
            self._running[kind] = Practice(Path(folder.name), *options)
        return self._running[kind].url

    def stop(self) -> None:
        """End what was started."""
        for running in self._running.values():
            running.stop()
        for folder in self._folders:
            folder.cleanup()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def venue_servers() -> Iterator[Servers]:
    """The venues behind all tests of this worker."""
    servers = Servers(os.environ.get(URL, ""))
    yield servers
    servers.stop()


@pytest.fixture
def venue(request: pytest.FixtureRequest, venue_servers: Servers) -> Iterator[Handle]:
    """A venue as it began, in manual time; the marker `venue` says what it is like."""
    from venue.practice import NotStarted
    from venue.testing.handle import VenueRefused

    given = _marked(request.node)
    try:
        handle = _made(venue_servers, given)
    except (VenueRefused, NotStarted) as problem:
        _fail(f"no venue for this test: {problem}")
    request.node.stash[_HANDLE] = handle
    yield handle
    venue_servers.end(handle)


@pytest.fixture
def venue_ccxt(venue: Handle) -> Callable[..., Any]:
    """Makes stock ccxt clients of the test's venue: `venue_ccxt("alice")`."""
    return venue.ccxt


def _fail(words: str) -> NoReturn:
    """The test ends with one line: no traceback says more."""
    raise pytest.fail.Exception(words, pytrace=False) from None


def _made(servers: Servers, given: dict[str, Any]) -> Handle:
    """The venue that a marker asks for."""
    from venue.cli.rehearsal.scenarios import instant

    kind = Kind(given.get("seed"), given.get("at"), given.get("agents"))
    if "scenario" not in given:
        handle = servers.fresh(kind)
    else:
        scenario = _scenario(given["scenario"])
        handle = servers.fresh(Kind(scenario.seed, instant(scenario), scenario.agents))
        _played(scenario, handle)
    if "clock" in given:
        handle.clock.set(given["clock"])
    return handle


def _scenario(path: str) -> Any:
    from venue.scenario.file import load
    from venue.scenario.refused import ScenarioRefused

    try:
        return load(path)
    except ScenarioRefused as problem:
        _fail(f"scenario: {problem}")


def _played(scenario: Any, handle: Handle) -> None:
    """The scenario's steps, before the test begins."""
    from venue.cli.rehearsal.scenarios import outcomes
    from venue.scenario.runner import Failed

    try:
        wrong = [one for one in outcomes(scenario, handle.url) if one.problems]
    except Failed as problem:
        _fail(f"scenario: {problem}")
    if wrong:
        told = "; ".join(f"{one.step}: {', '.join(one.problems)}" for one in wrong)
        _fail(f"scenario: {told}")


def _marked(item: pytest.Item) -> dict[str, Any]:
    """The marker's arguments; one line ends the test when there is another, or of another type."""
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
    if not 0 <= found.get("seed", 0) <= SEED_MAX:
        _fail(f"the marker venue: seed must be from 0 to {SEED_MAX}")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """A failing test says what its venue was like at the end."""
    report = yield
    handle = item.stash.get(_HANDLE, None)
    if handle is not None and report.when == "call" and report.failed:
        report.sections.append(("venue", _state(handle)))
    return report


def _state(handle: Handle) -> str:
    from venue.testing.handle import VenueRefused

    lines = [f"seed {1 if handle.seed is None else handle.seed}, {handle.url}"]
    if os.environ.get(URL):
        lines = [handle.url]
    try:
        lines.append(f"venue time {handle.clock.now()} ms")
        for one in handle.operator("faults"):
            lines.append(f"fault {one['id']} {one['effect']}: {one['hits']} of {one['matched']}")
        for one in handle.operator("owners"):
            if one["name"] in handle.accounts:
                lines.append(f"{one['name']}: {one['openOrders']} open orders")
    except VenueRefused as problem:
        lines.append(str(problem))
    return "\n".join(lines)
