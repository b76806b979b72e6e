"""`venue crashtest`: a bot's command through incidents, judged by the venue's ledger."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import Profiled, die
from venue.cli.printing import tell

if TYPE_CHECKING:
    from venue.crashtest.campaign import CampaignReport, Result
    from venue.crashtest.incidents import Incident
    from venue.crashtest.trial import KeptRun, TrialPlan
    from venue.report.data import ReportData

REQUESTS: Final = (5, 10_000)
SECONDS: Final = (1.0, 3_600.0)
SIZE: Final = re.compile("[0-9]{1,12}([.][0-9]{1,12})?", re.ASCII)


def crashtest(
    *command: Annotated[str, Parameter(help="The bot, after --: its program and arguments.")],
    seed: Annotated[int, Parameter(help="Seed of the places where incidents happen.")] = 1,
    only: Annotated[
        tuple[str, ...], Parameter(help="This incident alone; may be repeated.", negative="")
    ] = (),
    requests: Annotated[int, Parameter(help="A run stops the bot at so many requests.")] = 60,
    seconds: Annotated[float, Parameter(help="And after so many seconds.")] = 60.0,
    stop: Annotated[float, Parameter(help="Seconds that the bot has to end after SIGTERM.")] = 10.0,
    may_hold: Annotated[
        bool, Parameter(help="Positions may be left when the bot has ended.", negative="")
    ] = False,
    max_orders: Annotated[
        int | None, Parameter(help="The bot's limit: orders open at a time.")
    ] = None,
    max_position: Annotated[
        str | None, Parameter(help="The bot's limit: its position in a market, as 0.5.")
    ] = None,
    profile: Profiled = "document",
    report: Annotated[
        str, Parameter(help="Where the report goes: NAME.html and NAME.json.")
    ] = "crashtest",
) -> None:
    """Run a bot through incidents on a venue of its own; ends with 1 when it fails one.

    The bot finds VENUE_URL, VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE in its environment. The
    exchange's own addresses lead to the venue too, as under `venue with`.
    """
    from venue.crashtest.judge import BotLimits
    from venue.crashtest.trial import TrialPlan
    from venue.lab.demo import SEED_MAX

    if not command:
        die("which bot? For instance: venue crashtest -- python bot.py")
    if shutil.which(command[0]) is None:
        die(f"{command[0]} cannot be started: there is no such program")
    if not 0 <= seed <= SEED_MAX:
        die(f"--seed {seed}: must be from 0 to {SEED_MAX}")
    if not REQUESTS[0] <= requests <= REQUESTS[1]:
        die(f"--requests {requests}: must be from {REQUESTS[0]} to {REQUESTS[1]}")
    for name, value in (("seconds", seconds), ("stop", stop)):
        if not SECONDS[0] <= value <= SECONDS[1]:
            die(f"--{name} {value:g}: must be from {SECONDS[0]:g} to {SECONDS[1]:g}")
    if max_orders is not None and max_orders < 0:
        die(f"--max-orders {max_orders}: must be 0 or more")
    if max_position is not None and not SIZE.fullmatch(max_position):
        die(f"--max-position {max_position}: must be a decimal such as 0.5")
    largest = Decimal(max_position) if max_position is not None else None
    plan = TrialPlan(
        command=list(command), seed=seed, requests=requests, seconds=seconds, stop_s=stop,
        limits=BotLimits(may_hold, max_orders, largest), profile=profile,
    )  # fmt: skip
    chosen = _chosen(only)
    _check_folder(report)
    sys.exit(_run(plan, chosen, report))


def _chosen(only: tuple[str, ...]) -> list[Incident]:
    """The incidents of these names, or all."""
    from venue.crashtest.incidents import ALL, named

    found = []
    for name in only:
        incident = named(name)
        if incident is None:
            die(f"--only {name}: there is no such incident; there are"
                f" {', '.join(one.name for one in ALL)}")  # fmt: skip
        found.append(incident)
    return found or list(ALL)


def _check_folder(report: str) -> None:
    """Refuse a report that cannot be written before the test runs."""
    folder = Path(report).parent
    if not folder.is_dir() or not Path(report).name:
        die(f"--report {report}: {folder} is no folder")


def _run(plan: TrialPlan, chosen: list[Incident], report: str) -> int:
    import asyncio

    from venue.crashtest.errors import CrashTestError
    from venue.practice import NotStarted
    from venue.redirect.outside import OtherProxy

    try:
        made = asyncio.run(_reported(plan, chosen, report))
        _write(made, report)
    except (CrashTestError, NotStarted, OtherProxy) as problem:
        die(str(problem))
    except OSError as problem:
        die(f"{problem.filename or report}: {problem.strerror}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        die("the crash test was stopped", 130)
    return 1 if made.failed() else 0


async def _reported(plan: TrialPlan, chosen: list[Incident], report: str) -> CampaignReport:
    from venue.crashtest.campaign import Campaign
    from venue.files import private_files
    from venue.report.making import write_report

    _stop_as_by_interrupt()

    def told(result: Result, kept: KeptRun | None) -> None:
        _print_result(result)
        path = Path(f"{report}-{result.name}.venue")
        if kept is not None and kept.run:
            private_files.put(path, kept.run)
            tell(f"{'':9}venue open {path}", flush=True)
        if kept is not None and kept.report is not None:
            page = path.with_suffix(".html")
            write_report(page, _add_verdict(plan, result, kept.report, path))
            tell(f"{'':9}report {page}", flush=True)

    return await Campaign(plan, _keep, told).report(chosen)


async def _keep(url: str) -> KeptRun:
    import asyncio

    return await asyncio.to_thread(_keep_run, url)


def _keep_run(url: str) -> KeptRun:
    """Return a file of the run of the venue at an address, and the data of its report."""
    from venue.bundle.file import sealed
    from venue.cli.commands.runs.bundling import run_of
    from venue.client.errors import FAILURES
    from venue.crashtest.trial import KeptRun
    from venue.report.data import ReportAbout, ReportBounds
    from venue.report.making import report_of

    try:
        run = sealed(run_of(url))
    except SystemExit:  # the reason is printed
        return KeptRun(b"", None)
    few = ReportBounds(refusals=3, orders=3, others=2, seconds=8.0)
    with suppress(*FAILURES):
        return KeptRun(run, report_of(url, ReportAbout("a crash test"), few))
    return KeptRun(run, None)


def _add_verdict(plan: TrialPlan, result: Result, data: ReportData, run: Path) -> ReportData:
    """The report's data with the verdict on an incident, and how to repeat it."""
    import msgspec

    from venue.crashtest.campaign import CampaignReport
    from venue.crashtest.report import again
    from venue.report.data import ReportCommand, ReportVerdict

    made = CampaignReport(plan.command, plan.seed, plan.requests, [result], plan.profile)
    findings = [f"{one.rule}: {one.words}" for one in result.findings]
    events = "; ".join(event.words for event in result.schedule)
    first = result.findings[0]
    lines = [first.words, *findings[1:], f"Incident: {result.story}. Shortest schedule: {events}."]
    return msgspec.structs.replace(
        data,
        title=f"crash test, {result.name}",
        verdict=ReportVerdict("failed", first.rule[:1].upper() + first.rule[1:], lines),
        seed=str(plan.seed),
        commands=[
            ReportCommand("This incident again", again(made, result)),
            ReportCommand("The run, at any of its commands", f"venue open {run.name}"),
        ],
    )


def _stop_as_by_interrupt() -> None:
    """SIGTERM and SIGHUP end this task as ^C does, and nothing is left running. They are not raised
    where the loop happens to be: a connection's task would get them, and tell of a defect."""
    import asyncio

    task = asyncio.current_task()
    assert task is not None, "called by a task"

    def stop() -> None:
        if not task.cancelling():
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)


def _print_result(result: Result) -> None:
    """Print one line of an incident, and one of each finding."""
    tell(f"{result.verdict:8} {result.name:28} {result.story}", flush=True)
    for finding in result.findings:
        tell(f"{'':9}{finding.rule}: {finding.words}")
    if result.findings:
        events = "; ".join(event.words for event in result.schedule)
        tell(f"{'':9}shortest schedule, {len(result.schedule)} of {result.drawn}: {events}")


def _write(made: CampaignReport, report: str) -> None:
    from venue.crashtest.report import as_html, as_json

    Path(f"{report}.json").write_text(as_json(made), "utf-8")
    Path(f"{report}.html").write_text(as_html(made), "utf-8")
    failed = len(made.failed())
    passed = sum(one.verdict == "passed" for one in made.results)
    tell(f"{passed} passed, {failed} failed, {len(made.results) - passed - failed} not met;"
          f" {report}.html, {report}.json")  # fmt: skip


COMMANDS: Final = {"crashtest": crashtest}
