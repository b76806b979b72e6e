"""The invariants of copy trading (rule 9.4); see `audit`."""

from __future__ import annotations

from venue.core.copying.people import Following, Lead, Trader
from venue.core.copying.shares import COMMISSION_UID
from venue.core.engine import Engine


def problems(engine: Engine) -> list[str]:
    """Return the broken invariants, in words; empty when every one holds."""
    books = engine.copying.books
    found: list[str] = []
    prepaid: dict[int, int] = {}
    for following in books.followings.values():
        asset = following.lead.asset
        prepaid[asset] = prepaid.get(asset, 0) + following.prepaid
        name = f"following {following.number}"
        if following.prepaid < 0:
            found.append(f"{name}: {following.prepaid} is pre-deducted")
        if following.active != (following.number in following.lead.followers):
            found.append(f"{name} is not where its lead looks for it")
        found += _held_problems(name, following)
        if following.account.uid == following.lead.account.uid:
            found.append(f"{name} is of one owner")
    for asset, amount in prepaid.items():
        kept = engine.ledger.accounts[COMMISSION_UID].contract[asset].collateral
        if kept < amount:
            found.append(f"the commission account holds {kept} of asset {asset}, owes {amount}")
    for uid, trader in books.traders.items():
        found += _trader_problems(uid, trader)
        if trader.lead is not None:
            found += _lead_problems(trader.lead)
    for copy in books.behind.copies():
        number = copy.number
        if not 0 < copy.due <= copy.lots or copy.following.copies.get(number) is not copy:
            found.append(f"copy {number} is behind with {copy.due} of {copy.lots} lots")
    return found


def _held_problems(name: str, following: Following) -> list[str]:
    held: dict[int, tuple[int, int, int, int]] = {}
    for copy in following.copies.values():
        side, ordinal = copy.track.side, copy.track.perp.ordinal
        value, lots, cost, fee = held.get(ordinal, (0, 0, 0, 0))
        held[ordinal] = (
            value + copy.value, lots + side * copy.lots, cost + side * copy.value, fee + copy.fee,
        )  # fmt: skip
    noted = {
        ordinal: (each.value, each.lots, each.cost, each.fee)
        for ordinal, each in following.held.items()
    }
    return [] if held == noted else [f"{name} holds {held}, noted are {noted}"]


def _trader_problems(uid: int, trader: Trader) -> list[str]:
    found: list[str] = []
    if trader.lead is not None and (trader.followings or trader.tracked):
        found.append(f"owner {uid} leads and follows")
    for position_id, tracked in trader.tracked.items():
        position = tracked.position
        lots = sum([copy.lots for copy in tracked.copies])
        if tracked.lots != lots or tracked.quantity != position.quantity or not lots:
            found.append(
                f"position {position_id} of {position.quantity} lots is noted with"
                f" {tracked.quantity}, {tracked.lots} of them copied, copies say {lots}"
            )
        if lots > position.quantity:
            found.append(f"position {position_id}: copies are larger than it")
        for copy in tracked.copies:
            if min(copy.lots, copy.value) <= 0 or copy.track.copies.get(copy.number) is not copy:
                found.append(f"copy {copy.number}: {copy.lots} lots for {copy.value}")
    return found


def _lead_problems(lead: Lead) -> list[str]:
    found: list[str] = []
    positions = lead.holding.positions
    for number, track in lead.tracks.items():
        position = positions.get(number)
        if position is None or position.quantity != track.quantity:
            found.append(f"lead {lead.account.uid}: track {number} is not its position")
        if sorted(number for _, number in track.rows) != sorted(track.copies):
            found.append(f"track {number}: {track.rows} are not its copies")
    for position in positions.values():
        if position.position_id not in lead.tracks and lead.covers(position.perp):
            found.append(f"lead {lead.account.uid}: position {position.position_id} has no track")
    return found
