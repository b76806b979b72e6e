"""Runs a crash test: a calm day, then each incident; shortens the schedule of a failed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from venue.crashtest import judge
from venue.crashtest.errors import CrashTestError
from venue.crashtest.incidents import Incident, draw
from venue.crashtest.judge import Finding
from venue.crashtest.schedule import OPENED, Event
from venue.crashtest.shrink import shortest
from venue.crashtest.trial import Keep, KeptRun, Trial, TrialPlan, TrialRun

PASSED: Final = "passed"
FAILED: Final = "failed"
NOT_MET: Final = "not met"


class Result(Struct, frozen=True):
    """The result of an incident. `schedule` is the shortest one under which the bot failed, `drawn`
    the number of events before shortening."""

    name: str
    story: str
    verdict: str
    findings: list[Finding]
    schedule: list[Event]
    drawn: int


class CampaignReport(Struct, frozen=True):
    """A crash test's results; none of them depends on the machine's time."""

    command: list[str]
    seed: int
    requests: int
    results: list[Result]
    profile: str = "document"

    def failed(self) -> list[Result]:
        """Return the incidents that the bot failed."""
        return [one for one in self.results if one.verdict == FAILED]


class Campaign:
    """Runs a plan's bot through incidents. `tell` is called with each result, and with the
    run in which the bot failed."""

    def __init__(
        self, plan: TrialPlan, keep: Keep, tell: Callable[[Result, KeptRun | None], None]
    ) -> None:
        self._plan = plan
        self._keep = keep
        self._tell = tell

    async def report(self, incidents: list[Incident]) -> CampaignReport:
        """Run all and return the report. CrashTestError: the bot cannot be tested."""
        calm = await self._run([], None)
        self._check(calm)
        results = []
        for incident in incidents:
            result, kept = await self._result(incident, calm)
            self._tell(result, kept)
            results.append(result)
        plan = self._plan
        return CampaignReport(plan.command, plan.seed, plan.requests, results, plan.profile)

    async def _run(self, events: list[Event], calm: Trial | None) -> Trial:
        return await TrialRun(self._plan, events, calm, self._keep).trial()

    def _check(self, calm: Trial) -> None:
        """CrashTestError: the bot sends no request, or fails without any incident."""
        name = self._plan.command[0]
        if calm.findings:
            told = "; ".join(f"{one.rule}: {one.words}" for one in calm.findings)
            raise CrashTestError(f"without any incident, {name} fails: {told}")
        if calm.counts["*"] == 0 and calm.counts[OPENED] == 0:
            raise CrashTestError(f"{name} asked the venue at VENUE_URL nothing")

    async def _result(self, incident: Incident, calm: Trial) -> tuple[Result, KeptRun | None]:
        events = draw(incident, self._plan.seed, calm.counts)
        if not events:
            return Result(incident.name, incident.story, NOT_MET, [], [], 0), None
        trial = await self._run(events, calm)
        if not trial.findings:
            verdict = PASSED if trial.met else NOT_MET
            return Result(incident.name, incident.story, verdict, [], [], len(events)), None
        worst = _worst(trial.findings)
        last = trial

        async def fails(tried: list[Event]) -> bool:
            nonlocal last
            found = await self._run(tried, calm)
            if not any(one.rule == worst for one in found.findings):
                return False
            last = found
            return True

        found = await shortest(events, fails)
        failed = Result(incident.name, incident.story, FAILED, last.findings, found, len(events))
        return failed, last.kept


_GRAVE: Final = (judge.TWICE, judge.ORPHAN, judge.LIMIT, judge.NOT_FLAT)


def _worst(findings: list[Finding]) -> str:
    """Return the most serious broken rule: a shorter schedule must break it too."""
    rules = [one.rule for one in findings]
    return next((rule for rule in _GRAVE if rule in rules), rules[0])
