"""The operator's questions about liquidations; the habits of `contract`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from venue.history.questions.spot import from_to
from venue.history.schema.contract import (
    CONTRACT_FILLS,
    DELEVERAGED,
    LIQUIDATION_STEPS,
    LIQUIDATIONS,
)
from venue.history.tables.contract import (
    ContractFillRow,
    DeleveragedRow,
    LiquidationRow,
    LiquidationStory,
    StepRow,
)
from venue.vocabulary import CAUSES_LIQUIDATING


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
    positions = sorted({step.position_id for step in steps})
    return LiquidationStory(told, steps, taken, _fills(connection, told, positions))


def _fills(
    connection: Connection, told: LiquidationRow, positions: list[int]
) -> list[ContractFillRow]:
    """The owner's trades in one pass. Several may happen at one instant: a pass's orders have the
    ids between its own and the next one's."""
    others = LIQUIDATIONS.c
    later = connection.execute(
        select(func.min(others.liquidation_id)).where(
            others.uid == told.uid, others.liquidation_id > told.liquidation_id
        )
    ).scalar()
    table = CONTRACT_FILLS.c
    fills = select(CONTRACT_FILLS).where(
        table.uid == told.uid,
        table.is_maker == 0,
        table.cause.in_(CAUSES_LIQUIDATING),
        table.position_id.in_(positions),
        table.order_id >= told.liquidation_id,
        *([] if later is None else [table.order_id < later]),
        *from_to(table.time, told.time, told.finished or None),
    )
    fills = fills.order_by(table.time, table.trade_id)
    return [ContractFillRow(*row) for row in connection.execute(fills)]


def _told(table: Table, liquidation_id: int) -> Select[Any]:
    rows = select(table).where(table.c.liquidation_id == liquidation_id)
    return rows.order_by(table.c.sequence, table.c.place)
