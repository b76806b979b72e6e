"""Chooses the lines of a run whose reasons a report holds: those that a reader asks for first."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from venue.api.operator.wire import WireEntry
from venue.client.errors import Unreachable
from venue.report.data import ReportBounds

REQUESTS = ("REQUEST", "OPERATION")


class Reasons:
    """Takes explanations until a time (s, of the machine's steady clock); `take_one` asks for one
    by kind and id, and raises Unreachable where it takes too long."""

    def __init__(self, take_one: Callable[[str, int], bool], until: float) -> None:
        self._take_one = take_one
        self._until = until

    def take(
        self, wire: list[WireEntry], liquidations: list[dict[str, Any]], bounds: ReportBounds
    ) -> list[str]:
        """Ask for reasons; return sentences on those that are left out."""
        told = []
        ids = [int(one["id"]) for one in liquidations]
        for kind, wanted, most in (
            ("liquidation", ids, bounds.others),
            ("refusal", _refusals(wire), bounds.refusals),
            ("order", _orders(wire), bounds.orders),
        ):
            taken = 0
            for identity in wanted[:most]:
                if time.monotonic() > self._until:
                    break
                try:
                    taken += self._take_one(kind, identity)
                except Unreachable:  # the venue is busy with it for a while
                    self._until = 0.0
            if len(wanted) > taken:
                told.append(f"reasons of {len(wanted) - taken} {kind}s of {len(wanted)}")
        return told


def _refusals(wire: list[WireEntry]) -> list[int]:
    """Return the refused requests of owners: first one of each kind, then the newest."""
    refused = [one for one in wire if one.owner and one.status is not None and one.status >= 400]
    first: dict[tuple[str, str, int, str], int] = {}
    for one in refused:
        first.setdefault((one.owner, one.operation, one.code, one.msg[:60]), one.number)
    rest = [one.number for one in reversed(refused) if one.number not in first.values()]
    return [*first.values(), *rest]


def _orders(wire: list[WireEntry]) -> list[int]:
    """Return the orders that requests placed: first those that a fault met, then the newest."""
    placed = [one for one in wire if one.kind in REQUESTS and one.orders and one.method == "POST"]
    faulty = [one for one in placed if one.fault or one.status is None]
    ordered = [*faulty, *reversed(placed)]
    return list(dict.fromkeys(identity for one in ordered for identity in one.orders))
