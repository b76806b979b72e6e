"""Operator operations that show the effects of an order without placing it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from venue.api.fields import Decimal, Id, Kind, Symbol, Text
from venue.api.operation import VENUE, rows

PRODUCTS = ("SPOT", "CONTRACT")
ProductName = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(PRODUCTS)})
]


class PreviewOrder(Struct, rename="camel", omit_defaults=True):
    """The parameters of an order, as `place_order` or `place_contract_order` take them."""

    symbol: Symbol
    side: Text | None = None
    type: Text | None = None
    quantity: Decimal | None = None
    price: Decimal | None = None
    time_in_force: Text | None = None
    new_client_order_id: Text | None = None
    position_side: Text | None = None
    position_id: Id | None = None
    tp_trigger_price: Decimal | None = None
    sl_trigger_price: Decimal | None = None
    tp_working_type: Text | None = field(default=None, name="TpWorkingType")
    sl_working_type: Text | None = field(default=None, name="SlWorkingType")


class PreviewRequest(Struct, kw_only=True):
    """An order of an owner, by name or uid, that is not placed."""

    owner: Text
    product: ProductName
    order: PreviewOrder


class PreviewFill(Struct):
    """A fill that the order would get; the fee is in the preview's `feeAsset`."""

    price: str
    quantity: str
    fee: str


class PreviewRefusal(Struct):
    """The first check that the order would fail, with the error its client would get."""

    status: int
    code: int
    msg: str


class PreviewPosition(Struct, rename="camel"):
    """The position of the order's side afterwards.

    `liquidationPrice` is 0 where there is none, and null where it is not told: after a close of one
    of several separated positions in a crossed pool.
    """

    quantity: str
    open_value: str
    liquidation_price: str | None


class Preview(Struct, rename="camel"):
    """The effects that an order would have now. None happens, and nothing is journaled.

    `sequence` names the state it is about: the next command may change it. A refused order has
    nothing but `refused`; `repeats` is the order that a repeated `newClientOrderId` would find.
    `status`, `filledQuantity` and `restingQuantity` are those after the order's own trades; `held`
    is the amount of `heldAsset` that the resting part would hold. `endedOrders` are resting orders
    that it would end: its owner's by self-trade prevention, others' that they cannot bear. Of
    contracts, `margin` goes into an isolated position, `available` is left in the cross wallet.
    """

    sequence: int
    time: int
    accepted: bool
    refused: PreviewRefusal | None = None
    repeats: int | None = None
    status: str = ""
    fills: list[PreviewFill] = []
    filled_quantity: str = "0"
    resting_quantity: str = "0"
    fee: str = "0"
    fee_asset: str = ""
    held: str = "0"
    held_asset: str = ""
    ended_orders: list[int] = []
    margin: str | None = None
    available: str | None = None
    position: PreviewPosition | None = None


_W = (1, 0)
preview = VENUE.post("/preview", _W, PreviewRequest, Preview)

ROWS = rows(globals())
