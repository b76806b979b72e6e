"""Converts fee tiers and the volumes that count for them to records and back; see `snapshot`."""

from __future__ import annotations

import msgspec

from venue.core.engine import Engine
from venue.core.fee_tiers import Standing, Table
from venue.core.messages.benefit_commands import FeeTier


class StandingRecord(msgspec.Struct, array_like=True, gc=False):
    """One owner's volume and tier in one product."""

    uid: int
    product: int
    day: int
    today: int
    past: list[tuple[int, int]]
    level: int
    maker_ppm: int
    taker_ppm: int
    own: bool


class FeeTiersState(msgspec.Struct, array_like=True):
    """All owners' standings, and the tables: product, asset ordinal, tiers."""

    tables: list[tuple[int, int, list[FeeTier]]]
    standings: list[StandingRecord]
    day: int
    queue: list[tuple[int, int]]


def dump(engine: Engine) -> FeeTiersState | None:
    """Return all tiers and volumes; None if there never was a table."""
    tiers = engine.fee_tiers
    if not tiers.day:
        return None
    return FeeTiersState(
        [(product, one.asset, one.tiers) for product, one in tiers.tables.items()],
        [_record(who, standing) for who, standing in tiers.standings.items()],
        tiers.day,
        tiers.queue,
    )


def _record(who: tuple[int, int], standing: Standing) -> StandingRecord:
    return StandingRecord(
        *who, standing.day, standing.today, standing.past, standing.level, standing.maker_ppm,
        standing.taker_ppm, standing.own,
    )  # fmt: skip


def load(engine: Engine, state: FeeTiersState | None) -> None:
    """Load the tiers and volumes into an engine."""
    if state is None:
        return
    tiers = engine.fee_tiers
    tiers.tables = {product: Table(asset, rows) for product, asset, rows in state.tables}
    tiers.day = state.day
    tiers.queue = list(state.queue)
    for record in state.standings:
        standing = tiers.standings[record.uid, record.product] = Standing()
        standing.day = record.day
        standing.today = record.today
        standing.past = list(record.past)
        standing.level = record.level
        standing.maker_ppm = record.maker_ppm
        standing.taker_ppm = record.taker_ppm
        standing.own = record.own
