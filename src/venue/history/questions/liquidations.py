"""The operator's questions about liquidations: the same conventions as `spot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venue.history.sql import Where, first, select
from venue.history.tables.contract import (
    ContractFill,
    DeleveragedRow,
    LiquidationRow,
    LiquidationStory,
    StepRow,
)
from venue.vocabulary import CAUSES_LIQUIDATING

if TYPE_CHECKING:
    from apsw import Connection


def liquidations(connection: Connection, uid: int | None, limit: int) -> list[LiquidationRow]:
    """Liquidations of an owner, or (None) of all, finished or not."""
    order = "ORDER BY liquidation_id DESC LIMIT ?"
    return select(connection, LiquidationRow, Where().add_given("uid = ?", uid), order, limit)


def liquidation(connection: Connection, liquidation_id: int) -> LiquidationStory | None:
    """Return one liquidation in full, or None."""
    where, order = Where("liquidation_id = ?", liquidation_id), "ORDER BY sequence, place"
    for found in select(connection, LiquidationRow, where):
        steps = select(connection, StepRow, where, order)
        taken = select(connection, DeleveragedRow, where, order)
        positions = sorted({step.position_id for step in steps})
        return LiquidationStory(found, steps, taken, _fills(connection, found, positions))
    return None


def _fills(
    connection: Connection, found: LiquidationRow, positions: list[int]
) -> list[ContractFill]:
    """Return the owner's trades in one pass. Several may happen at one instant: a pass's orders
    have the ids between its own and the next one's."""
    (later,) = first(
        connection,
        "SELECT min(liquidation_id) FROM liquidations WHERE uid = ? AND liquidation_id > ?",
        (found.uid, found.liquidation_id),
    )
    where = Where("uid = ? AND is_maker = 0", found.uid)
    where.among("cause", CAUSES_LIQUIDATING).among("position_id", positions)
    where.add("order_id >= ?", found.liquidation_id).add_given("order_id < ?", later)
    where.from_to("time", found.time, found.finished or None)
    return select(connection, ContractFill, where, "ORDER BY time, trade_id")
