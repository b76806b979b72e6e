"""Incidents at other venues, played through here: they must end well."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    CONTRACT_WALLET,
    MONEY,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
    wide,
)
from venue.core.contract.collateral import FUND_UID, available
from venue.core.contract.conditional.triggers import FIRED_MAX
from venue.core.contract.consequences import LIQUIDATIONS_MAX
from venue.core.contract.position import equity, maintenance
from venue.core.contract.records import Pool
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    AlgoTriggered,
    ContractOrderPlaced,
    ContractTrade,
    Deleveraged,
    Income,
    LiquidationStarted,
    LiquidationStep,
)
from venue.core.state import audit
from venue.vocabulary import BUY, IOC, LONG, SELL, SHORT, AlgoType, Cause, Reject

pytestmark = pytest.mark.core

STOP_MARKET = int(AlgoType.STOP_MARKET)
RICH = 10**10
LOW = wide(20, 10_000)  # one tier: sizes do not matter


def pools(world: ContractWorld) -> list[Pool]:
    """All pools with positions."""
    found = []
    for uid in world.engine.ledger.accounts:
        found += [pool for pool in world.engine.holding(uid).pools() if pool.positions]
    return found


# -- I-05: a mark of zero --------------------------------------------------------------------------


def crowd(number: int, lots: int = 10) -> ContractWorld:
    """`number` owners long at leverage 20 with hardly more than that, against one rich short."""
    contract = replace(CONTRACT, position_max=10**6, open_interest_max=10**7, leverage_max=20,
                       tiers=LOW)  # fmt: skip
    world = ContractWorld("house", contract=contract, money=RICH)
    world.checked = False
    for count in range(number):
        name = f"owner {count}"
        world.owner(name, 1_000 * lots // 20 + 20)
        world.trade(name, "house", lots, 1_000)
    world.checked = True
    return world


@pytest.mark.parametrize("wrong", [0, 1, 10, 799, 10**12])
def test_i05_a_wrong_index_liquidates_nobody_for_seconds(wrong: int) -> None:
    """Paradex 2026: a migration set marks to 0. No price freezes liquidations, a wrong one is
    followed by at most 0.5 % a second, and nothing is opened meanwhile (rule 6.1)."""
    world = crowd(50)
    before = world.everything()
    for _ in range(7):
        world.wait(1)
        for events in (world.tell(wrong), world.tick()):
            assert of(events, LiquidationStarted) == []
            assert of(events, Income) == []
    assert 965 <= world.perp.mark <= 1_036
    assert world.perp.doubt
    # Owners can still close meanwhile, near the mark.
    world.close_short("house", 10, world.perp.mark)
    (trade,) = of(world.close_long("owner 0", 10, world.perp.mark), ContractTrade)
    assert trade.price == world.perp.mark
    # The right price comes back, as slowly: nothing has happened.
    for _ in range(9):
        world.wait(1)
        world.tell(1_000)
    assert (world.perp.mark, world.perp.current, world.perp.doubt) == (1_000, True, False)
    assert of(world.tick(), LiquidationStarted) == []
    assert len(world.perp.positions) == 49 + 1
    assert world.everything() == before


def test_i05_a_source_that_falls_silent_liquidates_nobody() -> None:
    world = crowd(50)
    for _ in range(60):
        world.wait(1)
        assert of(world.tick(), LiquidationStarted) == []
    assert not world.perp.current


def test_i05_one_wrong_source_of_three_is_outvoted() -> None:
    world = crowd(50)
    world.post(1_000, "wire")
    world.post(1_001, "post")
    for wrong in (0, 1, 700, 10**12):
        assert of(world.post(wrong, "desk"), LiquidationStarted) == []
        assert world.perp.current
        assert 1_000 <= world.perp.mark <= 1_001


# -- I-06: a backstop that is made to take a position ----------------------------------------------


def pumped(fund: int) -> ContractWorld:
    """An attacker short 1,000 isolated at 10 against its own accomplice; a bystander; a fund."""
    contract = replace(
        CONTRACT, position_max=1_000, open_interest_max=4_000, leverage_max=20, tiers=LOW
    )
    world = ContractWorld("attacker", "accomplice", contract=contract, fund=fund)
    world.isolate("attacker", 10)
    assert refusal(world.short("attacker", 1_001, 1_000)) == Reject.POSITION_MAX
    world.trade("accomplice", "attacker", 1_000, 1_000)
    # The fund must not take over from a book: there is none.
    world.owner("bystander")
    return world


def stolen(world: ContractWorld) -> int:
    """The gain of both together at mark above their deposits; fees make it negative."""
    total = 0
    for name in ("attacker", "accomplice"):
        total += sum(map(equity, world.holding(name).pools_in(0)))
    return total - 2 * MONEY


def test_i06_the_fund_does_not_take_over_what_would_ruin_it() -> None:
    """Hyperliquid JELLY 2025. A gap to 1,200: taking over at 1,100 would cost 100,000 of 50,000.

    The accomplice is deleveraged at 1,100 instead: the pair has lost its fees, the fund nothing.
    """
    world = pumped(50_000)
    events = world.post(1_200)
    (step,) = of(events, LiquidationStep)
    assert (step.bankruptcy_price, step.taken_over, step.deleveraged) == (1_100, 0, 1_000)
    (left,) = of(events, Deleveraged)
    assert left.uid == world.uids["accomplice"]
    assert stolen(world) <= 0
    assert equity(world.cross("fund")) >= 50_000
    assert world.money("bystander") == MONEY
    assert world.perp.open_interest == 0


def test_i06_a_fund_that_took_over_is_relieved_before_its_equity_ends() -> None:
    """The fund takes 1,000 lots over at 1,099 in time; then the price is driven to four times.

    Long before that it is deleveraged against the accomplice: the pair wins the money of the fund,
    never more; the fund does not fall below zero and nobody else pays.
    """
    world = pumped(50_000)
    events = world.post(1_092)
    assert of(events, LiquidationStep)[0].taken_over == 1_000
    price = 1_092
    deleveraged: list[Deleveraged] = []
    while price < 4_000:
        price += price // 100
        world.wait(1)
        for events in (world.post(price), world.tick()):
            deleveraged += of(events, Deleveraged)
        assert equity(world.cross("fund")) >= 0
    assert sum(event.quantity for event in deleveraged) == 1_000
    assert {event.uid for event in deleveraged} == {world.uids["accomplice"]}
    assert max(event.price for event in deleveraged) < 1_160
    assert stolen(world) < 50_000
    assert world.money("bystander") == MONEY
    assert world.perp.open_interest == 0
    # The price goes on, the position is gone: so does nobody's money.
    assert world.everything() == 3 * MONEY + 50_000


# -- I-07: positions that outgrow the market -------------------------------------------------------


def test_i07_positions_and_open_interest_are_capped() -> None:
    """dYdX YFI 2023: open interest went from 0.8 to 67 million. Rests count towards a position."""
    contract = replace(CONTRACT, position_max=60, open_interest_max=240)
    world = ContractWorld("ann", "ben", "cat", "dan", "eve", contract=contract, money=RICH)
    assert refusal(world.long("ann", 61, 1_000)) == Reject.POSITION_MAX
    world.long("ann", 40, 990)
    assert refusal(world.long("ann", 21, 990)) == Reject.POSITION_MAX
    world.short("ben", 40, 990)
    assert refusal(world.long("ann", 21, 990)) == Reject.POSITION_MAX
    world.long("ann", 20, 990)
    world.short("ben", 20, 990)
    assert world.perp.open_interest == 60
    for long, short, lots in (("dan", "eve", 60), ("eve", "dan", 60), ("ben", "ann", 20)):
        world.trade(long, short, lots, 990)
    # 40 more are allowed in all, whoever asks.
    assert refusal(world.short("ben", 1, 1_010)) == Reject.POSITION_MAX
    assert refusal(world.short("cat", 41, 1_010)) == Reject.OPEN_INTEREST_MAX
    world.short("cat", 40, 1_010)
    assert world.perp.open_interest == 200


def test_i07_larger_positions_need_more_margin() -> None:
    """Tiers: 100 lots at leverage 50, 400 at 20, more at 10."""
    world = ContractWorld("ann", "ben", money=RICH)
    uid = world.uids["ann"]
    world.ok(commands.SetLeverage(uid, SYMBOL, cross=50))
    assert refusal(world.long("ann", 101, 1_000)) == Reject.LEVERAGE_SIZE
    world.long("ann", 100, 1_000)
    assert refusal(world.long("ann", 1, 1_000)) == Reject.LEVERAGE_SIZE
    world.ok(commands.SetLeverage(uid, SYMBOL, cross=20))
    world.long("ann", 300, 1_000)
    assert refusal(world.long("ann", 1, 1_000)) == Reject.LEVERAGE_SIZE
    world.ok(commands.SetLeverage(uid, SYMBOL, cross=10))
    world.long("ann", 1, 1_000)
    world.short("ben", 10, 1_000)
    assert refusal(world.apply(commands.SetLeverage(uid, SYMBOL, cross=51))) == Reject.LEVERAGE


# -- I-08: profit that is not there ----------------------------------------------------------------


def test_i08_unrealized_profit_cannot_leave_nor_be_borrowed_on() -> None:
    """Mango 2022: 100 lots at 1,000 of 10,000; at 2,000 the profit is 100,000 and counts nowhere.

    Wallet 10,000 - 50, initial margin at mark 10,000: nothing is available.
    """
    world = ContractWorld("ben", money=RICH)
    ann = world.owner("ann", 10_000)
    world.trade("ann", "ben", 100, 1_000)
    assert available(world.holding("ann"), 0) == 10_000 - 50 - 5_000
    for price in (1_200, 1_400, 1_600, 1_800, 2_000):
        world.post(price)
    assert equity(world.cross("ann")) == 10_000 - 50 + 100_000
    assert available(world.holding("ann"), 0) == -50
    assert refusal(world.withdraw("ann", 1)) == Reject.FUNDS
    for target in (0, 2):
        move = commands.Transfer(ann, CONTRACT_WALLET, target, "QQQ", 1)
        assert refusal(world.apply(move)) == Reject.FUNDS
    assert refusal(world.long("ann", 1, 2_000)) == Reject.FUNDS
    world.post(1_600)
    # The wallet less 8,000 of margin is what may leave, as if there were no profit.
    assert refusal(world.withdraw("ann", 1_951)) == Reject.FUNDS
    assert len(world.withdraw("ann", 1_950)) == 1


def test_i08_a_pair_cannot_take_out_more_than_it_put_in() -> None:
    """One long, one short; the price doubles, the loser cannot trade its debt onto the fund."""
    world = ContractWorld("ann", "ben", "maker", money=20_000, fund=0)
    world.deposit("maker", RICH)
    world.trade("ann", "ben", 100, 1_000)
    for price in (1_150, 1_300, 1_500, 1_750, 2_000):
        # They try to realize the profit between themselves at the mark.
        world.close_long("ann", 100, price)
        world.close_short("ben", 100, price, IOC)
        world.ok(commands.CancelContractOrders(world.uids["ann"]))
        world.wait(1)
        world.post(price)
        world.tick()
    world.ok(commands.ClosePositions(world.uids["ann"]))
    taken = 0
    for name in ("ann", "ben"):
        amount = max(0, available(world.holding(name), 0))
        if amount:
            world.ok(commands.Withdraw(world.uids[name], CONTRACT_WALLET, "QQQ", amount))
        taken += amount
    assert taken <= 40_000
    assert world.money("fund") >= 0


# -- I-09: a cascade -------------------------------------------------------------------------------


def test_i09_a_cascade_of_two_thousand_accounts() -> None:
    """10 October 2025: -40 % in 60 seconds; fund and ADL conserve, the engine keeps answering."""
    random = Random(9)
    number = 2_000
    world = crowd(0)
    world.checked = False
    world.deposit("fund", 200_000)
    for count in range(number):
        name = f"owner {count}"
        leverage = random.choice([2, 3, 5, 10, 20])
        lots = random.randint(1, 40)
        world.owner(name, 1_000 * lots // leverage + lots + 5)
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, leverage, leverage, leverage))
        if count % 3 == 0:
            world.isolate(name, leverage)
        world.trade(name, "house", lots, 1_000)
    put_in = world.everything()
    world.owner("bystander", RICH)
    put_in += RICH
    started = most = 0
    causes: set[int] = set()
    for second in range(1, 61):
        world.wait(1)
        price = 1_000 - 400 * second // 60
        # Some bids, never enough.
        world.long("bystander", 40, price - 2)
        steps = [world.post(price), world.tick()]
        while world.pending():
            steps.append(world.tick())
            assert len(steps) < 100
        for events in steps:
            found = len(of(events, LiquidationStarted))
            assert found <= LIQUIDATIONS_MAX
            started += found
            most = max(most, found)
            causes |= {event.cause for event in of(events, ContractTrade)}
        assert world.everything() == put_in
        assert world.perp.mark >= price * 95 // 100
        for pool in pools(world):
            # The fund that took over in the last command comes under the ladder in the next one.
            enough = 0 if pool.account.uid == FUND_UID else maintenance(pool) + 1
            assert equity(pool) >= enough, pool.account.name
        # The engine answers: an order comes in and goes out.
        (placed,) = world.long("bystander", 1, price - 40)
        assert isinstance(placed, ContractOrderPlaced)
        world.ok(commands.CancelContractOrder(world.uids["bystander"], placed.order_id))
        if second % 10 == 0:
            assert audit.problems(world.engine) == []
    assert most == LIQUIDATIONS_MAX
    assert started > number // 2
    assert {Cause.LIQUIDATION, Cause.TAKEOVER, Cause.DELEVERAGE} <= causes
    assert equity(world.cross("fund")) >= 0
    for name in world.uids:
        if name.startswith("owner"):
            assert equity(world.cross(name)) >= 0


# -- I-10: a market order into a thin book ---------------------------------------------------------


def thin(stops: int) -> ContractWorld:
    """Longs of a lot, each with a stop at 970, over bids 5 @ 999, 5 @ 960, 30 @ 945, 900 @ 100."""
    world = crowd(stops, 1)
    world.checked = False
    for count in range(stops):
        world.deposit(f"owner {count}", 1_000)
        uid = world.uids[f"owner {count}"]
        world.ok(commands.PlaceAlgo(uid, SYMBOL, SELL, LONG, STOP_MARKET, 1, 970, 0))
    world.owner("bids", RICH)
    for lots, price in ((5, 999), (5, 960), (30, 945), (900, 100)):
        world.long("bids", lots, price)
    world.owner("seller", RICH)
    world.checked = True
    return world


def test_i10_a_market_sell_stops_at_the_band() -> None:
    """GDAX 2017. 5 % from the best bid of 999 is 949.05: 10 of 50 lots are sold, none below 950."""
    world = thin(0)
    events = world.order("seller", SELL, SHORT, 50, 0)
    assert [(trade.quantity, trade.price) for trade in of(events, ContractTrade)] == [
        (5, 999),
        (5, 960),
    ]
    assert world.perp.market.last_price == 960
    assert world.perp.mark == 1_000


def test_i10_stops_enter_in_stages_and_do_not_fall_through_the_book() -> None:
    """120 stops: at most 50 per command, and none is executed more than 10 % below the mark.

    30 find a bid at 945; the others are refused instead of selling at 100.
    """
    stops = 120
    world = thin(stops)
    stages = []
    prices = []
    refused = []
    events = world.order("seller", SELL, SHORT, 10, 0)
    while of(events, AlgoTriggered):
        stages.append(len(of(events, AlgoTriggered)))
        refused += [event.reason for event in of(events, AlgoTriggered) if event.reason]
        prices += [trade.price for trade in of(events, ContractTrade)]
        assert of(events, LiquidationStarted) == []
        world.wait(1)
        events = world.tick()
    assert stages == [FIRED_MAX, FIRED_MAX, stops - 2 * FIRED_MAX]
    assert sorted(set(prices)) == [945, 960, 999]
    assert refused == [Reject.NO_LIQUIDITY] * (stops - 30)
    assert world.perp.mark >= 950
    assert of(world.post(1_000), LiquidationStarted) == []
    assert sum(bool(world.positions(f"owner {count}")) for count in range(stops)) == stops - 30


@pytest.mark.parametrize("side", [LONG, SHORT])
def test_i10_a_market_order_does_not_take_a_far_price_for_the_best(side: int) -> None:
    """Rule 3.9: the only bid is at 100 (the only ask at 9,000), the mark at 1,000."""
    world = ContractWorld("ann", "ben", "cat", money=RICH)
    world.trade("ann", "ben", 10, 1_000)
    if side == LONG:
        world.long("cat", 10, 100)
    else:
        world.short("cat", 10, 9_000)
    name, order_side = ("ann", SELL) if side == LONG else ("ben", BUY)
    assert refusal(world.order(name, order_side, side, 10, 0)) == Reject.NO_LIQUIDITY
    world.ok(commands.ClosePositions(world.uids[name]))
    assert world.position(name, side).quantity == 10
