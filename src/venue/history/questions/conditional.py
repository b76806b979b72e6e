"""Conditional orders in the columns of orders: their triggers, and the ones without an order."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.history.sql import PAGE, Where
from venue.history.tables.contract import BECAME_NOTHING, Conditional, ContractOrder
from venue.history.tables.table import Table, columns, names
from venue.vocabulary import ALGOS_AT_PRICE, OrderType, TimeInForce

# Trigger price, its source, and type; of a trailing stop the price that triggered it.
WAITED_FOR: Final = (
    "CASE WHEN algo_orders.trigger_price <> 0 THEN algo_orders.trigger_price"
    " ELSE algo_orders.triggered_price END AS stop_price, algo_orders.source AS stop_source,"
    " algo_orders.type AS conditional_type"
)
# Orders with the triggers of the conditional orders that they came from.
ORDERS: Final = (
    f"SELECT {names(ContractOrder)}, {WAITED_FOR} FROM contract_orders LEFT JOIN algo_orders"
    " ON algo_orders.algo_id = contract_orders.algo_id AND contract_orders.algo_id <> 0"
)
_AT_PRICE: Final = f"CASE WHEN algo_orders.type IN {ALGOS_AT_PRICE} THEN {{}} ELSE {{}} END"
_STATUS: Final = " ".join(f"WHEN {ended} THEN {like}" for ended, like in BECAME_NOTHING.items())
_AS_ORDER: Final = {
    "order_id": "algo_orders.algo_id",
    "type": _AT_PRICE.format(int(OrderType.LIMIT), int(OrderType.MARKET)),
    "time_in_force": _AT_PRICE.format(int(TimeInForce.GTC), int(TimeInForce.IOC)),
    "price": _AT_PRICE.format("algo_orders.price", 0),
    "status": f"CASE algo_orders.status {_STATUS} END",
}
_COLUMNS: Final = ", ".join(
    f"{_AS_ORDER.get(name, f'algo_orders.{name}' if name in columns(Conditional) else '0')}"
    f" AS {name}"
    for name in columns(ContractOrder)
)
# The conditional orders that became no order, under their own ids.
ENDED_CONDITIONALS: Final = f"SELECT {_COLUMNS}, {WAITED_FOR} FROM algo_orders"
HAVE_ENDED: Final = f"algo_orders.status IN {tuple(BECAME_NOTHING)}"


class OrdersPart(Struct):
    """A part of a list of orders: those of one of the two tables that meet conditions."""

    table: Table
    where: Where

    @property
    def text(self) -> str:
        """Its statement."""
        orders = ORDERS if self.table is ContractOrder else ENDED_CONDITIONALS
        return f"{orders} {self.where}"


def newest_of(
    parts: list[OrdersPart], limit: int, skipped: int, *, by_time: bool = True
) -> tuple[str, list[object]]:
    """`limit` rows of several lists as one, newest first, after those that are skipped; the
    statement and its values.

    Each list is sorted by itself and cut there: only their heads are merged. `by_time` False keeps
    the planner from the indexes that end in time.
    """
    heads: list[str] = []
    values: list[object] = []
    for part in parts:
        name, (number,) = part.table.table, part.table.key
        time = f"{name}.time" if by_time else f"{name}.time + 0"
        heads.append(
            f"SELECT * FROM ({part.text} ORDER BY {time} DESC, {name}.{number} DESC LIMIT ?)"
        )
        values += [*part.where.values, limit + skipped]
    both = " UNION ALL ".join(heads)
    text = f"SELECT * FROM ({both}) ORDER BY time DESC, order_id DESC {PAGE}"
    return text, [*values, limit, skipped]
