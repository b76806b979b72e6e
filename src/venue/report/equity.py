"""Computes an account's equity over a run, from its bills, its fills and closes of candles.

A contract wallet's equity is its collateral and the value of its positions at the mark price. The
collateral is the balance that each income tells. Holdings follow backwards from the end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

POINTS_MAX: Final = 600
QUOTE: Final = "USDT"
PLACES: Final = Decimal("0.01")
NOTHING: Final = Decimal(0)

EquityPoint = tuple[int, str]  # time (ms) and value
Change = tuple[int, int, str, Decimal]  # time (ms), id, what is held, and by how much it changed
Closes = dict[str, list[tuple[int, Decimal]]]  # of each symbol: time (ms) and close, in order


def closes(candles: Iterable[list[Any]]) -> list[tuple[int, Decimal]]:
    """Return when each candle began, and its close."""
    return [(int(row[0]), Decimal(row[4])) for row in candles]


class HeldBackwards:
    """The holdings of an account, from the end of a run back to earlier times."""

    def __init__(self, held: dict[str, Decimal], changes: list[Change]) -> None:
        self._held = dict(held)
        self._changes = sorted(changes)

    def times(self) -> list[int]:
        return [time for time, *_ in self._changes]

    def value(self, at: int, prices: Closes) -> Decimal | None:
        """Return the value of all that was held at a time, before which no one was asked for; None
        where a price is not known."""
        while self._changes and self._changes[-1][0] > at:
            _, _, name, size = self._changes.pop()
            self._held[name] = self._held.get(name, NOTHING) - size
        value = NOTHING
        for name, size in self._held.items():
            price = _price(prices.get(name, []), at) if size else NOTHING
            if price is None:
                return None
            value += size * price
        return value


def contract_equity(
    span: tuple[int, int],
    now: tuple[Decimal, dict[str, Decimal]],
    incomes: list[dict[str, Any]],
    fills: list[dict[str, Any]],
    marks: Closes,
) -> list[EquityPoint]:
    """Return the equity of a contract wallet; `now` is that of the end, and the positions then:
    above 0 for long ones."""
    begin, end = span
    equity, positions = now
    rows = sorted((one for one in incomes if one["asset"] == QUOTE), key=_bill_order)
    held = HeldBackwards(
        positions,
        [
            (
                one["time"],
                one["id"],
                one["symbol"],
                Decimal(one["qty"]) * (1 if one["buyer"] else -1),
            )
            for one in fills
        ],
    )
    if not rows:
        return _thin_out([(begin, equity), (end, equity)] if not any(positions.values()) else [])
    when = [int(one["time"]) for one in rows]
    before = Decimal(rows[0]["balance"]) - Decimal(rows[0]["income"])
    found = [(end, equity)]
    for at in reversed(_times(begin, end, [*when, *held.times()], marks)):
        value = held.value(at, marks)
        place = bisect_right(when, at)
        collateral = Decimal(rows[place - 1]["balance"]) if place else before
        if value is not None:
            found.append((at, collateral + value))
    return _thin_out(found[::-1])


def spot_equity(
    span: tuple[int, int], now: dict[str, Decimal], bills: list[dict[str, Any]], prices: Closes
) -> list[EquityPoint]:
    """Return the value of a spot wallet at the last prices; `now` are its balances at the end.
    Assets without a price are left out."""
    begin, end = span
    names = {asset: QUOTE if asset == QUOTE else f"{asset}{QUOTE}" for asset in now}
    prices = {**prices, QUOTE: [(0, Decimal(1))]}
    known = {asset for asset, name in names.items() if name in prices}
    held = HeldBackwards(
        {names[asset]: now[asset] for asset in known},
        [
            (int(one["cTime"]), int(one["billId"]), names[one["coinName"]],
             Decimal(one["deltaAmount"]))
            for one in bills
            if one["coinName"] in known
        ],
    )  # fmt: skip
    found: list[tuple[int, Decimal]] = []
    for at in reversed([*_times(begin, end, held.times(), prices), end]):
        value = held.value(at, prices)
        if value is not None:
            found.append((at, value))
    return _thin_out(found[::-1])


def _bill_order(one: dict[str, Any]) -> tuple[int, int]:
    return int(one["time"]), int(one["billId"])


def _times(begin: int, end: int, events: list[int], prices: Closes) -> list[int]:
    """Return the times of a curve: those of events, and those at which candles begin."""
    found = {begin, *(time for time in events if begin <= time < end)}
    for rows in prices.values():
        found.update(time for time, _ in rows if begin <= time < end)
    return sorted(found)


def _price(rows: list[tuple[int, Decimal]], at: int) -> Decimal | None:
    place = bisect_right(rows, at, key=lambda row: row[0])
    return rows[place - 1][1] if place else None


def _thin_out(points: list[tuple[int, Decimal]]) -> list[EquityPoint]:
    """Return at most POINTS_MAX points, with the lowest and the highest of each part."""
    if len(points) > POINTS_MAX:
        size = -(-len(points) * 2 // POINTS_MAX)
        kept: list[tuple[int, Decimal]] = []
        for first in range(0, len(points), size):
            part = points[first : first + size]
            lowest = min(part, key=lambda one: one[1])
            highest = max(part, key=lambda one: one[1])
            kept += sorted({lowest, highest})
        points = kept
    return [(time, f"{value.quantize(PLACES)}") for time, value in points]
