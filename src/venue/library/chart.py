"""Charts of candles in SVG: pictures for notebooks and files, in which nothing runs.

Rising candles are filled and falling ones hollow. An own fill is a triangle with B or S, an own
order or an entry a dashed line with its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Final

from msgspec import Struct

from venue.client.errors import Misused
from venue.library.html import moment
from venue.library.results import Candle, Fill, Order, Position

WIDTH: Final = 860
HEIGHT: Final = 320
RIGHT: Final = 84  # pixels for prices
BOTTOM: Final = 26  # for times
TOP: Final = 28  # for the title
GRID: Final = 5  # lines
RISING: Final = "#0d7a4e"
FALLING: Final = "#b3261e"
ENTRY: Final = "#1a5fd0"
NEAR: Final = Decimal("0.2")  # of a price: a line further from the candles is left out
SVG: Final = ".svg"


class Line(Struct, frozen=True):
    """A price with a word for it."""

    price: Decimal
    text: str
    colour: str


class Chart:
    """A chart that a notebook shows; `save` writes it to a file."""

    __slots__ = ("_candles", "_fills", "_lines", "_title")

    def __init__(
        self,
        title: str,
        candles: Iterable[Candle],
        fills: Iterable[Fill] = (),
        lines: Iterable[Line] = (),
    ) -> None:
        self._title = title
        self._candles = tuple(candles)
        self._fills = tuple(fills)
        self._lines = tuple(lines)

    def __repr__(self) -> str:
        return f"<chart of {self._title}: {len(self._candles)} candles>"

    def _repr_html_(self) -> str:
        return self.svg()

    def save(self, path: str | Path) -> Path:
        """Write the chart to a file. Misused: its name does not end in .svg. OSError."""
        target = Path(path)
        if target.suffix != SVG:
            raise Misused(f"save({str(path)!r}): must end in {SVG}")
        target.write_text(self.svg(), "utf-8")
        return target

    def svg(self) -> str:
        """Return the chart as the text of an SVG element."""
        inside = self._draw() if self._candles else _text(WIDTH / 2, HEIGHT / 2, "no trades yet")
        words = escape(f"Candles of {self._title}", quote=True)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{words}"'
            ' font-family="system-ui, sans-serif" font-size="11" fill="currentColor">'
            + _text(8, 17, self._title, weight="600", size=13)
            + inside
            + "</svg>"
        )

    def _draw(self) -> str:
        scale = _Scale(self._candles, self._lines)
        return "".join(
            (
                *scale.grid(),
                *(scale.candle(at, candle) for at, candle in enumerate(self._candles)),
                *(scale.line(line) for line in scale.near(self._lines)),
                *(scale.fill(fill) for fill in self._fills),
            )
        )


class _Scale:
    """Places prices and times on the picture. Its floats are pixels, never money."""

    def __init__(self, candles: Sequence[Candle], lines: Sequence[Line]) -> None:
        self._candles = candles
        self._least = min(candle.low for candle in candles)
        self._most = max(candle.high for candle in candles)
        near = [line.price for line in self.near(lines)]
        self._least, self._most = min([self._least, *near]), max([self._most, *near])
        self._step = (WIDTH - RIGHT) / len(candles)

    def near(self, lines: Iterable[Line]) -> list[Line]:
        """Return the lines that are near the candles."""
        least, most = self._least * (1 - NEAR), self._most * (1 + NEAR)
        return [line for line in lines if least <= line.price <= most]

    def grid(self) -> list[str]:
        """Return lines with their prices, and the first and the last time."""
        parts = []
        for at in range(GRID):
            price = self._least + (self._most - self._least) * at / (GRID - 1)
            height = self._height(price)
            parts.append(_rule(height, "currentColor", 'stroke-opacity="0.12"'))
            parts.append(_text(WIDTH - RIGHT + 6, height + 4, f"{price:.6g}"))
        parts.append(_text(8, HEIGHT - 8, f"{moment(self._candles[0].ts)} UTC"))
        last = f"{moment(self._candles[-1].ts)} UTC"
        parts.append(_text(WIDTH - RIGHT, HEIGHT - 8, last, anchor="end"))
        return parts

    def candle(self, at: int, candle: Candle) -> str:
        """Return one candle."""
        rises = candle.close >= candle.open
        colour = RISING if rises else FALLING
        middle = (at + 0.5) * self._step
        top = self._height(max(candle.open, candle.close))
        bottom = self._height(min(candle.open, candle.close))
        width = max(1.0, self._step * 0.7)
        inside = colour if rises else "none"
        return (
            f'<path d="M{middle:.1f} {self._height(candle.high):.1f}V{top:.1f}'
            f'M{middle:.1f} {bottom:.1f}V{self._height(candle.low):.1f}" stroke="{colour}"/>'
            f'<rect x="{middle - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}"'
            f' height="{max(1.0, bottom - top):.1f}" fill="{inside}" stroke="{colour}"/>'
        )

    def line(self, line: Line) -> str:
        """Return a line at a price, with its words."""
        height = self._height(line.price)
        dashed = _rule(height, line.colour, 'stroke-dasharray="4 3"')
        return dashed + _text(8, height - 4, line.text, colour=line.colour)

    def fill(self, fill: Fill) -> str:
        """Return a triangle at a fill; empty for one before the first candle."""
        first = self._candles[0].ts
        if fill.ts < first:
            return ""
        length = self._candles[0].close_ts - first + 1
        at = min((fill.ts - first) // length, len(self._candles) - 1)
        middle, height = (at + 0.5) * self._step, self._height(fill.price)
        buys = fill.side == "BUY"
        side, colour, way = ("B", RISING, 1) if buys else ("S", FALLING, -1)
        points = (
            f"{middle:.1f},{height:.1f} {middle - 5:.1f},{height + 9 * way:.1f}"
            f" {middle + 5:.1f},{height + 9 * way:.1f}"
        )
        word = _text(middle, height + (20 if buys else -12), side, colour=colour, anchor="middle")
        return f'<polygon points="{points}" fill="{colour}"/>' + word

    def _height(self, price: Decimal) -> float:
        span = self._most - self._least
        part = (self._most - price) / span if span else Decimal("0.5")
        return TOP + float(part) * (HEIGHT - TOP - BOTTOM - 8)


def order_lines(orders: Iterable[Order]) -> list[Line]:
    """Return a line for each open order that has a price."""
    return [
        Line(
            order.price,
            f"{order.side} {order.quantity - order.filled:f} at {order.price:f}",
            RISING if order.side == "BUY" else FALLING,
        )
        for order in orders
        if order.price
    ]


def position_lines(positions: Iterable[Position]) -> list[Line]:
    """Return lines for the entry and the liquidation of each position."""
    lines = []
    for one in positions:
        lines.append(Line(one.entry_price, f"{one.side} {one.size:f} entry", ENTRY))
        if one.liquidation_price is not None:
            lines.append(Line(one.liquidation_price, f"{one.side} liquidation", FALLING))
    return lines


def _rule(height: float, colour: str, how: str) -> str:
    end = WIDTH - RIGHT
    return f'<path d="M0 {height:.1f}H{end}" stroke="{colour}" {how}/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    colour: str = "currentColor",
    anchor: str = "start",
    weight: str = "400",
    size: int = 11,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"'
        f' font-weight="{weight}" font-size="{size}">{escape(text)}</text>'
    )
