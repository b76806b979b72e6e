"""The fee discount and commissions (rules 9.1 and 9.3): the parts of fees that others than the
venue get."""

from __future__ import annotations

import pytest

from support.contract_world import (
    DAY_START,
    HOUR,
    MONEY,
    PRICE,
    SECOND,
    ContractWorld,
    of,
    refusal,
)
from support.world import World
from venue.core.contract.collateral import FEES_UID, FUND_UID
from venue.core.messages import benefit_commands, commands
from venue.core.messages.benefit_events import (
    AffiliateSet,
    CommissionPaid,
    DiscountJoined,
    DiscountSet,
    Invited,
)
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event, Rejected, WalletMoved
from venue.core.rewards import CHUNK, SHARE_MAX_PPM
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import BUY, SELL, Reject, Wallet

pytestmark = pytest.mark.core

CONTRACT, SPOT, FUNDING = int(Wallet.CONTRACT), int(Wallet.SPOT), int(Wallet.FUNDING)
MIDNIGHT = DAY_START + 24 * HOUR
RATE = 400_000  # of a taker's fee of 50 for 100 lots: 20
TODAY = DAY_START // (24 * HOUR)


def discounted(*joined: str) -> ContractWorld:
    """Ann and ben trade; an owner that holds 10 of the token AAA gets 40 % back."""
    world = ContractWorld("ann", "ben", "cat")
    world.ok(benefit_commands.SetDiscount("AAA", 10, RATE))
    for name in joined:
        world.ok(benefit_commands.JoinDiscount(world.uids[name], True))
        token(world, name, 10)
    return world


def token(world: ContractWorld, name: str, amount: int, wallet: int = SPOT) -> None:
    kind = commands.Deposit if amount > 0 else commands.Withdraw
    world.ok(kind(world.uids[name], wallet, "AAA", abs(amount)))


def midnight(world: ContractWorld, days: int = 0) -> list[Event]:
    """The first tick of the next day, without funding in the way."""
    world.time = MIDNIGHT + days * 24 * HOUR - SECOND
    world.post(PRICE)
    world.time += SECOND
    world.post(PRICE)
    return [event for event in world.tick() if not _funding(event)]


def _funding(event: Event) -> bool:
    return isinstance(event, Income) and event.kind == "position_funding"


def refunds(events: list[Event]) -> list[tuple[int, str, int]]:
    return [
        (item.uid, item.kind, item.amount)
        for item in of(events, Income)
        if item.reason == "REFUND_X_DISCOUNT_FEE"
    ]


# -- the discount ----------------------------------------------------------------------------------


def test_fees_of_a_day_come_back_in_part_behind_midnight_once() -> None:
    world = discounted("ann")
    ann = world.uids["ann"]
    world.trade("ann", "ben", 100, PRICE)
    world.trade("ann", "ben", 100, PRICE)
    assert refunds(world.tick()) == []
    events = midnight(world)
    assert refunds(events) == [(FEES_UID, "transfer_out", -40), (ann, "transfer_in", 40)]
    assert world.fees() == 2 * (50 + 20) - 40
    assert refunds(world.tick()) == refunds(midnight(world, 1)) == []


def test_opting_in_right_before_midnight_earns_nothing() -> None:
    world = discounted()
    world.trade("ann", "ben", 100, PRICE)
    world.time = MIDNIGHT - SECOND
    token(world, "ann", 10)
    assert world.ok(benefit_commands.JoinDiscount(world.uids["ann"], True)) == [
        DiscountJoined(world.uids["ann"], True)
    ]
    assert refunds(midnight(world)) == []


def test_fees_count_only_while_the_token_is_there() -> None:
    """One stock of the token serves one account at a time; it may lie in two wallets."""
    world = discounted("ann")
    token(world, "ann", -1)
    world.trade("ann", "ben", 100, PRICE)
    token(world, "ann", 1, FUNDING)
    world.trade("ann", "ben", 100, PRICE)
    token(world, "ann", -1, FUNDING)
    world.trade("ann", "ben", 100, PRICE)
    assert [amount for _, _, amount in refunds(midnight(world))] == [-20, 20]


def test_who_opts_out_keeps_what_was_promised() -> None:
    world = discounted("ann")
    world.trade("ann", "ben", 100, PRICE)
    world.ok(benefit_commands.JoinDiscount(world.uids["ann"], False))
    world.trade("ann", "ben", 100, PRICE)
    world.ok(benefit_commands.SetDiscount("", 0, 0))
    assert [amount for _, _, amount in refunds(midnight(world))] == [-20, 20]


def test_fees_behind_midnight_belong_to_the_next_day() -> None:
    world = discounted("ann")
    world.trade("ann", "ben", 100, PRICE)
    world.time = MIDNIGHT + 1
    world.trade("ann", "ben", 200, PRICE)
    world.post(PRICE)
    assert [amount for _, _, amount in refunds(world.tick())] == [-20, 20]
    assert [amount for _, _, amount in refunds(midnight(world, 1))] == [-40, 40]


def test_what_a_gift_paid_does_not_come_back() -> None:
    """Otherwise trading with himself would turn a gift into money."""
    world = discounted("ann")
    world.ok(benefit_commands.ChangeGift(world.uids["ann"], "QQQ", 30))
    world.trade("ann", "ben", 100, PRICE)
    assert [amount for _, _, amount in refunds(midnight(world))] == [-8, 8]  # 40 % of 50 - 30


def test_the_fee_account_is_never_overdrawn_and_what_is_owed_stays_owed() -> None:
    world = discounted("ann")
    world.trade("ann", "ben", 100, PRICE)
    world.ok(commands.Withdraw(FEES_UID, CONTRACT, "QQQ", 65))
    assert [amount for _, _, amount in refunds(midnight(world))] == [-5, 5]
    assert world.fees() == 0
    world.deposit("cat", 1)
    world.ok(commands.Deposit(FEES_UID, CONTRACT, "QQQ", 100))
    assert [amount for _, _, amount in refunds(midnight(world, 1))] == [-15, 15]
    assert refunds(midnight(world, 2)) == []


def test_many_are_paid_in_slices_that_a_snapshot_may_part() -> None:
    world = ContractWorld("ben", money=AMOUNT_MAX // 4)
    world.checked = False
    world.ok(benefit_commands.SetDiscount("AAA", 1, RATE))
    names = [f"owner {number}" for number in range(CHUNK + 20)]
    for name in names:
        world.owner(name)
        world.ok(benefit_commands.JoinDiscount(world.uids[name], True))
        token(world, name, 1)
        world.trade(name, "ben", 10, PRICE)
        world.close_short("ben", 10, PRICE)
        world.close_long(name, 10, PRICE)
    world.time = MIDNIGHT
    first = refunds(world.tick())
    assert len(first) == 2 * CHUNK
    assert world.engine.pending()
    other = snapshot.load(snapshot.dump(world.engine))
    rest = world.apply(commands.Proceed())
    assert other.apply(commands.Proceed(time=world.time)) == rest
    assert len(refunds(rest)) == 2 * 20
    assert not world.engine.rewards.queue


def test_terms_have_bounds() -> None:
    world = ContractWorld("ann")
    assert refusal(world.apply(benefit_commands.SetDiscount("none", 1, 1))) == Reject.ASSET_UNKNOWN
    for holding in (0, -1, AMOUNT_MAX + 1):
        said = world.apply(benefit_commands.SetDiscount("AAA", holding, 1))
        assert said == [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
    for rate in (0, -1, SHARE_MAX_PPM + 1):
        said = world.apply(benefit_commands.SetDiscount("AAA", 1, rate))
        assert said == [Rejected(Reject.FEE_RATE, SHARE_MAX_PPM)]
    assert world.ok(benefit_commands.SetDiscount("AAA", 1, 1)) == [DiscountSet("AAA", 1, 1)]
    assert world.ok(benefit_commands.SetDiscount("", 5, 5)) == [DiscountSet("", 0, 0)]
    assert refusal(world.apply(benefit_commands.JoinDiscount(7, True))) == Reject.OWNER_UNKNOWN
    assert (
        refusal(world.apply(benefit_commands.JoinDiscount(FUND_UID, True))) == Reject.OWNER_RESERVED
    )


# -- affiliates ------------------------------------------------------------------------------------


def invited(spot_ppm: int = 0, contract_ppm: int = 300_000) -> ContractWorld:
    """Cat invited ann; her share of contract fees is 30 %."""
    world = ContractWorld("ann", "ben", "cat")
    cat, ann = world.uids["cat"], world.uids["ann"]
    assert world.ok(benefit_commands.SetAffiliate(cat, "CAT", spot_ppm, contract_ppm)) == [
        AffiliateSet(cat, "CAT", spot_ppm, contract_ppm)
    ]
    assert world.ok(benefit_commands.Invite(ann, cat)) == [Invited(ann, cat)]
    return world


def test_a_commission_is_paid_daily_out_of_the_fee_account_into_the_spot_wallet() -> None:
    world = invited()
    ann, cat = world.uids["ann"], world.uids["cat"]
    world.trade("ann", "ben", 100, PRICE)
    world.trade("ben", "ann", 100, PRICE)
    events = midnight(world)
    bill = world.next_bill() - 2
    paid = of(events, CommissionPaid)
    # As the taker 50, as the maker 20, of 100,000 each.
    assert paid == [CommissionPaid(cat, ann, TODAY, 1, "QQQ", 70, 21, 300_000, 100_000, 100_000)]
    at = events.index(paid[0])
    unknown = "UNKNOWN_TRANSFER_REASON"
    assert events[at + 1 : at + 3] == [
        Income(bill, FEES_UID, 0, "QQQ", "", "transfer_out", -21, 2 * 70 - 21, 0, unknown),
        WalletMoved(bill + 1, cat, SPOT, "QQQ", "order_fill_fee_income", 21, 21),
    ]
    assert of(midnight(world, 1), CommissionPaid) == []


def test_discount_and_commission_share_one_fee() -> None:
    """The share is of the fee left after the discount: together never more than the fee."""
    world = invited(contract_ppm=SHARE_MAX_PPM)
    world.ok(benefit_commands.SetDiscount("AAA", 10, SHARE_MAX_PPM))
    world.ok(benefit_commands.JoinDiscount(world.uids["ann"], True))
    token(world, "ann", 10)
    world.trade("ann", "ben", 100, PRICE)
    events = midnight(world)
    assert [amount for _, _, amount in refunds(events)] == [-25, 25]
    (paid,) = of(events, CommissionPaid)
    assert (paid.fee, paid.commission) == (25, 12)
    assert world.fees() == 70 - 25 - 12


def test_an_invitation_is_once_and_for_all_and_never_ones_own() -> None:
    world = invited()
    ann, ben, cat = (world.uids[name] for name in ("ann", "ben", "cat"))
    for command, reason in (
        (benefit_commands.Invite(ann, cat), Reject.INVITED_ALREADY),
        (benefit_commands.Invite(cat, cat), Reject.INVITED_ALREADY),
        (benefit_commands.Invite(ben, ann), Reject.NO_AFFILIATE),
        (benefit_commands.Invite(7, cat), Reject.OWNER_UNKNOWN),
        (benefit_commands.Invite(ben, 7), Reject.OWNER_UNKNOWN),
        (benefit_commands.Invite(FUND_UID, cat), Reject.OWNER_RESERVED),
        (benefit_commands.SetAffiliate(ben, "CAT", 1, 1), Reject.CODE_USED),
        (benefit_commands.SetAffiliate(7, "B", 1, 1), Reject.OWNER_UNKNOWN),
        (benefit_commands.SetAffiliate(FEES_UID, "B", 1, 1), Reject.OWNER_RESERVED),
        (benefit_commands.SetAffiliate(ben, "B", SHARE_MAX_PPM + 1, 1), Reject.FEE_RATE),
        (benefit_commands.SetAffiliate(ben, "B", 1, -1), Reject.FEE_RATE),
    ):
        assert refusal(world.apply(command)) == reason, command
    world.ok(benefit_commands.SetAffiliate(cat, "NEW", 1, 1))
    world.ok(benefit_commands.SetAffiliate(ben, "CAT", 1, 1))


def test_trading_with_an_own_second_account_earns_nothing() -> None:
    """Both accounts, the affiliate's too, are one person's: she pays more than she gets."""
    world = invited(contract_ppm=SHARE_MAX_PPM)
    before = sum(world.money(name) for name in ("ann", "ben", "cat"))
    for _ in range(10):
        world.trade("ann", "ben", 100, PRICE)
        world.close_short("ben", 100, PRICE)
        world.close_long("ann", 100, PRICE)
    midnight(world)
    got = world.account("cat").spot[0].free
    lost = before - sum(world.money(name) for name in ("ann", "ben", "cat"))
    assert 0 < got < lost


def test_nothing_is_noted_of_owners_without_benefits() -> None:
    world = ContractWorld("ann", "ben", money=MONEY)
    world.trade("ann", "ben", 100, PRICE)
    assert world.account("ann").benefits is None
    assert not world.engine.rewards.members


def test_spot_fees_pay_commissions_in_their_own_assets() -> None:
    """Ann, invited, sells to ben and buys from him: shares of a fee in quote and of one in base,
    from the spot fees, with no contract listed at all."""
    world = World("ann", "ben", "cat")
    ann, cat = world.uids["ann"], world.uids["cat"]
    world.ok(benefit_commands.SetAffiliate(cat, "CAT", 500_000, 0))
    world.ok(benefit_commands.Invite(ann, cat))
    world.rest("ann", SELL, 1_000, 50_000)
    world.place("ben", BUY, 1_000, 50_000)
    world.rest("ben", SELL, 1_000, 50_000)
    world.place("ann", BUY, 1_000, 50_000)
    fees = list(world.engine.ledger.fees)
    before = {name: world.free("cat", name) for name in ("BTC", "USDT")}
    world.time += 24 * HOUR
    paid = of(world.apply(commands.Tick()), CommissionPaid)
    told = [(one.product, one.asset, one.maker > 0, one.taker > 0) for one in paid]
    assert told == [(0, "USDT", True, False), (0, "BTC", False, True)]
    for one in paid:
        index = world.engine.ledger.ordinals[one.asset]
        assert one.commission == one.fee // 2 > 0
        assert world.engine.ledger.fees[index] == fees[index] - one.commission
        assert world.free("cat", one.asset) == before[one.asset] + one.commission
    assert of(world.apply(commands.Tick()), CommissionPaid) == []
