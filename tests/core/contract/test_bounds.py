"""Contract orders at the bounds: quantity, price, band, caps, sizes, margin (rules 3.1, 3.9, 5)."""

import msgspec
import pytest

from support.order_desk import (
    BUY,
    LONG,
    OTHER,
    POSITION_MAX,
    PRICE,
    SELL,
    SHORT,
    SOURCE,
    SYMBOL,
    UNIT,
    Desk,
    contract,
    of,
    refusal,
)
from venue.core.instruments import Tier
from venue.core.messages import commands
from venue.core.messages.commands import Exit, PlaceContractOrder
from venue.core.messages.contract_events import ContractOrderPlaced, ContractTrade
from venue.core.messages.events import Rejected
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX, PRICE_MAX
from venue.vocabulary import OPEN_ORDERS_PER_ACCOUNT_MAX, POSITIONS_PER_SYMBOL_MAX, Reject

pytestmark = pytest.mark.core


def order_of(desk: Desk, **fields: object) -> PlaceContractOrder:
    """ann's order to open long 10 at 1000, but for `fields`."""
    return msgspec.structs.replace(
        desk.command("ann", BUY, LONG, 10, PRICE), time=desk.time, **fields
    )


@pytest.mark.parametrize(
    ("quantity", "price", "reason"),
    [
        (2, 1, None),
        (1, 1, Reject.QUANTITY_MIN),
        (0, 1, Reject.QUANTITY_MIN),
        (-5, 1, Reject.QUANTITY_MIN),
        (4_000, 1, None),
        (4_500, 1, Reject.POSITION_MAX),
        (4_501, 1, Reject.QUANTITY_MAX),
        (2, 0, Reject.PRICE),
        (2, -1, Reject.PRICE),
        (2, PRICE_MAX + 1, Reject.PRICE),
        (2, AMOUNT_MAX // (2 * UNIT) + 1, Reject.NOTIONAL_MAX),
        (2, AMOUNT_MAX // (2 * UNIT), Reject.PRICE_BAND),
    ],
)
def test_quantity_price_and_notional_have_bounds(
    quantity: int, price: int, reason: Reject | None
) -> None:
    desk = Desk("ann")
    desk.leverage("ann", 10)
    order = order_of(desk, quantity=quantity, price=price)
    events = desk.apply(order)
    if reason is None:
        assert isinstance(events[0], ContractOrderPlaced)
    else:
        assert refusal(events) == reason


def test_a_fraction_of_a_lot_is_a_defect() -> None:
    desk = Desk("ann")
    for numbers in ({"quantity": 2.0}, {"price": 5.0}):
        with pytest.raises((AssertionError, TypeError)):
            desk.engine.apply(order_of(desk, **numbers))


@pytest.mark.parametrize(
    ("side", "position_side", "inside", "outside"),
    [(BUY, LONG, 1_320, 1_321), (SELL, SHORT, 1_080, 1_079)],
)
def test_the_band_is_around_the_mark(
    side: int, position_side: int, inside: int, outside: int
) -> None:
    """Rule 3.9: 10 % of the mark of 1200, whatever was traded last; resting far off is fine."""
    desk = Desk("ann")
    desk.last(PRICE)
    desk.post(1_200)
    refused = desk.place("ann", side, position_side, 2, outside)
    assert refused == [Rejected(Reject.PRICE_BAND, inside)]
    desk.rest("ann", side, position_side, 2, inside)
    desk.rest("ann", side, position_side, 2, 1 if side == BUY else 100_000)


def test_the_band_stays_around_a_mark_that_is_no_longer_current() -> None:
    desk = Desk("ann")
    desk.tick(60 * 1_000_000)
    assert not desk.perp().current
    assert refusal(desk.place("ann", BUY, LONG, 2, 1_101)) == Reject.PRICE_BAND


def unmarked(*names: str) -> Desk:
    """A contract that no source has spoken of yet."""
    desk = Desk(*names)
    desk.ok(commands.RegisterAsset("SOL", 2))
    desk.ok(commands.ListContract(contract("SOL")))
    return desk


@pytest.mark.parametrize("price", [0, 1_000])
def test_nobody_opens_before_there_is_a_mark(price: int) -> None:
    """Nothing could tell what the position is worth, nor bound what a trade loses."""
    desk = unmarked("ann", "ben")
    (refused,) = desk.place("ann", BUY, LONG, 2, 1_000, symbol="SOLUSDT")
    assert refused == Rejected(Reject.NO_MARK)
    desk.ok(commands.PostIndex("SOLUSDT", SOURCE, 1_000, jump=True))
    assert len(desk.place("ben", SELL, SHORT, 2, 1_000, symbol="SOLUSDT")) == 1
    said = desk.place("ann", BUY, LONG, 2, price, symbol="SOLUSDT")
    assert len(of(said, ContractTrade)) == 1


def test_a_market_order_goes_no_further_than_the_band_around_the_mark() -> None:
    """Rule 3.9."""
    desk = Desk("ann", "ben")
    desk.asks("ben", 5, 1_090)
    desk.asks("ben", 5, 1_101)
    assert [each.price for each in of(desk.place("ann", BUY, LONG, 10), ContractTrade)] == [1_090]
    assert refusal(desk.place("ann", BUY, LONG, 10)) == Reject.NO_LIQUIDITY


def test_open_orders_are_capped_per_symbol_and_per_account() -> None:
    """Rule 3.1: 200 and 1,000; closing orders count as well, and an end of one makes room."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    closing = desk.rest("ann", SELL, LONG, 2, 1_050)
    symbols = [SYMBOL, OTHER]
    for number in range(3):
        desk.ok(commands.RegisterAsset(f"C{number}", 2))
        desk.ok(commands.ListContract(contract(f"C{number}")))
        desk.ok(commands.PostIndex(f"C{number}USDT", SOURCE, 1_000, jump=True))
        symbols.append(f"C{number}USDT")
    for symbol in symbols:
        for _ in range(200 if symbol != SYMBOL else 199):
            placed = desk.engine.apply(order_of(desk, symbol=symbol, quantity=2, price=1))
            assert isinstance(placed[0], ContractOrderPlaced)
    assert len(desk.holding("ann").orders) == OPEN_ORDERS_PER_ACCOUNT_MAX == 1_000
    per_symbol = [Rejected(Reject.OPEN_ORDERS_SYMBOL, 200)]
    assert desk.place("ann", SELL, LONG, 2, 1_050) == per_symbol
    assert desk.place("ann", BUY, LONG, 2) == per_symbol
    desk.ok(commands.RegisterAsset("NEW", 2))
    desk.ok(commands.ListContract(contract("NEW")))
    desk.ok(commands.PostIndex("NEWUSDT", SOURCE, 1_000, jump=True))
    whole = [Rejected(Reject.OPEN_ORDERS_ACCOUNT, 1_000)]
    assert desk.place("ann", BUY, LONG, 2, 1, symbol="NEWUSDT") == whole
    desk.cancel("ann", closing)
    assert len(desk.place("ann", BUY, LONG, 2, 1, symbol="NEWUSDT")) == 1


def test_a_position_counts_together_with_what_is_opening() -> None:
    """Rule 5.7; each side by itself, other symbols not at all."""
    desk = Desk("ann", "ben")
    desk.leverage("ann", 10)
    desk.leverage("ben", 10)
    desk.pair("ann", "ben", 1_000)
    desk.rest("ann", BUY, LONG, 2_000, 900)
    refused = [Rejected(Reject.POSITION_MAX, POSITION_MAX)]
    assert desk.place("ann", BUY, LONG, 1_001, 900) == refused
    desk.rest("ann", BUY, LONG, 1_000, 900)
    desk.rest("ann", SELL, SHORT, 4_000, 1_100)
    assert desk.place("ann", SELL, SHORT, 2, 1_100) == refused
    assert isinstance(desk.place("ann", BUY, LONG, 2, 900, symbol=OTHER)[0], ContractOrderPlaced)


def test_the_leverage_of_the_tier_counts_what_is_held_and_opening() -> None:
    """Rule 5.7: at 50 up to 2,000 lots of the mark; a price above the mark counts instead."""
    desk = Desk("ann", "ben")
    desk.leverage("ann", 50)
    desk.pair("ann", "ben", 500)
    desk.rest("ann", BUY, LONG, 1_000, 900)
    assert desk.place("ann", BUY, LONG, 501, 900) == [Rejected(Reject.LEVERAGE_SIZE, 2_000)]
    assert desk.place("ann", BUY, LONG, 500, 1_001) == [Rejected(Reject.LEVERAGE_SIZE, 1_998)]
    desk.rest("ann", BUY, LONG, 500, 900)  # the size that was named is taken
    desk.leverage("ann", 25)
    assert desk.place("ann", BUY, LONG, 1_001, 900) == [Rejected(Reject.LEVERAGE_SIZE, 3_000)]


@pytest.mark.parametrize(
    ("side", "position_side", "price", "need"),
    [
        (BUY, LONG, 1_000, 10 * 1_000 * UNIT // 20 + 600),
        (BUY, LONG, 900, 10 * 1_000 * UNIT // 20 + 540),
        # Through the mark: margin at the order's price, and the loss it would have at once.
        (BUY, LONG, 1_100, 10 * 1_100 * UNIT // 20 + 10 * 100 * UNIT + 660),
        (SELL, SHORT, 1_100, 10 * 1_100 * UNIT // 20 + 660),
        (SELL, SHORT, 900, 10 * 1_000 * UNIT // 20 + 10 * 100 * UNIT + 540),
    ],
)
def test_an_opening_order_needs_its_margin_to_the_atom(
    side: int, position_side: int, price: int, need: int
) -> None:
    """Rule 5.6: margin at the worse of price and mark, instant loss, taker fee."""
    desk = Desk()
    desk.owner("ann", money=need - 1)
    assert desk.place("ann", side, position_side, 10, price) == [Rejected(Reject.FUNDS, need)]
    desk.deposit("ann", 1)
    desk.rest("ann", side, position_side, 10, price)
    assert desk.held("ann") == need
    assert desk.place("ann", side, position_side, 2, price)[0] == Rejected(
        Reject.FUNDS, -(-need * 2 // 10)
    )


def test_a_market_order_needs_margin_at_the_worst_price_of_its_sweep() -> None:
    """Rule 5.6: 5 lots at 1000, 5 at 1040; beyond the band of 5 % nothing is swept."""
    need = 10 * 1_040 * UNIT // 20 + 10 * 40 * UNIT + 624
    desk = Desk("ben")
    for price in (1_000, 1_040, 1_051):
        desk.asks("ben", 5, price)
    desk.owner("ann", money=need - 1)
    assert desk.place("ann", BUY, LONG, 10) == [Rejected(Reject.FUNDS, need)]
    desk.deposit("ann", 1)
    assert [trade.price for trade in of(desk.place("ann", BUY, LONG, 10), ContractTrade)] == [
        1_000,
        1_040,
    ]


def test_the_taker_fee_of_the_owners_tier_counts() -> None:
    desk = Desk()
    ann = desk.owner("ann", money=50_000)
    desk.ok(commands.SetFees(ann, 0, 0, product=1))
    desk.rest("ann", BUY, LONG, 10, 1_000)
    assert desk.place("ann", BUY, LONG, 2, 1_000) == [Rejected(Reject.FUNDS, 10_000)]


def test_a_closing_order_needs_no_money() -> None:
    """Rule 5.6."""
    desk = Desk("ben")
    desk.owner("ann", money=50_600)
    desk.pair("ann", "ben", 10)
    assert refusal(desk.place("ann", BUY, LONG, 2, 1)) == Reject.FUNDS
    desk.rest("ann", SELL, LONG, 10, 1_050)


@pytest.mark.parametrize(
    ("side", "position_side", "exits", "limit"),
    [
        (BUY, LONG, {"take_profit": Exit(1_000)}, 1_000),
        (BUY, LONG, {"stop_loss": Exit(1_000)}, 1_000),
        (BUY, LONG, {"take_profit": Exit(PRICE_MAX + 1)}, PRICE_MAX),
        (BUY, LONG, {"stop_loss": Exit(-1)}, PRICE_MAX),
        (BUY, LONG, {"take_profit": Exit(1_001), "stop_loss": Exit(999)}, 0),
        (SELL, SHORT, {"take_profit": Exit(1_000)}, 1_000),
        (SELL, SHORT, {"stop_loss": Exit(1_000)}, 1_000),
        (SELL, SHORT, {"take_profit": Exit(999), "stop_loss": Exit(1_001)}, 0),
    ],
)
def test_exits_lie_on_the_right_sides_of_the_orders_price(
    side: int, position_side: int, exits: dict[str, Exit], limit: int
) -> None:
    """Rule 8.3."""
    desk = Desk("ann")
    order = desk.command("ann", side, position_side, 10, 1_000)
    said = desk.apply(msgspec.structs.replace(order, **exits))
    if limit:
        assert said == [Rejected(Reject.TRIGGER_PRICE, limit)]
    else:
        assert isinstance(said[0], ContractOrderPlaced)


def test_the_exits_of_a_market_order_lie_around_the_last_trade() -> None:
    desk = Desk("ann", "ben")
    desk.last(990)
    desk.asks("ben", 10, 1_000)
    said = desk.place("ann", BUY, LONG, 10, take_profit=Exit(990))
    assert said == [Rejected(Reject.TRIGGER_PRICE, 990)]
    assert of(desk.place("ann", BUY, LONG, 10, stop_loss=Exit(989)), ContractTrade)


def test_the_sums_of_several_contracts_stay_within_what_is_stored() -> None:
    """Rule 1.5: each position alone could be counted; three of them together could not."""
    desk = Desk("ann", "ben", money=AMOUNT_MAX // 4)
    large = 2**60 // (1_000 * 100)
    symbols = []
    for number in range(3):
        desk.ok(commands.RegisterAsset(f"C{number}", 2))
        listed = contract(f"C{number}")
        desk.ok(
            commands.ListContract(
                msgspec.structs.replace(
                    listed,
                    instrument=msgspec.structs.replace(
                        listed.instrument, quantity_max=large, market_quantity_max=large
                    ),
                    position_max=large,
                    open_interest_max=8 * large,
                    tiers=[Tier(AMOUNT_MAX, 50, 8_000)],
                )
            )
        )
        desk.ok(commands.PostIndex(f"C{number}USDT", SOURCE, 1_000))
        symbols.append(f"C{number}USDT")
    for symbol in symbols[:2]:
        desk.ok(order_of(desk, uid=desk.uids["ben"], symbol=symbol, side=SELL, position_side=SHORT,
                         quantity=large, price=1_000))  # fmt: skip
        desk.ok(order_of(desk, symbol=symbol, quantity=large, price=1_000))
    order = order_of(desk, symbol=symbols[2], quantity=large, price=1_000)
    (refused,) = desk.apply(order)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reject.NOTIONAL_MAX
    assert refused.limit < large * 1_000 * 100
    assert snapshot.load(snapshot.dump(desk.engine)).sequence == desk.engine.sequence


@pytest.mark.parametrize("resting", [False, True])
def test_positions_are_counted_where_each_order_makes_its_own(resting: bool) -> None:
    """Rule 5.12: 200 in a symbol; the open orders that would make one count."""
    desk = Desk("ann", "ben")
    desk.modes("ann", 0, 1)
    for _ in range(POSITIONS_PER_SYMBOL_MAX):
        if not resting:
            desk.engine.apply(order_of(desk, uid=desk.uids["ben"], side=SELL, position_side=SHORT,
                                       quantity=2, price=1_000))  # fmt: skip
        desk.engine.apply(order_of(desk, quantity=2, price=1_000))
    assert len(desk.holding("ann").positions) == (0 if resting else POSITIONS_PER_SYMBOL_MAX)
    desk.asks("ben", 2, 1_001)
    if resting:  # the cap of open orders is the same: one of them becomes a position
        desk.place("ben", SELL, SHORT, 2, 1_000)
    assert desk.place("ann", BUY, LONG, 2, 1_001) == [
        Rejected(Reject.POSITIONS_SYMBOL, POSITIONS_PER_SYMBOL_MAX)
    ]
