"""Specifications that can and cannot be listed (rule 1.1)."""

import msgspec
import pytest

from support.world import BTCUSDT
from venue.core.instruments import Asset, Instrument, fault, lot_atoms, unit_atoms
from venue.core.units import PPM, QUANTITY_MAX

pytestmark = pytest.mark.core


def changed(**fields: object) -> Instrument:
    return msgspec.structs.replace(BTCUSDT, **fields)


@pytest.mark.parametrize(
    ("step", "quantity_scale", "scale", "atoms"),
    [
        (1, 4, 8, 10_000),
        (5, 4, 8, 50_000),
        (1, 8, 8, 1),
        (1, 9, 8, 0),
        (10, 9, 8, 1),
        (15, 9, 8, 0),
    ],
)
def test_lot_atoms(step: int, quantity_scale: int, scale: int, atoms: int) -> None:
    instrument = changed(step=step, quantity_scale=quantity_scale)
    assert lot_atoms(instrument, Asset("BTC", 1, scale)) == atoms


@pytest.mark.parametrize(
    ("tick", "price_scale", "step", "quantity_scale", "scale", "atoms"),
    [
        (1, 2, 1, 4, 8, 100),
        (1, 2, 1, 4, 6, 1),
        (1, 2, 1, 4, 5, 0),
        (5, 2, 2, 4, 5, 1),
        (25, 0, 2, 0, 0, 50),
    ],
)
def test_unit_atoms_is_the_exact_notional_of_a_tick_and_a_lot(
    tick: int, price_scale: int, step: int, quantity_scale: int, scale: int, atoms: int
) -> None:
    """Rule 1.1; 0 says that it is no whole number."""
    instrument = changed(
        tick=tick, price_scale=price_scale, step=step, quantity_scale=quantity_scale
    )
    assert unit_atoms(instrument, Asset("USDT", 1, scale)) == atoms


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"symbol": "BTC-USDT"}, "symbol"),
        ({"symbol": "BTCBTC", "quote": "BTC"}, "differ"),
        ({"tick": 0}, "tick"),
        ({"step": -1}, "step"),
        ({"price_scale": -1}, "price_scale"),
        ({"quantity_scale": 19}, "quantity_scale"),
        ({"quantity_min": 0}, "quantities"),
        ({"quantity_min": 5, "quantity_max": 4}, "quantities"),
        ({"quantity_max": QUANTITY_MAX + 1}, "quantities"),
        ({"market_quantity_max": 0}, "market_quantity_max"),
        ({"market_quantity_max": QUANTITY_MAX + 1}, "market_quantity_max"),
        ({"maker_ppm": -1}, "fee rates"),
        ({"taker_ppm": PPM}, "fee rates"),
        ({"buy_band_ppm": 0}, "bands"),
        ({"sell_band_ppm": PPM + 1}, "bands"),
        ({"market_band_ppm": -1}, "bands"),
    ],
)
def test_a_fault_names_the_field(fields: dict[str, object], words: str) -> None:
    assert words in fault(changed(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"quantity_min": 7, "quantity_max": 7},
        {"quantity_max": QUANTITY_MAX, "market_quantity_max": QUANTITY_MAX},
        {"maker_ppm": 0, "taker_ppm": PPM - 1},
        {"buy_band_ppm": PPM, "sell_band_ppm": PPM, "market_band_ppm": 1},
        {"price_scale": 0, "quantity_scale": 18},
    ],
)
def test_no_fault(fields: dict[str, object]) -> None:
    assert fault(changed(**fields)) == ""
