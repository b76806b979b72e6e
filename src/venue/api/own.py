"""An owner's own part of what a practice venue shows its operator, with the owner's key."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Flag, Symbol, Text
from venue.api.operation import Under, rows
from venue.api.operator.preview import ProductName
from venue.api.operator.wire import AfterNumber, EntryKind, EntryLimit, EntryStatus, WireEntry
from venue.vocabulary import Access


class PlacesRequest(Struct, kw_only=True):
    """The places of the caller's open orders in the queues at their prices, oldest orders first.

    Without a product those of both, spot first; without a symbol those of every market.
    """

    product: ProductName | None = None
    symbol: Symbol | None = None


class QueuePlace(Struct, rename="camel"):
    """The place of a resting order: `ahead` and `behind` are the quantities of all orders that
    stand before and after it at its price, the caller's own ones too.

    Together with the order's `quantity`, which still rests, they are `atPrice`, the quantity of the
    level in the book. All three are null of an order that may not trade now and stands in no queue.
    `ahead` and `behind` are null where too many orders rest at the price to be looked at.
    """

    product: str
    symbol: str
    order_id: int
    side: str
    price: str
    quantity: str
    ahead: str | None
    behind: str | None
    at_price: str | None


class OwnWireRequest(Struct, kw_only=True):
    """The newest entries about the caller that agree with every field given, oldest first.

    They are requests that the caller's keys signed and the frames of its sockets; with `tools` also
    those of operators and pages in its place. Each field is as that of `wire`.
    """

    kind: EntryKind | None = None
    operation: Text | None = None
    status: EntryStatus | None = None
    faulty: Flag = False
    after: AfterNumber = 0
    limit: EntryLimit = 100
    refused: Flag = False
    tools: Flag = False


OWN = Under("/_venue/own", Access.READ)
_W = (5, 5)
places = OWN.get("/places", _W, PlacesRequest, list[QueuePlace])
own_wire = OWN.get("/wire", _W, OwnWireRequest, list[WireEntry])

ROWS = rows(globals())
