"""Habits: they set one agent apart from another."""

from __future__ import annotations

from msgspec import Struct


class MakerHabit(Struct, frozen=True):
    """A ladder per side: distances from the reference and gaps in ppm, sizes in quote units."""

    name: str
    edge_ppm: int
    gap_ppm: int
    levels: int
    size_units: int


class TakerHabit(Struct, frozen=True):
    """How often (ppm of steps) a taker trades, how much (quote units), and if it follows moves."""

    name: str
    chance_ppm: int
    size_units: int
    follows: bool
