"""A crash test's report: JSON for programs, and one self-contained HTML file."""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any, Final

from venue.crashtest.campaign import FAILED, PASSED, CampaignReport, Result

_MARKS: Final = {PASSED: "pass", FAILED: "fail"}
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } code { font-size: .9em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; }
td { border-top: 1px solid #8884; }
.pass { color: #1a7f37; } .fail { color: #cf222e; font-weight: 600; } .none { opacity: .65; }
ul { margin: 0; padding-left: 1.1rem; }
@media (prefers-color-scheme: dark) { .pass { color: #4ac26b; } .fail { color: #ff7b72; } }
"""


def as_json(report: CampaignReport) -> str:
    """Return the report as JSON; the same crash test gives the same bytes."""
    told = {
        "command": report.command,
        "seed": report.seed,
        "profile": report.profile,
        "requests": report.requests,
        "failed": len(report.failed()),
        "incidents": [_incident(report, one) for one in report.results],
    }
    return json.dumps(told, indent=1) + "\n"


def _incident(report: CampaignReport, result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "story": result.story,
        "verdict": result.verdict,
        "findings": [{"rule": one.rule, "words": one.words} for one in result.findings],
        "schedule": [event.words for event in result.schedule],
        "drawn": result.drawn,
        "again": again(report, result),
    }


def again(report: CampaignReport, result: Result) -> str:
    """Return the command line that repeats one incident."""
    words = ["venue", "crashtest", "--seed", str(report.seed), "--only", result.name]
    if report.profile != "document":
        words += ["--profile", report.profile]
    return shlex.join([*words, "--", *report.command])


def as_html(report: CampaignReport) -> str:
    """Return the report as HTML."""
    failed = len(report.failed())
    met = sum(one.verdict in _MARKS for one in report.results)
    head = f"{failed} of {met} incidents failed" if failed else f"{met} incidents passed"
    rows = "\n".join(_row(report, one) for one in report.results)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Crash test: {escape(head)}</title>
<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>
<h1>Crash test: {escape(head)}</h1>
<p><code>{escape(shlex.join(report.command))}</code>, seed {report.seed}, profile {report.profile},
{report.requests} requests a run</p>
<table><thead><tr><th>Incident</th><th>Result</th><th>Findings</th></tr></thead>
<tbody>
{rows}
</tbody></table>
</body></html>
"""


def _row(report: CampaignReport, result: Result) -> str:
    mark = _MARKS.get(result.verdict, "none")
    found = ""
    if result.findings:
        findings = "".join(
            f"<li><b>{escape(one.rule)}</b>: {escape(one.words)}</li>" for one in result.findings
        )
        events = "".join(f"<li>{escape(event.words)}</li>" for event in result.schedule)
        found = (
            f"<ul>{findings}</ul><p>Shortest schedule ({len(result.schedule)} of"
            f" {result.drawn} events):</p><ul>{events}</ul>"
            f"<p><code>{escape(again(report, result))}</code></p>"
        )
    return (
        f"<tr><td><b>{escape(result.name)}</b><br>{escape(result.story)}</td>"
        f'<td class="{mark}">{escape(result.verdict)}</td><td>{found}</td></tr>'
    )
