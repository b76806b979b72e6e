"""Operator rows of copy trading: lead traders and their terms."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Flag, Rate, Symbols, Text
from venue.api.operation import VENUE, Empty, rows


class LeadRequest(Struct, rename="camel", kw_only=True):
    """Make an owner a lead trader, or give one other terms.

    `asset` is the settle asset of the copied contracts, `symbols` are the copied ones (absent:
    all). `profitShare` is the part of a follower's profit that is due, at most 0.5; `thirdParty`
    gets `thirdPartyShare` of it. Without `active` no owner can begin to follow, and openings are
    not copied.
    """

    owner: Text
    asset: Text = "USDT"
    active: Flag = True
    profit_share: Rate = "0.1"
    third_party: Text | None = None
    third_party_share: Rate = "0"
    symbols: Symbols | None = None


class LeadView(Struct, rename="camel"):
    """A lead trader and its terms."""

    uid: int
    owner: str
    asset: str
    active: bool
    profit_share: str
    third_party: int | None
    third_party_share: str
    symbols: list[str]
    followers: int
    tracked: int


_W = (1, 0)
leads = VENUE.get("/leads", _W, Empty, list[LeadView])
set_lead = VENUE.post("/leads", _W, LeadRequest, LeadView)

ROWS = rows(globals())
