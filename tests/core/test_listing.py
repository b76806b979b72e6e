"""Assets, instruments, halts, settings (rules 1.1, 3.8)."""

import msgspec
import pytest

from support.world import BTCUSDT, BUY, ETHUSDT, ID, SELL, World, refusal
from venue.core.instruments import Asset, Instrument
from venue.core.messages import commands
from venue.core.messages.events import (
    AssetRegistered,
    InstrumentChanged,
    InstrumentHalted,
    InstrumentListed,
    OrderPlaced,
    OrderRepeated,
    Rejected,
    SettingChanged,
)
from venue.vocabulary import Reject

pytestmark = pytest.mark.core


def changed(**fields: object) -> Instrument:
    return msgspec.structs.replace(BTCUSDT, **fields)


def test_assets_are_numbered_and_registered_once() -> None:
    world = World("ann")
    added = world.apply(commands.RegisterAsset("SOL", 9))
    assert added == [AssetRegistered(Asset("SOL", 4, 9))]
    world.deposit("ann", "SOL", 5)
    assert refusal(world.apply(commands.RegisterAsset("SOL", 9))) == Reject.ASSET_LISTED
    assert refusal(world.apply(commands.RegisterAsset("SOL", 99))) == Reject.ASSET_LISTED
    for scale in (-1, 19):
        assert refusal(world.apply(commands.RegisterAsset("XRP", scale))) == Reject.AMOUNT


@pytest.mark.parametrize(
    ("instrument", "reason"),
    [
        (BTCUSDT, Reject.SYMBOL_LISTED),
        (changed(tick=0), Reject.SYMBOL_LISTED),
        (changed(base="BT", quote="CUSDT"), Reject.ASSET_UNKNOWN),
        (changed(symbol="SOLUSDT", base="SOL", tick=0), Reject.ASSET_UNKNOWN),
        (changed(symbol="BTCEUR", quote="EUR"), Reject.ASSET_UNKNOWN),
        (changed(symbol="BTC-ETH", quote="ETH"), Reject.INSTRUMENT_INVALID),
        (changed(symbol="BTCBTC", quote="BTC"), Reject.INSTRUMENT_INVALID),
    ],
)
def test_the_first_fault_of_a_listing_wins(instrument: Instrument, reason: Reject) -> None:
    assert refusal(World().apply(commands.ListInstrument(instrument))) == reason


@pytest.mark.parametrize(
    "grid",
    [
        {"price_scale": 4, "quantity_scale": 5},  # a tick x lot of 10^-9 USDT, which has 8 digits
        {"quantity_scale": 9, "price_scale": 0, "tick": 10},  # a lot of 10^-9 BTC
        {"step": 2**62, "quantity_scale": 0},  # amounts no integer of 64 bits can hold
        {"tick": 2**62, "price_scale": 0},
    ],
)
def test_amounts_must_be_whole_and_storable(grid: dict[str, object]) -> None:
    """Rule 1.1."""
    world = World()
    listed = changed(symbol="BTCETH", quote="ETH", **grid)
    assert refusal(world.apply(commands.ListInstrument(listed))) == Reject.INSTRUMENT_INVALID


def test_a_new_market_is_open_to_owners_old_and_new() -> None:
    world = World("ann")
    listed = msgspec.structs.replace(ETHUSDT, symbol="ETHBTC", quote="BTC")
    assert world.apply(commands.ListInstrument(listed)) == [InstrumentListed(listed)]
    world.owner("ben")
    for name in ("ann", "ben"):
        (placed,) = world.place(name, SELL, 5, 100, symbol="ETHBTC")
        assert isinstance(placed, OrderPlaced)
        assert world.spot_account(name).open_count == [0, 0, 1]


def test_limits_change_and_resting_orders_stay() -> None:
    world = World("ann", "ben")
    order_id = world.rest("ann", SELL, 2, 100)
    stricter = changed(quantity_min=5, quantity_max=6, market_quantity_max=5)
    assert world.apply(commands.ChangeInstrument(stricter)) == [InstrumentChanged(stricter)]
    assert world.order("ann", order_id).remaining == 2
    assert world.place("ben", BUY, 4, 100) == [Rejected(Reject.QUANTITY_MIN, 5)]
    assert world.place("ben", BUY, 7, 100) == [Rejected(Reject.QUANTITY_MAX, 6)]
    assert world.place("ben", BUY, 6, 0) == [Rejected(Reject.MARKET_SIZE, 5)]


@pytest.mark.parametrize(
    "fields",
    [
        {"tick": 2},
        {"step": 2},
        {"price_scale": 1},
        {"quantity_scale": 3},
        {"maker_ppm": -1},
        {"base": "BT", "quote": "CUSDT"},
    ],
)
def test_grid_and_assets_stay(fields: dict[str, object]) -> None:
    world = World()
    command = commands.ChangeInstrument(changed(**fields))
    assert refusal(world.apply(command)) == Reject.INSTRUMENT_INVALID


def test_what_is_not_listed_is_unknown() -> None:
    world = World()
    unknown = changed(symbol="nothing")
    assert refusal(world.apply(commands.ChangeInstrument(unknown))) == Reject.SYMBOL_UNKNOWN
    halt = commands.HaltInstrument("nothing", True)
    assert refusal(world.apply(halt)) == Reject.SYMBOL_UNKNOWN


def test_a_halted_market_takes_cancels_only() -> None:
    """Rule 3.8; a client order id is answered first (rule 3.1)."""
    world = World("ann")
    first = world.rest("ann", BUY, 5, 100, "mine")
    second = world.rest("ann", BUY, 5, 99)
    halted = world.apply(commands.HaltInstrument("BTCUSDT", True, "an upgrade"))
    assert halted == [InstrumentHalted("BTCUSDT", True, "an upgrade")]
    assert world.place("ann", BUY, 5, 98) == [Rejected(Reject.HALTED, 0, "an upgrade")]
    assert world.place("ann", BUY, 5, 0) == [Rejected(Reject.HALTED, 0, "an upgrade")]
    uid = world.uids["ann"]
    assert world.place("ann", BUY, 5, 100, client_id="mine") == [
        OrderRepeated(first, uid, "mine", world.time)
    ]
    assert len(world.cancel("ann", first)) == 1
    assert len(world.ok(commands.CancelOrders(uid, "BTCUSDT"))) == 1
    assert world.spot_account("ann").orders == {}
    (elsewhere,) = world.place("ann", BUY, 5, 98, symbol="ETHUSDT")
    assert isinstance(elsewhere, OrderPlaced)
    assert elsewhere.order_id == second + 1 == ID + 2
    resumed = world.apply(commands.HaltInstrument("BTCUSDT", False, "done"))
    assert resumed == [InstrumentHalted("BTCUSDT", False, "")]
    world.rest("ann", BUY, 5, 98)


def test_settings_are_kept() -> None:
    world = World()
    assert world.apply(commands.ChangeSetting("batch", "on")) == [SettingChanged("batch", "on")]
    assert world.engine.listing.settings == {"batch": "on"}
    assert world.reopened().listing.settings == {"batch": "on"}
