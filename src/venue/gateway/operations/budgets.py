"""The rate limits that the exchange information of either product shows."""

from __future__ import annotations

from venue.api.market_data import RateLimit
from venue.gateway.context import Node


def rate_limit(node: Node) -> RateLimit:
    """The weight budget, per IP address and per account."""
    return RateLimit("REQUEST_WEIGHT", "SECOND", 10, node.weight_limit)
