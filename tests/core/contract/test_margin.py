"""The arithmetic of margin against worked and published examples (rules 5.6 to 5.9, 7.3)."""

from __future__ import annotations

from random import Random

import pytest

from support.contract_world import (
    SECOND,
    START,
    SYMBOL,
    TIERS,
    ContractWorld,
    isolated_world,
    of,
    wide,
)
from venue.core.contract.admission import order_margin
from venue.core.contract.margin import Tiers, bankruptcy_price, initial, liquidation_price
from venue.core.contract.position import equity, maintenance, notional
from venue.core.contract.records import Position
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import LiquidationStarted
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit
from venue.core.units import PPM, PRICE_MAX
from venue.vocabulary import BUY, GTC, LIMIT, LONG, SELL, SHORT

pytestmark = pytest.mark.core

# Deductions 0; 100,000 x 1 % = 1,000; 1,000 + 400,000 x 3 % = 13,000.
SMALL = Tiers(TIERS)
FLAT = Tiers(wide(50, 10_000))

# The tables of Binance's example, "How to Calculate Liquidation Price of USD-M Futures Contracts"
# (its support page b3c689c1f50a44cabb3a84e663b81d93), as they were then: notional and rate.
BTC_TABLE = [
    (50_000, 125, 4_000),
    (250_000, 100, 5_000),
    (1_000_000, 50, 10_000),
    (5_000_000, 20, 25_000),
    (20_000_000, 10, 50_000),
]
ETH_TABLE = [
    (10_000, 75, 5_000),
    (100_000, 50, 6_500),
    (500_000, 25, 10_000),
    (1_000_000, 20, 20_000),
    (2_000_000, 10, 50_000),
    (5_000_000, 5, 100_000),
    (10_000_000, 4, 125_000),
]


def table(rows: list[tuple[int, int, int]], scale: int) -> list[Tier]:
    return [Tier(top * 10**scale, leverage, rate) for top, leverage, rate in rows]


# -- initial and maintenance -----------------------------------------------------------------------


def test_initial_margin_is_rounded_up() -> None:
    """Rule 5.6: 10,000 / 20 = 500; 10,001 / 20 = 500.05."""
    assert initial(10_000, 20) == 500
    assert initial(10_001, 20) == 501
    assert initial(10_001, 1) == 10_001
    assert initial(0, 20) == 0


@pytest.mark.parametrize(
    ("value", "margin"),
    [
        (0, 0),
        (1, 1),  # 0.01
        (99_950, 1_000),  # 999.5
        (100_000, 1_000),  # the end of the first tier
        (100_001, 1_001),  # 2,000.02 - 1,000
        (400_000, 7_000),  # 8,000 - 1,000
        (400_001, 7_001),  # 20,000.05 - 13,000
        (1_000_000, 37_000),  # 50,000 - 13,000
    ],
)
def test_maintenance_margin_by_tier(value: int, margin: int) -> None:
    """Rule 5.8."""
    assert SMALL.maintenance(value) == margin


def test_maintenance_margin_is_continuous_and_never_falls() -> None:
    """Rule 5.8: at the end of a tier both tiers agree; an atom more costs at most one more."""
    for top, below, above in ((100_000, 0, 1), (400_000, 1, 2)):
        assert SMALL.at(top) == below
        assert SMALL.at(top + 1) == above
        assert (
            top * SMALL.rates[below] - SMALL.deductions[below]
            == top * SMALL.rates[above] - SMALL.deductions[above]
        )
    last = 0
    for value in range(99_000, 402_000):
        margin = SMALL.maintenance(value)
        assert 0 <= margin - last <= (1 if last else margin), value
        last = margin


def test_published_maintenance_amounts() -> None:
    """The vendor's deductions follow from continuity: 16,300 at 2.5 % and 135,365 at 10 %.

    3,500,032.458 x 2.5 % - 16,300 = 71,200.81145; 4,918,775.081 x 10 % - 135,365 = 356,512.5081.
    """
    btc, eth = Tiers(table(BTC_TABLE, 5)), Tiers(table(ETH_TABLE, 5))
    unit = 10**5 * PPM
    assert [number // unit for number in btc.deductions] == [0, 50, 1_300, 16_300, 141_300]
    assert [number // unit for number in eth.deductions] == [
        0, 15, 365, 5_365, 35_365, 135_365, 260_365,
    ]  # fmt: skip
    assert btc.maintenance(3_500_032_45800) == 71_200_81145
    assert eth.maintenance(4_918_775_08100) == 356_512_50810


# -- orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "price", "mark", "need"),
    [
        (LONG, 1_000, 1_000, 505),  # 500, fee 5
        (LONG, 1_001, 1_000, 517),  # 500.5, a loss of 10, fee 5.005
        (LONG, 1_020, 1_000, 716),  # 510, a loss of 20 x 10 at once, fee 5.1
        (LONG, 900, 1_000, 505),  # at mark, the worse; fee 4.5
        (SHORT, 1_000, 1_000, 505),
        (SHORT, 980, 1_000, 705),  # 500, 200, fee 4.9
        (SHORT, 1_020, 1_000, 516),  # 510, fee 5.1
        (LONG, 1_020, 0, 516),  # before there is a mark
    ],
)
def test_what_an_opening_order_needs(side: int, price: int, mark: int, need: int) -> None:
    """Rule 5.6 for 10 lots at leverage 20 and a taker's fee of 0.05 %."""
    assert order_margin(side, 10, price, mark, 1, 20, 500) == need


def test_the_unit_multiplies_an_order_margin() -> None:
    """10 lots of 100 atoms a tick at 1,000: 50,000 and 500."""
    assert order_margin(LONG, 10, 1_000, 1_000, 100, 20, 500) == 50_500


# -- bankruptcy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "mark", "share", "fee_ppm", "price"),
    [
        (LONG, 959, 90, 0, 950),  # (9,590 - 90) / 10
        (LONG, 959, 90, 500, 951),  # 9,500 / 9.995 = 950.48, up
        (LONG, 900, -500, 500, 951),  # worse than bankrupt: above the mark
        (SHORT, 1_040, 103, 0, 1_050),  # 10,503 / 10 = 1,050.3, down
        (SHORT, 1_040, 103, 500, 1_049),  # 10,503 / 10.005 = 1,049.78, down
        (SHORT, 1_100, -500, 500, 1_049),  # 10,500 / 10.005 = 1,049.48
        (LONG, 1_000, 10_000, 500, 1),  # nothing can ruin it
        (LONG, 1_000, 99_999, 500, 1),
        (SHORT, 1_000, -10_000, 500, 1),  # nothing can save it
        (SHORT, 1_000, 10**19, 0, PRICE_MAX),
    ],
)
def test_bankruptcy_price(side: int, mark: int, share: int, fee_ppm: int, price: int) -> None:
    """Rule 7.3 for 10 lots, rounded in favour of the pool."""
    assert bankruptcy_price(side, 10, mark, share, fee_ppm) == price


def test_at_its_bankruptcy_price_a_position_is_just_not_in_debt() -> None:
    """share + s x size x (p - mark) - fee >= 0 at p, and < 0 one tick further; 2,000 cases."""
    random = Random(7)
    for _ in range(2_000):
        side = random.choice([LONG, SHORT])
        size = random.randint(1, 500)
        mark = random.randint(500, 5_000)
        share = random.randint(-size * mark // 10, size * mark // 10)
        fee = random.choice([0, 200, 500, 10_000])

        def left(
            price: int, *, side: int = side, size: int = size, mark: int = mark,
            share: int = share, fee: int = fee,
        ) -> int:  # fmt: skip
            return (share + side * size * (price - mark)) * PPM - fee * size * price

        price = bankruptcy_price(side, size, mark, share, fee)
        assert left(price) >= 0 > left(price - side)


# -- liquidation price -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "size", "slack", "price"),
    [
        # 10 M - 9,500 = 0.1 M at 959.60, reached at 959; a short's 10,503 at 1,039.9, at 1,040.
        (LONG, 10, 500, 959),
        (SHORT, 10, 503, 1_040),
        # 200 M - 190,000 = 4 M - 1,000 at 964.29, in the second tier.
        (LONG, 200, 10_000, 964),
        # 110 M - 98,010: in the second tier it would be 899.9 (98,989), so the first one: 900.
        (LONG, 110, 11_990, 900),
        # 104,500 - 95 M = 1.9 M - 1,000 at 1,088.75: a short grows into the second tier.
        (SHORT, 95, 9_500, 1_089),
        # 110 M - 99,098 = 2.2 M - 1,000 at 910 (100,100), in the second tier; in the first one it
        # would be 909.99 (100,099), which lies beyond its end.
        (LONG, 110, 10_902, 910),
        # 500 M - 470,000 = 25 M - 13,000 at 962.1; 430,000 - 380 M = 19 M - 13,000 at 1,110.3.
        (LONG, 500, 30_000, 962),
        (SHORT, 380, 50_000, 1_111),
        # As good as without leverage: nothing below zero is a price.
        (LONG, 10, 10_000, 0),
        (LONG, 10, 99_999, 0),
        (LONG, 10, 9_999, 0),  # 10 M = 1 + 0.1 M below one tick
        (SHORT, 10, 10**20, 0),
        # In danger as it stands: still where it would not be.
        (LONG, 10, 90, 1_001),
    ],
)
def test_liquidation_price(side: int, size: int, slack: int, price: int) -> None:
    """Rule 5.9 at mark 1,000; `slack` is the equity there."""
    assert liquidation_price(side, size, 1_000, slack, SMALL) == price


def test_a_cross_position_has_the_others_maintenance_taken_off_its_slack() -> None:
    """10 lots, equity 2,000, of which 500 stand for others: 10 M - 8,500 = 0.1 M at 858.59."""
    assert liquidation_price(LONG, 10, 1_000, 2_000 - 500, FLAT) == 858


def test_at_the_liquidation_price_a_pool_is_in_danger_and_a_tick_further_it_is_not() -> None:
    """Rules 5.9, 7.1: exactly, with the margin rounded up as it is; 20,000 cases in all tiers."""
    random = Random(11)
    for _ in range(20_000):
        side = random.choice([LONG, SHORT])
        size = random.choice([1, 10, 95, 110, 333, 450, random.randint(1, 2_000)])
        slack = random.randint(size * 10, size * 600)

        def safe(price: int, *, side: int = side, size: int = size, slack: int = slack) -> bool:
            return slack + side * size * (price - 1_000) > SMALL.maintenance(size * price)

        price = liquidation_price(side, size, 1_000, slack, SMALL)
        assert price > 0
        assert not safe(price), (side, size, slack)
        assert safe(price + side), (side, size, slack)


@pytest.mark.parametrize(
    ("size", "entry", "others", "tiers", "price"),
    [
        # Cross: the other symbol's maintenance margin off, its unrealized profit on.
        ("eth", 1_456_8400, -71_200_8114400 - 56_354_5700000, ETH_TABLE, 1_153_2564),
        ("btc", 32_481_9800, -356_512_5080000 - 448_192_8900000, BTC_TABLE, 26_316_8933),
        # Isolated with the same wallet.
        ("eth", 1_456_8400, 0, ETH_TABLE, 1_114_7849),
        ("btc", 32_481_9800, 0, BTC_TABLE, 18_778_7259),
    ],
)
def test_published_liquidation_prices(
    size: str, entry: int, others: int, tiers: list[tuple[int, int, int]], price: int
) -> None:
    """Binance's example: 1,153.26 and 26,316.89 cross, 1,114.78 and 18,778.73 isolated.

    Ticks of 0.0001, lots of 0.001, atoms of 0.0000001; a long's price is rounded down.
    """
    lots = {"eth": 3_683_979, "btc": 109_488}[size]
    wallet = 1_535_443_0100000
    assert liquidation_price(LONG, lots, entry, wallet + others, Tiers(table(tiers, 7))) == price


# -- the same in an engine -------------------------------------------------------------------------


def test_isolated_and_cross_pools_agree_with_their_liquidation_prices() -> None:
    """ann, isolated: 959. ben, cross with 1,000,000 of money: a short far above."""
    world = isolated_world()
    for name, side, price in (("ann", LONG, 959), ("ben", SHORT, 100_000)):
        position = world.position(name, side)
        found = price_of(position)
        if name == "ann":
            assert found == price
        else:
            # 1,009,998 - 10 M = 0.5 M would be the first tier; 10 M > 400,000: 5 % - 13,000.
            assert found == -(-(1_009_998 + 13_000) * 100 // 1_050)
    assert of(world.post(960), LiquidationStarted) == []
    assert len(of(world.post(959), LiquidationStarted)) == 1


def price_of(position: Position) -> int:
    """The liquidation price as an owner is told it."""
    pool, perp = position.pool, position.perp
    others = maintenance(pool) - perp.tiers.maintenance(notional(position))
    return liquidation_price(
        position.side, position.quantity * perp.unit, perp.mark, equity(pool) - others, perp.tiers
    )


def test_the_published_example_in_an_engine() -> None:
    """Both positions at once: ETH at 1,153.26 is safe, at 1,153.25 the pool is liquidated."""
    engine = Engine()
    clock = [START]

    def apply(command: Command) -> list[Event]:
        clock[0] += SECOND
        command.time = clock[0]
        events = engine.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), events
        return events

    for asset in ("USDT", "ETH", "BTC"):
        apply(commands.RegisterAsset(asset, 5))
    for base, rows in (("ETH", ETH_TABLE), ("BTC", BTC_TABLE)):
        instrument = Instrument(
            f"{base}USDT", base, "USDT", 1, 2, 1, 3, 1, 10**9, 10**9, 0, 0
        )  # fmt: skip
        apply(
            commands.ListContract(
                Contract(instrument, rows[0][1], 10**9, 10**9, table(rows, 5),
                         index_sources=("desk",), index_step_ppm=3_000)
            )
        )  # fmt: skip
    uids = []
    for name, money in (("ann", 1_535_443_01000), ("ben", 10**15)):
        uids.append(apply(commands.CreateOwner(name))[0].uid)  # type: ignore[union-attr]
        apply(commands.Deposit(uids[-1], 1, "USDT", money))
    for symbol, lots, entry, leverage in (
        ("ETHUSDT", 3_683_979, 1_456_84, 4),
        ("BTCUSDT", 109_488, 32_481_98, 20),
    ):
        apply(commands.PostIndex(symbol, "desk", entry, jump=True))
        for uid, side, position_side in ((uids[1], SELL, SHORT), (uids[0], BUY, LONG)):
            apply(commands.SetLeverage(uid, symbol, cross=leverage))
            apply(
                commands.PlaceContractOrder(
                    uid, symbol, side, position_side, LIMIT, GTC, lots, entry
                )
            )
    apply(commands.PostIndex("BTCUSDT", "desk", 31_967_27, jump=True))
    apply(commands.PostIndex("ETHUSDT", "desk", 1_335_18, jump=True))
    holding = engine.holding(uids[0])
    eth, btc = holding.positions.values()
    assert (price_of(eth), price_of(btc)) == (1_153_25, 26_316_89)
    assert maintenance(eth.pool) == 71_200_81145 + 356_512_50813  # each rounded up
    assert (
        of(apply(commands.PostIndex("ETHUSDT", "desk", 1_153_26, jump=True)), LiquidationStarted)
        == []
    )
    (started,) = of(
        apply(commands.PostIndex("ETHUSDT", "desk", 1_153_25, jump=True)), LiquidationStarted
    )
    assert started.uid == uids[0]
    assert audit.problems(engine) == []


def test_a_world_is_what_these_examples_say_it_is() -> None:
    """The small contract's tiers are those computed with above."""
    world = ContractWorld()
    assert world.perp.symbol == SYMBOL
    assert world.perp.tiers.deductions == SMALL.deductions == [0, 1_000 * PPM, 13_000 * PPM]
