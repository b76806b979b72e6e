"""Batches of orders and of cancels, of both products: each element succeeds or fails alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from venue.api import errors, former
from venue.api.errors import ApiError
from venue.core.messages.applied import Applied
from venue.core.messages.commands import PlaceContractOrder, PlaceOrder
from venue.gateway.dispatch.decode import RequestShape, decode
from venue.gateway.door import Call, Door
from venue.gateway.operations.requests import parse_client_id

CLIENT_ID_MAX: Final = 40  # characters that an answer repeats

M = TypeVar("M")
C = TypeVar("C", PlaceOrder, PlaceContractOrder)
T = TypeVar("T")


class BatchItems(NamedTuple):
    """The elements of a batch: the parameter that lists them, how many it may, what one is."""

    name: str
    most: int
    shape: RequestShape

    def check(self, raws: list[Any]) -> None:
        """ApiError when there are too many."""
        if len(raws) > self.most:
            raise errors.out_of_range(self.name, f"allowed: 1 to {self.most} orders")


async def place_each(
    call: Call,
    items: BatchItems,
    raws: list[Any],
    order: Callable[[Any], tuple[M, C]],
    placed: Callable[[Call, Applied, M, C], T],
    failed: Callable[[str, ApiError], T],
) -> list[T]:
    """Return an answer for each element; all orders become durable together.

    `order` makes an element's market and command; `placed` and `failed` answer it, `failed` with
    the client id that it gives.
    """
    wanted = [_read_item(items, raw, order) for raw in raws]
    commands = [one[1] for one in wanted if not isinstance(one, ApiError)]
    applied = iter(await call.submit(commands) if commands else [])
    answers = []
    for raw, one in zip(raws, wanted, strict=True):
        try:
            if isinstance(one, ApiError):
                raise one
            answers.append(placed(call, next(applied), *one))
        except ApiError as problem:
            answers.append(failed(_given_client_id(raw), problem))
    return answers


def _read_item(
    items: BatchItems, raw: Any, order: Callable[[Any], tuple[M, C]]
) -> tuple[M, C] | ApiError:
    """Return the market and the command of an element, or the error that there is instead."""
    try:
        if not isinstance(raw, dict):
            raise errors.invalid(items.name, "an element must be an object")
        return order(decode(items.shape, raw))
    except ApiError as problem:
        return errors.add_words(problem, former.fields(items.shape.names, raw))


def _given_client_id(raw: Any) -> str:
    """Return the client id that an element gives, as far as an answer can repeat it."""
    given = raw.get("newClientOrderId") if isinstance(raw, dict) else None
    return given if type(given) is str and len(given) <= CLIENT_ID_MAX else ""


def to_cancel(
    order_ids: tuple[str, list[int] | None],
    client_ids: tuple[str, list[str] | None],
    most: int,
) -> list[tuple[int, str]]:
    """Return the order id or client id of each order that a batch cancels; of both lists the
    parameter's name comes first."""
    numbers, names = order_ids[1] or [], client_ids[1] or []
    if not numbers and not names:
        raise errors.missing(f"{order_ids[0]}' or '{client_ids[0]}")
    if len(numbers) + len(names) > most:
        raise errors.out_of_range(order_ids[0], f"at most {most} ids are allowed")
    return [*((number, "") for number in numbers), *(parse_client_id(name) for name in names)]


def closed_until(setting: str) -> Callable[[Door], str]:
    """Return the check of a row that is closed until `setting` is true; its name is the reason."""
    return lambda door: "" if door.node.setting(setting, "false") == "true" else setting
