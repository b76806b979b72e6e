"""Shared parts of affiliates' operations: affiliates, their invited owners, spans and values."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.candles import DAY_US
from venue.core.ledger.benefits import Affiliate
from venue.core.rewards import RESERVED
from venue.gateway.door import Call
from venue.node.node import Node
from venue.texts import decimal_text
from venue.times import LAST_US_OF_MS, US_PER_MS

SPAN_DAYS: Final = 90
USDT: Final = "USDT"
USDT_SCALE: Final = 8  # of values, where the venue has no such asset


def affiliate_of(call: Call, code: int) -> Affiliate:
    """Return the caller as an affiliate; refused with `code` when it is none."""
    benefits = call.node.engine.account(call.uid).benefits
    if benefits is None or benefits.affiliate is None:
        raise errors.error(code)
    return benefits.affiliate


def inviter_of(node: Node, uid: int) -> int:
    """Return the uid that invited an owner: 0 for none, -1 when there is no such owner."""
    account = node.engine.accounts.get(uid)
    if account is None or uid in RESERVED:
        return -1
    return account.benefits.inviter if account.benefits is not None else 0


def invited_by(node: Node, uid: int) -> list[tuple[int, int]]:
    """Uid and time (µs) of the owners that an affiliate invited."""
    accounts = node.engine.accounts
    found: list[tuple[int, int]] = []
    for member in node.engine.rewards.members:
        benefits = accounts[member].benefits
        if benefits is not None and benefits.inviter == uid:
            found.append((member, benefits.invited))
    return found


def newest(node: Node, uid: int) -> list[int]:
    """Return the uids of the owners that an affiliate invited, the newest first."""
    return [member for member, _ in sorted(invited_by(node, uid), key=_time, reverse=True)]


def _time(invited: tuple[int, int]) -> tuple[int, int]:
    return invited[1], invited[0]


def span(
    start: int | None, end: int | None, now: int, *, longest: int = SPAN_DAYS, plain: int = 0
) -> tuple[int, int]:
    """Return a span (ms) of at most `longest` days in µs. Without its end it is as long; without
    its begin it has `plain` days (0: as long), up to now when both lack."""
    if start is not None and end is not None:
        if start > end:
            raise errors.time_order()
        if (end - start) * US_PER_MS > longest * DAY_US:
            raise errors.error(
                -1170, name="endTime", rule=f"at most {longest} days after startTime"
            )
    until = end * US_PER_MS + LAST_US_OF_MS if end is not None else now
    if start is None:
        return until - (plain or longest) * DAY_US, until
    begin = start * US_PER_MS
    return begin, until if end is not None else begin + longest * DAY_US


def usdt(node: Node, asset: str, atoms: int) -> int:
    """Return the value of an amount in atoms of USDT; 0 without a market for it."""
    if asset == USDT or not atoms:
        return atoms
    market = node.engine.market(f"{asset}{USDT}")
    if market is None or market.instrument.quote != USDT:
        return 0
    return atoms * market.last_price * market.unit_atoms // market.lot_atoms


def usdt_text(node: Node, atoms: int) -> str:
    """Return an amount of USDT."""
    ledger = node.engine.ledger
    ordinal = ledger.ordinals.get(USDT)
    return decimal_text(atoms, ledger.assets[ordinal].scale if ordinal is not None else USDT_SCALE)
