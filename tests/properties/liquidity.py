"""The resting orders that are liquidity for another, as the judge knows them (rules 3.13, 5.14)."""

from __future__ import annotations

from properties.sums import Order, Owner
from venue.vocabulary import CROSSED


def meets_enough(taker: Order, owners: dict[int, Owner]) -> bool:
    """Whether an order meets enough of others who certainly can bear it, while no price is in
    doubt."""
    left = taker.quantity
    market = taker.market
    for *_, number in market.half(1 - taker.side):
        maker = next(one.orders[number] for one in owners.values() if number in one.orders)
        owner = owners[maker.uid]
        modes = owner.modes_in(market)
        lost = maker.way * (maker.price - market.mark) > 0 or owner.standing() < owner.held
        risky = not maker.opens or lost or modes.mode != CROSSED or held_back(number, owners)
        if risky or maker.uid == taker.uid or left <= 0 or not taker.reaches(maker.price):
            break
        left -= maker.left
    return left <= 0


def held_back(number: int, owners: dict[int, Owner]) -> bool:
    """Whether a resting order may be left out: a price is unknown to its owner."""
    owner = next(owner for owner in owners.values() if number in owner.orders)
    return any(one.market.halted for one in owner.positions.values())
