"""`venue fault`: has requests and frames of a running venue go wrong on purpose."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from cyclopts import App, Parameter

from venue.cli.operator import Output, Url, call, die, show
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

fault = App(name="fault", help="Make requests and frames of a running venue fail on purpose.")

Rule = Annotated[str, Parameter(help="Id of the rule, from `venue fault list`.")]
_COLUMNS = ("id", "enabled", "effect", "match", "when", "matched", "hits")


@fault.command
def add(
    kind: Annotated[str, Parameter(help="The effect: drop_after, delay, status, ws.gap ...")],
    *,
    rule: Annotated[str | None, Parameter(name="--id", help="Id of the new rule.")] = None,
    operation: Annotated[str | None, Parameter(help="Only this operation, as place*.")] = None,
    path: Annotated[str | None, Parameter(help="Only this path, as /api/v3/*.")] = None,
    method: Annotated[str | None, Parameter(help="Only this HTTP method.")] = None,
    owner: Annotated[str | None, Parameter(help="Only requests of this owner.")] = None,
    symbol: Annotated[str | None, Parameter(help="Only this market.")] = None,
    side: Annotated[str | None, Parameter(help="Only orders to BUY, or to SELL.")] = None,
    channel: Annotated[str | None, Parameter(help="Only frames of this channel.")] = None,
    probability: Annotated[
        str | None, Parameter(name=("--probability", "-p"), help="How likely each is hit: 0.05.")
    ] = None,
    nth: Annotated[
        tuple[str, ...],
        Parameter(help="Only the request of this number; may be repeated.", negative=""),
    ] = (),
    first: Annotated[str | None, Parameter(help="Only so many at the beginning.")] = None,
    every: Annotated[str | None, Parameter(help="Only each third, with 3.")] = None,
    after: Annotated[str | None, Parameter(help="Leave so many out before.")] = None,
    count: Annotated[str | None, Parameter(help="End after so many hits.")] = None,
    begin: Annotated[str | None, Parameter(name="--from", help="Venue time, or +90s.")] = None,
    until: Annotated[str | None, Parameter(help="Venue time, or +90s.")] = None,
    effect: Annotated[
        tuple[str, ...],
        Parameter(
            help="A setting of the effect, as ms=200 or status=503; may be repeated.", negative=""
        ),
    ] = (),
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Add a rule: its requests or frames, when it hits them, and its effect."""
    match = {
        "operation": operation, "path": path, "method": method, "owner": owner, "symbol": symbol,
        "side": side, "channel": channel,
    }  # fmt: skip
    when = {
        "nth": list(nth) or None, "probability": probability, "first": first, "every": every,
        "after": after, "count": count, "from": begin, "until": until,
    }  # fmt: skip
    body: dict[str, Any] = {"effect": {"kind": kind} | _pairs(effect)}
    body |= {
        name: found
        for name, part in (("match", match), ("when", when))
        if (found := {key: value for key, value in part.items() if value is not None})
    }
    if rule is not None:
        body["id"] = rule
    _show([call(url, "add_fault", body)], output)


@fault.command(name="list")
def list_rules(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print the rules, with how many requests each matched and hit."""
    _show(call(url, "faults"), output)


@fault.command
def remove(rule: Rule, *, url: Url = DEFAULT_URL) -> None:
    """Forget one rule."""
    tell(f"rule {call(url, 'remove_fault', {'id': rule})['id']} is removed")


@fault.command
def clear(*, url: Url = DEFAULT_URL) -> None:
    """Forget all rules."""
    tell(f"{len(call(url, 'clear_faults'))} rules are removed")


@fault.command
def presets(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print the presets, each with the fault that it imitates."""
    show(("name", "description"), call(url, "fault_presets"), output, "no presets")


@fault.command
def preset(
    name: Annotated[str, Parameter(help="Name of the preset, from `venue fault presets`.")],
    *,
    rate: Annotated[str | None, Parameter(help="How much of its hits: 0.3, or 30%.")] = None,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Add the rules of a preset."""
    values = {"name": name} | ({"rate": rate} if rate is not None else {})
    _show(call(url, "apply_fault_preset", values), output)


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or name in found or name == "kind":
            die(f"--effect {text}: say name=value, each name once, as ms=200")
        found[name] = value
    return found


def _show(rules: list[dict[str, Any]], output: str) -> None:
    if output == "json":
        tell(json.dumps(rules))
        return
    rows = [
        {name: _shown(value) if isinstance(value, dict) else value for name, value in one.items()}
        for one in rules
    ]
    show(_COLUMNS, rows, output, "no rules")


def _shown(part: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in part.items()) or "all"


COMMANDS: Final = {"fault": fault}
