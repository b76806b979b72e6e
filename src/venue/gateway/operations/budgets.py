"""The rate limits that the exchange information of either product shows."""

from __future__ import annotations

from venue.api.market_data import RateLimit
from venue.gateway.door import Door


def rate_limit(door: Door) -> RateLimit:
    """Return the weight budget, per IP address and per account."""
    return RateLimit("REQUEST_WEIGHT", "SECOND", 10, door.weight_limit)
