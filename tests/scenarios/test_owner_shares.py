"""One owner's share of a contract's open interest (rule 1.6).

ann and ben are one person: hedged against each other they risk nothing, and held all that the
contract allows for the price of their fees.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    INSTRUMENT,
    MONEY,
    SYMBOL,
    ContractWorld,
    refusal,
)
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.events import Rejected
from venue.core.state import snapshot
from venue.core.units import PPM
from venue.vocabulary import IOC, LONG, SHORT, Reject

pytestmark = pytest.mark.core

CAP = 1_000
SHARE = CAP // 4
SMALL = replace(CONTRACT, position_max=CAP, open_interest_max=CAP)
REFUSED = [Rejected(Reject.OWNER_SHARE, SHARE)]


def pair(contract: Contract = SMALL) -> ContractWorld:
    return ContractWorld("ann", "ben", "cat", "dan", contract=contract, money=100 * MONEY)


def test_two_hedged_accounts_leave_half_of_the_open_interest_to_others() -> None:
    """They held 1,000 of 1,000 lots, and nobody else could open."""
    world = pair()
    fees = 0
    for buyer, seller in (("ann", "ben"), ("ben", "ann")):
        assert world.long(buyer, SHARE + 1, 1_000) == REFUSED
        assert world.short(seller, SHARE + 1, 1_000) == REFUSED
        world.trade(buyer, seller, SHARE, 1_000)
        assert world.long(buyer, 1, 1_000) == REFUSED
        assert world.short(seller, 1, 1_000) == REFUSED
    for name in ("ann", "ben"):
        fees += 100 * MONEY - world.money(name)
    assert (world.perp.open_interest, fees) == (CAP // 2, 350)
    world.trade("cat", "dan", SHARE, 1_000)
    world.trade("dan", "cat", SHARE, 1_000)
    assert world.perp.open_interest == CAP


@pytest.mark.parametrize("side", [LONG, SHORT])
def test_orders_that_rest_and_positions_of_one_side_count_together(side: int) -> None:
    """In one position or in many, and whether the order rests, takes or sweeps."""
    world = pair()
    enter, meet = (world.long, world.short) if side == LONG else (world.short, world.long)
    away = 990 if side == LONG else 1_010
    uid = world.uids["ann"]
    world.ok(commands.SetMarginMode(uid, SYMBOL, 0, 1))
    enter("ann", 100, away)
    meet("ben", 150, 1_000)
    assert refusal(enter("ann", 151, 1_000)) == Reject.OWNER_SHARE
    enter("ann", 100, 1_000)
    assert refusal(enter("ann", 51, 1_000, IOC)) == Reject.OWNER_SHARE
    assert refusal(enter("ann", 51, 0)) == Reject.OWNER_SHARE
    enter("ann", 50, 1_000)
    assert enter("ann", 1, away) == REFUSED
    lots = sum(position.quantity for position in world.holding("ann").positions.values())
    assert lots == 150
    world.ok(commands.CancelContractOrders(uid, SYMBOL))
    enter("ann", 100, away)
    assert enter("ann", 1, away) == REFUSED


def test_the_share_is_of_what_the_contract_allows_and_at_least_one_order() -> None:
    """Two traders in a small contract trade as much as many, and the smallest order always fits."""
    tight = replace(
        SMALL, share_ppm=10_000, instrument=replace(INSTRUMENT, quantity_min=40),
        index_notional=100_000, impact_notional=100_000,
    )  # fmt: skip
    world = pair(tight)
    assert world.perp.position_max == 40
    assert world.long("ann", 41, 1_000) == [Rejected(Reject.OWNER_SHARE, 40)]
    world.trade("ann", "ben", 40, 1_000)
    assert world.perp.open_interest == 40


def test_a_lower_bound_of_positions_is_named_as_such() -> None:
    world = pair(replace(SMALL, position_max=SHARE))
    assert world.long("ann", SHARE + 1, 1_000) == [Rejected(Reject.POSITION_MAX, SHARE)]


def test_a_share_that_leaves_less_than_half_to_others_is_refused() -> None:
    world = pair()
    change = commands.ChangeContract(replace(SMALL, share_ppm=250_001))
    assert world.apply(change) == [
        Rejected(
            Reject.INSTRUMENT_INVALID, 0,
            "share_ppm: the share of the open interest for one owner, 0.250001, must be at most"
            " 0.25, so that two owners who hedge each other leave half of it to others",
        )
    ]  # fmt: skip
    for wrong in (0, -1, PPM + 1):
        (said,) = world.apply(commands.ChangeContract(replace(SMALL, share_ppm=wrong)))
        assert isinstance(said, Rejected)
        assert said.detail == f"share_ppm must be 1 to {PPM}"


def test_a_lower_share_keeps_positions_and_a_snapshot_keeps_the_share() -> None:
    """An owner that holds more than its share reduces, and adds nothing."""
    world = pair()
    world.trade("ann", "ben", SHARE, 1_000)
    world.ok(commands.ChangeContract(replace(SMALL, share_ppm=100_000)))
    assert world.long("ann", 1, 1_000) == [Rejected(Reject.OWNER_SHARE, 100)]
    world.close_long("ann", SHARE - 99, 1_000)
    world.long("cat", SHARE - 99, 1_000)
    kept = snapshot.load(snapshot.dump(world.engine))
    assert kept.contracts.markets[SYMBOL].position_max == 100


def test_the_fund_takes_over_whatever_its_share_is() -> None:
    """A quarter of 1,000 lots is ruined in an empty book, while the fund's share is 10 lots."""
    world = ContractWorld("ann", "ben", contract=SMALL, money=15_000, fund=100 * MONEY)
    for name in ("ann", "ben"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 20, 20, 20))
    world.trade("ann", "ben", SHARE, 1_000)
    world.ok(commands.ChangeContract(replace(SMALL, share_ppm=10_000)))
    assert world.perp.position_max == 10
    world.post(940)
    assert world.holding("ann").positions == {}
    assert world.position("fund").quantity == SHARE
