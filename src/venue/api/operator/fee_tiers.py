"""Operator operations of fee tiers (rule 9.5)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Kind, Text
from venue.api.operation import VENUE, Empty, rows
from venue.api.operator.venue import ProductName
from venue.vocabulary import FEE_TIERS_MAX

TierTexts = Annotated[
    list[str],
    Meta(
        max_length=FEE_TIERS_MAX,
        extra={"kind": Kind.TEXTS.value},
        description="Lowest first, each `volume:makerRate:takerRate`.",
        examples=[["1000000:0.0008:0.0009", "10000000:0.0004:0.0006"]],
    ),
]


class FeeTiersRequest(Struct, kw_only=True):
    """The fee tiers of a product; without `tiers` there are none from the next 00:00 UTC on.

    Volume counts in markets that are quoted (or settled) in the asset.
    """

    product: ProductName
    asset: Text = "USDT"
    tiers: TierTexts | None = None


class FeeTiersView(Struct):
    """The fee tiers of a product, each `volume:makerRate:takerRate`."""

    product: str
    asset: str
    tiers: list[str]


class FeeTierRequest(Struct, kw_only=True):
    """The tiers of one owner."""

    owner: Text


class FeeTierView(Struct, rename="camel"):
    """An owner's tier in one product since the last 00:00 UTC, from 1; 0: none.

    `volume` is its trade volume in the 30 days before, `today` since then. The rates are its own,
    otherwise the tier's; empty: each symbol's.
    """

    product: str
    tier: int
    volume: str
    today: str
    maker_fee_rate: str
    taker_fee_rate: str


_W = (1, 0)
fee_tiers = VENUE.get("/fee-tiers", _W, Empty, list[FeeTiersView])
set_fee_tiers = VENUE.post("/fee-tiers", _W, FeeTiersRequest, list[FeeTiersView])
fee_tier = VENUE.get("/owners/fee-tier", _W, FeeTierRequest, list[FeeTierView])

ROWS = rows(globals())
