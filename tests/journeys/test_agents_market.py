"""The agents' markets are like markets: figures of a bench row, held in plausible ranges."""

from __future__ import annotations

import pytest
from bench.markets import Statistics, correlation, measured

SECONDS = 240
SEEDS = (1, 2)


@pytest.fixture(scope="module", params=SEEDS)
def markets(request: pytest.FixtureRequest) -> dict[str, Statistics]:
    return measured(request.param, SECONDS)


def test_spreads_and_depth_are_those_of_liquid_markets(markets: dict[str, Statistics]) -> None:
    for found in markets.values():
        assert 50 < found.spread_ppm < 500  # half a basis point to five
        assert 50_000 < found.depth < 1_000_000  # USDT within 0.1 %
        assert 60 < found.trades < 600  # a minute


def test_prices_move_and_their_past_does_not_tell_where_to(
    markets: dict[str, Statistics],
) -> None:
    for found in markets.values():
        assert 10 < found.moved_ppm < 1_000
        assert all(abs(one) < 0.3 for one in found.returns)


def test_signs_of_orders_have_a_memory_that_fades(markets: dict[str, Statistics]) -> None:
    """Real markets': a buy is followed by a buy more often than not, and less so later."""
    for found in markets.values():
        soon, later = found.signs
        assert 0.15 < soon < 0.6
        assert -0.1 < later < soon - 0.1


def test_the_same_seed_has_the_same_figures() -> None:
    assert measured(3, 20) == measured(3, 20)
    assert measured(3, 20) != measured(4, 20)


def test_correlations_are_known_ones() -> None:
    assert correlation([1, -1] * 50, 1) == pytest.approx(-0.99)
    assert correlation([1, -1] * 50, 2) == pytest.approx(0.98)
    assert correlation([1] * 20, 1) == 0.0
