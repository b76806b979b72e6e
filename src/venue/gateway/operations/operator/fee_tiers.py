"""Operator operations of fee tiers."""

from __future__ import annotations

import re
from typing import Final

from venue import texts
from venue.api import errors
from venue.api.operation import Empty
from venue.api.operator.fee_tiers import (
    FeeTierRequest,
    FeeTiersRequest,
    FeeTiersView,
    FeeTierView,
)
from venue.core.fee_tiers import Standing
from venue.core.instruments import Asset
from venue.core.messages.benefit_commands import FeeTier, SetFeeTiers
from venue.gateway.dispatch import decode
from venue.gateway.door import Call
from venue.gateway.operations.operator.venue import owner, submit_command
from venue.node.node import Node
from venue.vocabulary import FEE_TIERS_MAX, Product

NUMBER: Final = r"[0-9]{1,18}(?:\.[0-9]{1,18})?"
_TIER: Final = re.compile(rf"({NUMBER}):(0(?:\.[0-9]{{1,6}})?):(0(?:\.[0-9]{{1,6}})?)", re.ASCII)
NOTHING: Final = Standing()


def fee_tiers(call: Call, _: Empty) -> list[FeeTiersView]:
    """Return the tiers of each product that has any."""
    node = call.node
    found: list[FeeTiersView] = []
    for product, table in sorted(node.engine.fee_tiers.tables.items()):
        asset = node.engine.assets[table.asset]
        shown = [_text(tier, asset) for tier in table.tiers]
        if shown:
            found.append(FeeTiersView(Product(product).name, asset.name, shown))
    return found


def _text(tier: FeeTier, asset: Asset) -> str:
    rates = f"{texts.rate_text(tier.maker_ppm)}:{texts.rate_text(tier.taker_ppm)}"
    return f"{texts.short_text(tier.volume, asset.scale)}:{rates}"


async def set_fee_tiers(call: Call, request: FeeTiersRequest) -> list[FeeTiersView]:
    """Set other tiers, or none."""
    node = call.node
    name = request.asset.upper()
    if name not in node.engine.ordinals:
        raise errors.invalid("asset", "no such asset")
    tiers = _tiers(request.tiers or [], node.asset(name))
    await submit_command(call, SetFeeTiers(int(Product[request.product]), name, tiers))
    return fee_tiers(call, Empty())


def _tiers(asked: list[str], asset: Asset) -> list[FeeTier]:
    if len(asked) > FEE_TIERS_MAX:
        raise errors.out_of_range("tiers", f"at most {FEE_TIERS_MAX} tiers are allowed")
    found: list[FeeTier] = []
    for text in asked:
        parts = _TIER.fullmatch(text)
        if parts is None:
            raise errors.invalid(
                "tiers", "each must be volume:makerRate:takerRate, e.g. 1000000:0.0008:0.001"
            )
        volume = decode.scale_amount(parts[1], asset.scale, "tiers")
        if volume <= (found[-1].volume if found else 0):
            raise errors.out_of_range("tiers", "each volume must be above 0 and the one before")
        found.append(
            FeeTier(volume, decode.ppm(parts[2], "tiers"), decode.ppm(parts[3], "tiers"))
        )  # fmt: skip
    return found


def fee_tier(call: Call, request: FeeTierRequest) -> list[FeeTierView]:
    """Return an owner's tiers and rates."""
    node = call.node
    account = owner(node, request.owner)
    found: list[FeeTierView] = []
    for product in Product:
        standing = node.engine.fee_tiers.standings.get((account.uid, int(product)), NOTHING)
        maker, taker = call.node.engine.fee_tiers.rates_of(account, int(product))
        found.append(
            FeeTierView(
                product.name, standing.level, _amount(node, product, standing.volume()),
                _amount(node, product, standing.today),
                texts.rate_text(maker) if maker >= 0 else "",
                texts.rate_text(taker) if taker >= 0 else "",
            )
        )  # fmt: skip
    return found


def _amount(node: Node, product: Product, atoms: int) -> str:
    """Return an amount in the asset of a product's table; 0 where there is none."""
    table = node.engine.fee_tiers.tables.get(int(product))
    if table is None:
        return "0"
    return texts.amount_text(node.engine.assets[table.asset], atoms)
