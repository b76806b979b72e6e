"""Conditional orders in the columns of orders: their triggers, and the ones without an order."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, case, literal, select, union_all

from venue.history.schema.contract import CONDITIONAL_ORDERS, CONTRACT_ORDERS
from venue.history.tables.contract import BECAME_NOTHING
from venue.vocabulary import ALGOS_AT_PRICE, OrderType, TimeInForce


def waited_for() -> list[Any]:
    """Trigger price, its source, and type; of a trailing stop the price that triggered it."""
    table = CONDITIONAL_ORDERS.c
    price = case((table.trigger_price != 0, table.trigger_price), else_=table.triggered_price)
    return [price.label("stop_price"), table.source, table.type.label("conditional_type")]


def ended_conditionals() -> Select[Any]:
    """The conditional orders that became no order, under their own ids."""
    table = CONDITIONAL_ORDERS.c
    at_price, nothing = table.type.in_(ALGOS_AT_PRICE), literal(0)
    columns: dict[str, Any] = {
        "order_id": table.algo_id,
        "type": _either(at_price, OrderType.LIMIT, OrderType.MARKET),
        "time_in_force": _either(at_price, TimeInForce.GTC, TimeInForce.IOC),
        "price": case((at_price, table.price), else_=nothing),
        "status": case(BECAME_NOTHING, value=table.status),
    }
    named = []
    for column in CONTRACT_ORDERS.columns:
        name = column.name
        own: Any = table.get(name, nothing)
        named.append(columns.get(name, own).label(name))
    return select(*named, *waited_for()).where(table.status.in_(BECAME_NOTHING))


def newest_of(
    parts: list[Select[Any]], limit: int, skipped: int, *, by_time: bool = True
) -> Select[Any]:
    """`limit` rows of several lists as one, newest first, after those that are skipped.

    Each list is sorted by itself and cut there: only their heads are merged. `by_time` False keeps
    the planner from the indexes that end in time.
    """
    most = limit + skipped
    heads = [_newest_first(part, by_time=by_time).limit(most).subquery() for part in parts]
    if len(heads) > 1:
        both = select(union_all(*(select(head) for head in heads)).subquery())
    else:
        both = select(heads[0])
    return _newest_first(both, by_time=True).limit(limit).offset(skipped)


def _newest_first(rows: Select[Any], *, by_time: bool) -> Select[Any]:
    columns = rows.selected_columns
    time = columns.time if by_time else columns.time + 0
    return rows.order_by(time.desc(), columns.order_id.desc())


def _either(condition: Any, yes: int, no: int) -> Any:
    return case((condition, literal(int(yes))), else_=literal(int(no)))
