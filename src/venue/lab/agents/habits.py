"""Parameters of an agent: how far from the price it quotes, how large, how often."""

from __future__ import annotations

from msgspec import Struct


class MakerHabit(Struct, frozen=True):
    """A maker's ladder on each side: distances from the reference and gaps in ppm, sizes in quote
    units."""

    name: str
    edge_ppm: int
    gap_ppm: int
    levels: int
    size_units: int


class TakerHabit(Struct, frozen=True):
    """How often (ppm of steps) a taker trades, how much (quote units), and whether it follows
    moves."""

    name: str
    chance_ppm: int
    size_units: int
    follows: bool
