"""`venue explain`: the reasons for an outcome, in sentences; a liquidation also step by step."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter

from venue.cli.operator import Output, Url, call, moment
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

PATIENCE_S: Final = 30.0


def explain(
    kind: Annotated[
        Literal["order", "refusal", "bill", "liquidation"], Parameter(help="The kind of the thing.")
    ],
    number: Annotated[str, Parameter(help="Its id; of a refusal, its X-Venue-Request-Id.")],
    *,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Explain an order, a refusal, a bill or income, or a liquidation of a running venue."""

    told = call(url, f"explain_{kind}", {"id": number}, timeout_s=PATIENCE_S)
    if output == "json":
        tell(json.dumps(told))
        return
    tell("\n".join(told["sentences"]))
    if kind == "liquidation":
        tell(_story(call(url, "liquidation", {"id": number})))


def _story(told: dict[str, Any]) -> str:
    """A liquidation from its beginning to its end, in words."""
    head = told["liquidation"]
    asset = head["asset"]
    position = head["position"]
    pool = f"isolated position {position}" if position else "cross pool"
    lines = [
        f"Liquidation {head['id']} of {head['owner']} ({pool}, {asset}), {moment(head['time'])}",
        f"  equity {head['equity']} had reached the maintenance margin {head['maintenance']}",
    ]
    for number, step in enumerate(told["steps"], 1):
        lines += [
            (
                f"  {number}. {step['symbol']} {step['side']}, tier {step['tier']}, "
                f"mark {step['markPrice']}, bankruptcy price {step['bankruptcyPrice']}"
            ),
            (
                f"     to close {step['wanted']}: in the book {step['filled']}, "
                f"by the insurance fund {step['takenOver']}, deleveraged {step['deleveraged']}"
            ),
            (
                f"     liquidation fee {step['fee']}; the fund's equity changed by "
                f"{step['fundChange']}"
            ),
        ]
    for fill in told["fills"]:
        lines.append(
            f"  fill {fill['tradeId']} {fill['cause']} {fill['symbol']} {fill['qty']} "
            f"at {fill['price']}: profit {fill['realizedPnl']}, fee {fill['fee']}"
        )
    for taken in told["deleveraged"]:
        lines.append(
            f"  rank {taken['rank']}: {taken['owner']} gave up {taken['qty']} {taken['symbol']} "
            f"at {taken['price']} (position {taken['position']})"
        )
    if not head["finished"]:
        return "\n".join([*lines, "  It is under way."])
    lines += [
        (
            f"  Finished {moment(head['finished'])}: equity {head['equityAfter']}, "
            f"maintenance margin {head['maintenanceAfter']}"
        ),
        (
            f"  topped up {head['toppedUp']}, compensated by the fund {head['compensated']}; "
            f"the fund's equity is {head['fundEquity']}"
        ),
    ]
    return "\n".join(lines)


COMMANDS: Final = {"explain": explain}
