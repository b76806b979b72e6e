"""The printed table: the measured figure, the floor beside it, their ratio and the needed one."""

from __future__ import annotations

from msgspec import Struct


class Row(Struct, frozen=True, kw_only=True):
    """One figure. `needed` bounds the ratio to the floor, or the figure itself without a floor.

    A row without `needed` is printed for comparison and cannot fall short.
    """

    what: str
    measured: float
    unit: str
    floor: float | None = None
    needed: float | None = None
    at_most: bool = False

    @property
    def ratio(self) -> float | None:
        """Measured against the floor."""
        return self.measured / self.floor if self.floor else None

    @property
    def ok(self) -> bool:
        """Whether the figure is at least (or at most) the needed one."""
        if self.needed is None:
            return True
        compared = self.measured if self.floor is None else self.measured / self.floor
        return compared <= self.needed if self.at_most else compared >= self.needed


class Section(Struct, frozen=True):
    """The rows of one section, remarks on them, and the reason if some could not be measured."""

    rows: list[Row]
    notes: list[str] = []
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether all figures were measured and none falls short."""
        return not self.failure and all(row.ok for row in self.rows)


def header() -> str:
    """The names of the columns."""
    return (
        f"{'what':<46} {'measured':>11} {'floor':>11} {'unit':<10} {'ratio':>7} {'needed':>8}  ok"
    )


def line(row: Row) -> str:
    """One row of the table."""
    floor = "" if row.floor is None else _figure(row.floor)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    sign = "<=" if row.at_most else ">="
    needed = "" if row.needed is None else f"{sign} {row.needed:g}"
    verdict = "" if row.needed is None else "yes" if row.ok else "NO"
    return (
        f"{row.what:<46} {_figure(row.measured):>11} {floor:>11} {row.unit:<10}"
        f" {ratio:>7} {needed:>8}  {verdict}"
    )


def _figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
