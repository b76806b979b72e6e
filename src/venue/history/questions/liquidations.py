"""What the operator asks of liquidations; the habits of `contract`."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, Select, Table, select

from venue.history.questions.contract import ContractFillRow
from venue.history.questions.spot import from_to
from venue.history.schema.contract import (
    CONTRACT_FILLS,
    DELEVERAGED,
    LIQUIDATION_STEPS,
    LIQUIDATIONS,
)
from venue.vocabulary import Cause

LIQUIDATING: Final = (int(Cause.LIQUIDATION), int(Cause.TAKEOVER), int(Cause.DELEVERAGE))


class LiquidationRow(Struct, frozen=True, gc=False):
    """One pool's liquidation, amounts in atoms; what stands behind `finished` is 0 until then."""

    liquidation_id: int
    uid: int
    position_id: int
    asset: str
    symbol: str
    time: int
    equity: int
    maintenance: int
    collateral: int
    finished: int
    equity_after: int
    maintenance_after: int
    topped_up: int
    compensated: int
    fund_equity: int


class StepRow(Struct, frozen=True, gc=False):
    """One rung of a liquidation; `sequence` and `place` are where the engine stated it."""

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    symbol: str
    side: int
    mark_price: int
    tier: int
    bankruptcy_price: int
    wanted: int
    filled: int
    taken_over: int
    deleveraged: int
    fee: int
    fund_change: int
    time: int


class DeleveragedRow(Struct, frozen=True, gc=False):
    """One opposite position that took over lots; `sequence` and `place` as in `StepRow`."""

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    uid: int
    symbol: str
    quantity: int
    price: int
    rank: int
    score: int
    time: int


class LiquidationStory(Struct, frozen=True):
    """A liquidation with everything that happened in it, oldest first.

    `fills` are the liquidated owner's: in the book, to the fund and to deleveraged positions.
    """

    liquidation: LiquidationRow
    steps: list[StepRow]
    deleveraged: list[DeleveragedRow]
    fills: list[ContractFillRow]


def liquidations(connection: Connection, uid: int | None, limit: int) -> list[LiquidationRow]:
    """Liquidations of an owner, or (None) of all, finished or not."""
    table = LIQUIDATIONS.c
    rows = select(LIQUIDATIONS)
    if uid is not None:
        rows = rows.where(table.uid == uid)
    rows = rows.order_by(table.liquidation_id.desc()).limit(limit)
    return [LiquidationRow(*row) for row in connection.execute(rows)]


def liquidation(connection: Connection, liquidation_id: int) -> LiquidationStory | None:
    """One liquidation in full, or None."""
    rows = select(LIQUIDATIONS).where(LIQUIDATIONS.c.liquidation_id == liquidation_id)
    found = connection.execute(rows).one_or_none()
    if found is None:
        return None
    told = LiquidationRow(*found)
    steps = [StepRow(*row) for row in connection.execute(_told(LIQUIDATION_STEPS, liquidation_id))]
    taken = [DeleveragedRow(*row) for row in connection.execute(_told(DELEVERAGED, liquidation_id))]
    table = CONTRACT_FILLS.c
    positions = sorted({step.position_id for step in steps})
    fills = select(CONTRACT_FILLS).where(
        table.uid == told.uid,
        table.is_maker == 0,
        table.cause.in_(LIQUIDATING),
        table.position_id.in_(positions),
        *from_to(table.time, told.time, told.finished or None),
    )
    fills = fills.order_by(table.time, table.trade_id)
    return LiquidationStory(
        told, steps, taken, [ContractFillRow(*row) for row in connection.execute(fills)]
    )


def _told(table: Table, liquidation_id: int) -> Select[Any]:
    rows = select(table).where(table.c.liquidation_id == liquidation_id)
    return rows.order_by(table.c.sequence, table.c.place)
