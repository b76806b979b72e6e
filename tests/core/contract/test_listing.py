"""Listing, changing and halting contracts, and posted index prices (rules 1.1, 3.8, 6.1)."""

import msgspec
import pytest

from support.order_desk import (
    BUY,
    GTC,
    LIMIT,
    LONG,
    OTHER,
    PLENTY,
    PRICE,
    SECOND,
    SELL,
    SHORT,
    SOURCE,
    SYMBOL,
    UNIT,
    Desk,
    contract,
    of,
    refusal,
    the,
)
from venue.core.engine import Engine
from venue.core.instruments import Contract, Tier
from venue.core.market_hours import TradingSession
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractChanged,
    ContractListed,
    ContractOrderPlaced,
    LiquidationStarted,
    MarkSet,
)
from venue.core.messages.events import InstrumentHalted, OrderPlaced, OwnerCreated, Rejected
from venue.core.units import AMOUNT_MAX, PPB, PPM, PRICE_MAX, QUANTITY_MAX
from venue.vocabulary import Reject

pytestmark = pytest.mark.core


def changed(**fields: object) -> Contract:
    return msgspec.structs.replace(contract(), **fields)


def gridded(**fields: object) -> Contract:
    instrument = msgspec.structs.replace(contract().instrument, **fields)
    return changed(instrument=instrument)


def bare() -> Engine:
    engine = Engine()
    for asset in ("USDT", "BTC", "ETH"):
        engine.apply(commands.RegisterAsset(asset, 2))
    return engine


# -- listing ---------------------------------------------------------------------------------------


def test_the_first_contract_brings_the_fee_account_and_the_insurance_fund() -> None:
    engine = bare()
    assert engine.apply(commands.ListContract(contract("BTC"))) == [
        OwnerCreated(1, "fees"),
        OwnerCreated(2, "insurance-fund"),
        ContractListed(contract("BTC")),
    ]
    assert engine.apply(commands.ListContract(contract("ETH"))) == [ContractListed(contract("ETH"))]
    assert engine.ledger.names == {"fees": 1, "insurance-fund": 2}


@pytest.mark.parametrize("name", ["fees", "insurance-fund"])
def test_their_names_are_reserved_from_the_beginning(name: str) -> None:
    engine = bare()
    create = commands.CreateOwner(name)
    assert engine.apply(create) == [Rejected(Reject.OWNER_RESERVED)]
    engine.apply(commands.ListContract(contract()))
    uid = engine.ledger.names[name]
    assert engine.apply(create) == [Rejected(Reject.OWNER_NAME_USED, uid)]
    deposit = commands.Deposit(uid, 1, "USDT", 5)
    assert not isinstance(engine.apply(deposit)[0], Rejected)


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (contract(), Reject.SYMBOL_LISTED),
        (changed(leverage_max=0), Reject.SYMBOL_LISTED),
        (contract("SOL"), Reject.ASSET_UNKNOWN),
        (gridded(quote="EUR"), Reject.ASSET_UNKNOWN),
        (gridded(symbol="BTC-USDT"), Reject.INSTRUMENT_INVALID),
        (gridded(symbol="BTCBTC", quote="BTC"), Reject.INSTRUMENT_INVALID),
    ],
)
def test_the_first_fault_of_a_listing_wins(listed: Contract, reason: Reject) -> None:
    assert refusal(Desk().apply(commands.ListContract(listed))) == reason


FAULTS: list[tuple[dict[str, object], str]] = [
    ({"leverage_max": 0}, "leverage_max"),
    ({"leverage_max": 501}, "leverage_max"),
    ({"leverage_max": 49}, "first tier"),
    ({"tiers": []}, "first tier"),
    ({"position_max": 0}, "position_max"),
    ({"position_max": 16_001}, "open_interest_max"),
    ({"open_interest_max": QUANTITY_MAX + 1}, "open_interest_max"),
    ({"tiers": [Tier(500, 50, 8_000), Tier(500, 25, 9_000)]}, "ascend"),
    ({"tiers": [Tier(500, 50, 8_000), Tier(600, 51, 9_000)]}, "ascend"),
    ({"tiers": [Tier(500, 50, 8_000), Tier(600, 25, 7_999)]}, "must not fall"),
    ({"tiers": [Tier(500, 50, 20_000)]}, "below 1 / its leverage"),
    ({"tiers": [Tier(500, 50, 0)]}, "below 1 / its leverage"),
    ({"tiers": [Tier(500, 50, 8_000), Tier(600, 0, 8_000)]}, "below 1 / its leverage"),
    ({"liquidation_ppm": -1}, "liquidation_ppm"),
    ({"liquidation_ppm": PPM}, "liquidation_ppm"),
    ({"funding_minutes": ()}, "funding_minutes"),
    ({"funding_minutes": (480, 0)}, "funding_minutes"),
    ({"funding_minutes": (0, 0)}, "funding_minutes"),
    ({"funding_minutes": (0, 1_440)}, "funding_minutes"),
    ({"funding_minutes": (-1, 719)}, "funding_minutes"),
    ({"funding_minutes": (0, 700)}, "funding_minutes"),
    ({"funding_cap_ppb": 0}, "funding rates"),
    ({"funding_cap_ppb": PPB}, "funding rates"),
    ({"interest_ppb": -1}, "funding rates"),
    ({"interest_ppb": PPB}, "funding rates"),
    ({"index_sources": ()}, "index_sources"),
    ({"index_sources": tuple("abcdefghi")}, "index_sources"),
    ({"adl_policy": 2}, "adl_policy"),
    ({"underlying": "Coins"}, "underlying must be one of COIN, Stocks"),
    ({"market_hours": (TradingSession(-1, 60),)}, "market_hours must ascend within a week"),
    ({"market_hours": (TradingSession(0, 10_081),)}, "market_hours must ascend within a week"),
    ({"market_hours": (TradingSession(60, 60),)}, "market_hours must ascend within a week"),
    (
        {"market_hours": (TradingSession(60, 120), TradingSession(119, 180))},
        "no session may overlap",
    ),
    (
        {"market_hours": (TradingSession(60, 120), TradingSession(0, 30))},
        "market_hours must ascend",
    ),
    (
        {"market_hours": tuple(TradingSession(minute, minute + 1) for minute in range(0, 102, 2))},
        "market_hours must be at most 50 sessions a week",
    ),
    (
        {"market_hours": (TradingSession(0, 60),)},
        "opens again, 0.02, must be at most 0.008, the maintenance rate of the first tier",
    ),
    ({"funding_cap_ppb": 6_000_001}, "the funding cap, 0.006001, must be at most 0.006, 0.75 x"),
    ({"index_step_ppm": 6_001}, "a second's step, 0.006001, must be at most 0.006, 0.75 x"),
    ({"tiers": [Tier(500, 50, 6_000)]}, "a second's step, 0.005, must be at most 0.0045, 0.75 x"),
    ({"position_max": 10**14, "open_interest_max": 10**15}, "lowest price, in ticks"),
    ({"index_notional": -1}, "index_notional must be 0 to"),
    ({"impact_notional": AMOUNT_MAX + 1}, "impact_notional must be 0 to"),
    # The first tier ends at 2,000,000.00, the smallest order at four times 625 ticks is 5,000.00.
    (
        {"index_notional": 199_999},
        "a thousandth of the first tier's greatest notional, 2000, must be at most 1999.99, the",
    ),
    (
        {"impact_notional": 499_999},
        "the smallest order at four times the lowest price, 5000, must be at most 4999.99, the imp",
    ),
    (
        {"impact_notional": 200_000_001, "tiers": [Tier(200_000_000, 50, 8_000)]},
        "impact_notional: the impact notional, 2000000.01, must be at most 2000000, the last",
    ),
    ({"index_step_ppm": 0}, "index_step_ppm"),
    ({"index_step_ppm": 50_001}, "index_step_ppm"),
]


@pytest.mark.parametrize(("fields", "words"), FAULTS)
def test_each_fault_of_a_contract_is_named(fields: dict[str, object], words: str) -> None:
    """Listed and changed under the same rules."""
    (said,) = bare().apply(commands.ListContract(changed(**fields)))
    assert isinstance(said, Rejected)
    assert (said.reason, words in said.detail) == (Reject.INSTRUMENT_INVALID, True), said
    desk = Desk()
    assert desk.apply(commands.ChangeContract(changed(**fields))) == [said]


@pytest.mark.parametrize(
    "fields",
    [
        {"tick": 0},
        {"quantity_min": 0},
        {"quantity_max": 1},
        {"market_quantity_max": 0},
        {"maker_ppm": -1},
        {"taker_ppm": PPM},
        {"taker_ppm": 4_001},  # half of the maintenance rate is 4,000
        {"maker_ppm": 4_001},
        {"market_band_ppm": 0},
        {"price_scale": 2, "quantity_scale": 1},  # 10^-3 of an asset with two digits
        {"tick": 2**62},
    ],
)
def test_an_instruments_faults_are_a_contracts(fields: dict[str, object]) -> None:
    """Rule 1.1."""
    said = bare().apply(commands.ListContract(gridded(**fields)))
    assert refusal(said) == Reject.INSTRUMENT_INVALID


def test_the_limits_themselves_are_fine() -> None:
    limits = changed(
        tiers=[Tier(500, 50, 19_999), Tier(501, 50, 19_999), Tier(AMOUNT_MAX, 1, 999_999)],
        position_max=AMOUNT_MAX // (4 * 251 * UNIT), open_interest_max=QUANTITY_MAX,
        funding_minutes=tuple(range(0, 1_440, 60)), funding_cap_ppb=1, interest_ppb=0,
        index_sources=tuple("abcdefgh"), adl_policy=1, index_notional=AMOUNT_MAX,
        impact_notional=4 * 251 * 2 * UNIT, index_step_ppm=14_999, liquidation_ppm=0,
    )  # fmt: skip
    said = bare().apply(commands.ListContract(limits))
    assert said[-1] == ContractListed(limits)


def test_a_contract_whose_first_tier_allows_little_starts_with_that() -> None:
    engine = bare()
    engine.apply(commands.ListContract(changed(leverage_max=5, tiers=[Tier(AMOUNT_MAX, 5, 8_000)])))
    assert engine.contracts.markets[SYMBOL].default_leverage() == 5


def test_assets_and_markets_that_come_later_are_everybodys() -> None:
    desk = Desk("ann")
    desk.ok(commands.RegisterAsset("SOL", 2))
    desk.ok(commands.ListContract(contract("SOL")))
    settled_in_eth = msgspec.structs.replace(
        contract("SOL").instrument, symbol="SOLETH", quote="ETH"
    )
    desk.ok(
        commands.ListContract(msgspec.structs.replace(contract("SOL"), instrument=settled_in_eth))
    )
    desk.ok(commands.Deposit(desk.uids["ann"], 1, "ETH", PLENTY))
    desk.ok(commands.Deposit(2, 1, "SOL", 5))
    desk.ok(commands.PostIndex("SOLETH", SOURCE, 1_000, jump=True))
    (placed,) = desk.place("ann", BUY, LONG, 5, 1_000, symbol="SOLETH")
    assert isinstance(placed, ContractOrderPlaced)
    assert desk.held("ann", 2) == 25_000 + 300


# -- changing --------------------------------------------------------------------------------------


def test_limits_change_and_resting_orders_stay() -> None:
    desk = Desk("ann", "ben")
    resting = desk.asks("ann", 4, PRICE)
    stricter = gridded(quantity_min=3, quantity_max=6, market_quantity_max=5, taker_ppm=0)
    assert desk.ok(commands.ChangeContract(stricter)) == [ContractChanged(stricter)]
    assert desk.order("ann", resting).remaining == 4
    assert desk.place("ben", BUY, LONG, 2, PRICE) == [Rejected(Reject.QUANTITY_MIN, 3)]
    assert desk.place("ben", BUY, LONG, 7, PRICE) == [Rejected(Reject.QUANTITY_MAX, 6)]
    assert desk.place("ben", BUY, LONG, 6) == [Rejected(Reject.MARKET_SIZE, 5)]
    desk.place("ben", BUY, LONG, 5, PRICE)
    assert desk.position("ben").open_fee == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"tick": 2},
        {"step": 2},
        {"price_scale": 1, "quantity_scale": 0},
        {"quantity_scale": 1},
        {"base": "BT", "quote": "CUSDT"},
    ],
)
def test_grid_and_assets_stay(fields: dict[str, object]) -> None:
    said = Desk().apply(commands.ChangeContract(gridded(**fields)))
    assert refusal(said) == Reject.INSTRUMENT_INVALID


def test_what_is_not_listed_is_unknown() -> None:
    desk = Desk()
    for command in (
        commands.ChangeContract(contract("SOL")),
        commands.HaltInstrument("SOLUSDT", True, product=1),
        commands.HaltInstrument(SYMBOL, True),  # no spot market of that name
        commands.PostIndex("SOLUSDT", SOURCE, 5, jump=True),
    ):
        assert refusal(desk.apply(command)) == Reject.SYMBOL_UNKNOWN


def test_a_source_that_is_dropped_counts_no_more() -> None:
    desk = Desk()
    desk.ok(commands.ChangeContract(changed(index_sources=("other",))))
    said = desk.apply(commands.PostIndex(SYMBOL, SOURCE, 5, jump=True))
    assert refusal(said) == Reject.INSTRUMENT_INVALID
    assert the(desk.tick(), MarkSet).current is False
    desk.ok(commands.PostIndex(SYMBOL, "other", 1_001, jump=True))
    assert (desk.perp().mark, desk.perp().current) == (1_001, True)


# -- halts -----------------------------------------------------------------------------------------


def test_spot_and_contract_of_one_symbol_are_halted_apart() -> None:
    """Rule 3.8."""
    desk = Desk("ann")
    ann = desk.uids["ann"]
    desk.ok(commands.ListInstrument(contract().instrument))
    desk.ok(commands.Deposit(ann, 0, "USDT", PLENTY))
    spot = commands.PlaceOrder(ann, SYMBOL, BUY, LIMIT, GTC, 5, 100)
    halted = desk.ok(commands.HaltInstrument(SYMBOL, True, "a pause", product=1))
    assert halted == [InstrumentHalted(SYMBOL, True, "a pause", 1)]
    assert desk.place("ann", BUY, LONG, 5, 100) == [Rejected(Reject.HALTED, 0, "a pause")]
    assert isinstance(desk.ok(msgspec.structs.replace(spot))[0], OrderPlaced)
    assert isinstance(desk.place("ann", BUY, LONG, 5, 100, symbol=OTHER)[0], ContractOrderPlaced)
    desk.ok(commands.HaltInstrument(SYMBOL, False, product=1))
    desk.ok(commands.HaltInstrument(SYMBOL, True, "spot only"))
    assert desk.apply(spot) == [Rejected(Reject.HALTED, 0, "spot only")]
    desk.bids("ann", 5, 100)


def test_a_halted_contracts_mark_goes_on_and_its_pools_wait() -> None:
    desk = Desk("ben")
    desk.owner("ann", money=210_000)
    desk.leverage("ann", 50)
    desk.pair("ann", "ben", 100)
    desk.halt()
    assert of(desk.post(980), LiquidationStarted) == []
    assert desk.perp().mark == 980
    desk.halt(False)
    assert the(desk.post(981), LiquidationStarted).uid == desk.uids["ann"]


# -- index prices ----------------------------------------------------------------------------------


def test_a_posted_price_is_index_and_mark_and_said_only_when_new() -> None:
    desk = Desk()
    assert desk.post(1_010) == [MarkSet(SYMBOL, 1_010, 1_010, True, 0, 0, True)]
    assert desk.post(1_010) == []


def test_the_faults_of_a_posted_price() -> None:
    desk = Desk()
    both = contract()
    both = msgspec.structs.replace(both, index_sources=("spot", SOURCE))
    desk.ok(commands.ChangeContract(both))
    for source in ("nobody", "spot", ""):
        said = desk.apply(commands.PostIndex(SYMBOL, source, 5, jump=True))
        assert refusal(said) == Reject.INSTRUMENT_INVALID
    # The largest position must stay countable.
    most = AMOUNT_MAX // (both.position_max * desk.perp().unit)
    assert most < PRICE_MAX
    assert desk.apply(commands.PostIndex(SYMBOL, SOURCE, most + 1, jump=True)) == [
        Rejected(Reject.PRICE, most)
    ]


@pytest.mark.parametrize("price", [0, -5])
def test_a_price_that_is_not_positive_says_that_there_is_none(price: int) -> None:
    """Rule 6.1: the index becomes stale, the last mark stays to be seen."""
    desk = Desk()
    said = desk.ok(commands.PostIndex(SYMBOL, SOURCE, price, jump=True))
    assert said == [MarkSet(SYMBOL, PRICE, PRICE, False, 0, 0, True)]


def test_the_index_is_the_median_of_current_sources() -> None:
    """Rule 6.1: current for less than 10 s."""
    desk = Desk()
    desk.ok(commands.ChangeContract(changed(index_sources=("a", "b", "c"))))
    for number, (name, price) in enumerate((("a", 1_000), ("b", 1_030), ("c", 1_010))):
        desk.time += number * SECOND
        desk.ok(commands.PostIndex(SYMBOL, name, price, jump=True))
    assert desk.perp().index_price == 1_010
    desk.time += 7 * SECOND - 1
    desk.ok(commands.PostIndex(SYMBOL, "c", 1_012, jump=True))
    assert desk.perp().index_price == 1_012
    desk.tick(1)  # a is 10 s old: the index is drawn towards 1,021, a millionth of a step
    assert desk.perp().index_price == 1_012
    desk.tick(SECOND - 1)  # a second's worth is 5
    assert desk.perp().index_price == 1_017
    desk.tick(SECOND)  # b is too old, too
    assert desk.perp().index_price == 1_012
    desk.tick(9 * SECOND)
    assert not desk.perp().current


def test_a_posted_price_is_followed_by_steps_unless_it_jumps() -> None:
    """0.5 % a second: 5 of 1,000; the change of a contract's step counts from then on."""
    desk = Desk()
    found = []
    for step in (5_000, 5_000, 6_000, 1):
        desk.ok(commands.ChangeContract(changed(index_step_ppm=step)))
        desk.time += SECOND
        desk.ok(commands.PostIndex(SYMBOL, SOURCE, 900))
        found.append(desk.perp().index_price)
    assert found == [995, 991, 986, 985]
    said = desk.ok(commands.PostIndex(SYMBOL, SOURCE, 900, jump=True))
    assert said == [MarkSet(SYMBOL, 900, 900, True, 0, 0, True)]


def test_nothing_opens_while_the_index_is_stale() -> None:
    desk = Desk("ann", "ben")
    desk.post(0)
    assert refusal(desk.place("ben", SELL, SHORT, 5, PRICE)) == Reject.PRICE_DOUBT
    assert refusal(desk.place("ann", SELL, SHORT, 5, 899)) == Reject.PRICE_BAND
