"""The command that moves the quotes of the venue's own makers, with the conventions of
`commands`."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from venue.core.ranges import Code, Whole
from venue.vocabulary import OPEN_ORDERS_PER_ACCOUNT_MAX

MAKERS_MAX: Final = 8
QUOTES_MAX: Final = OPEN_ORDERS_PER_ACCOUNT_MAX  # that one maker cancels, and that it places


class Quote(Struct, array_like=True, frozen=True, gc=False):
    """A post-only limit order; `position_side` is 0 in a spot market."""

    side: Code
    position_side: Code
    quantity: Whole
    price: Whole


class MakerQuotes(Struct, array_like=True):
    """A maker's open orders to cancel, by their ids, and its new quotes."""

    uid: Whole
    canceled: Annotated[list[Whole], Meta(max_length=QUOTES_MAX)]
    placed: Annotated[list[Quote], Meta(max_length=QUOTES_MAX)]


class MoveQuotes(Struct, array_like=True, tag_field="what", tag=9):
    """Move the quotes of the venue's own makers in one market of a `vocabulary.Product` (rule 2.9).

    The orders of all makers are canceled before any is placed.
    """

    product: Code
    symbol: str
    makers: Annotated[list[MakerQuotes], Meta(max_length=MAKERS_MAX)]
    time: Whole = 0
