"""Learning environments: the demands of gymnasium and pettingzoo, money, and the way to REST."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (  # type: ignore[import-untyped]
    parallel_api_test,
    parallel_seed_test,
)

import venue.gym
from support.sources import ROOT
from venue.gym import Execution, MakersParallel, MarketMaking, PerpetualTrader, parallel_env
from venue.gym.contract_market import UNITS, moves
from venue.gym.market import SpotMarket
from venue.gym.seat import LEVELS
from venue.vocabulary import BUY, LONG, SELL, SHORT

STEPS = 60
WAIT, REST, TAKE, SWEEP = range(4)


def episode(env: gymnasium.Env[Any, Any], action: Any, seed: int) -> tuple[float, dict[str, Any]]:
    """The sum of the rewards when the same action is repeated, and the facts told at the end."""
    env.reset(seed=seed)
    told: dict[str, Any] = {}
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, told = env.step(action)
        total, over = total + float(reward), terminated or truncated
    return total, told


# -- as others ask of them ------------------------------------------------------------------------


@pytest.mark.parametrize("name", venue.gym.IDS)
def test_gymnasium_finds_no_fault(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, steps=STEPS, audit=True).unwrapped)


@pytest.mark.parametrize("name", venue.gym.IDS)
def test_an_episode_is_drawn_as_text(name: str) -> None:
    env = gymnasium.make(name, steps=STEPS, render_mode="ansi")
    env.reset(seed=3)
    begun = env.render()
    assert isinstance(begun, str)
    assert begun.count("bid ") == begun.count("ask ") == 5
    assert "passed 0%" in begun
    env.step(np.array([10, 10]) if "Making" in name else np.int64(1))
    drawn = env.render()
    assert isinstance(drawn, str)
    assert f"passed {1 / STEPS:.0%}" in drawn
    quotes = 2 if "Making" in name else 1 if "Execution" in name else 0
    assert drawn.count("own bid") + drawn.count("own ask") == quotes
    with pytest.raises(ValueError, match="render_mode: must be None or one of ansi"):
        type(env.unwrapped)(render_mode="human")  # type: ignore[call-arg]


def test_pettingzoo_finds_no_fault() -> None:
    parallel_api_test(MakersParallel(3, STEPS, audit=True), 2 * STEPS)
    parallel_seed_test(lambda: MakersParallel(2, STEPS), 5)


def test_importing_venue_loads_no_numpy() -> None:
    program = "import sys, venue; print({'numpy', 'gymnasium'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "set()"


# -- episodes -------------------------------------------------------------------------------------


def test_the_same_seed_is_the_same_episode_and_another_is_another() -> None:
    env = MarketMaking(STEPS)
    action = np.array([2, 2])
    first = episode(env, action, 5)
    assert episode(env, action, 6) != first
    assert episode(env, action, 5) == first
    assert episode(MarketMaking(STEPS), action, 5) == first


def test_who_quotes_nothing_earns_nothing() -> None:
    assert episode(MarketMaking(STEPS), np.array([0, 0]), 1) == (0.0, {"profit": 0.0})


def test_rewards_add_up_to_what_the_engine_holds() -> None:
    env = MarketMaking(STEPS)
    total, told = episode(env, np.array([1, 1]), 3)
    assert total == pytest.approx(told["profit"])
    assert told["profit"] != 0


def test_an_observation_is_the_book_and_the_own_quotes() -> None:
    market = SpotMarket()
    market.begin(1)
    seat = market.seats[0]
    seat.quote(63_990, 64_010, 1_000)
    seen = seat.see()
    assert (seen.own_bid, seen.own_ask) == (63_990, 64_010)
    assert len(seen.bids) == len(seen.asks) == LEVELS
    assert seen.bids == sorted(seen.bids, reverse=True)
    assert seen.asks == sorted(seen.asks)
    assert seen.bids[0][0] < seen.asks[0][0]
    seat.quote(63_990, 0, 1_000)
    assert (seat.see().own_bid, seat.see().own_ask) == (63_990, 0)


def test_a_quote_that_stays_keeps_its_place() -> None:
    market = SpotMarket()
    market.begin(1)
    seat = market.seats[0]
    seat.quote(63_990, 0, 1_000)
    before = market.engine.sequence
    seat.quote(63_990, 0, 1_000)
    assert market.engine.sequence == before


def test_inventory_is_bounded() -> None:
    market = SpotMarket()
    env = MarketMaking(400, seat=market.seats[0])
    market.begin(1)
    env.reset(seed=1)
    held = [market.seats[0].see().base]
    for _ in range(400):
        env.step(np.array([1, 0]))  # buys only
        held.append(market.seats[0].see().base)
    assert max(held) - held[0] <= 50_000


def test_a_sweep_buys_all_and_pays_for_it() -> None:
    patient, _ = episode(Execution(), REST, 4)
    hasty, told = episode(Execution(), SWEEP, 4)
    assert told["missing"] == 0
    assert hasty < patient


def test_what_was_waited_for_is_bought_at_the_end() -> None:
    env = Execution(STEPS, children=3)
    total, told = episode(env, WAIT, 2)
    assert told["missing"] < 10 + 3  # lots: the fee of the last purchase
    assert total < 0


def test_a_trader_who_is_flat_keeps_its_money() -> None:
    assert episode(PerpetualTrader(STEPS), 2, 1) == (0.0, {"equity": float(UNITS)})


def test_funding_is_met() -> None:
    env = PerpetualTrader(700, audit=False)
    env.reset(seed=1)
    engine = env._market.engine
    for _ in range(700):
        env.step(np.int64(3))
    holding = engine.holding(env._market._uid)
    assert [position.funding_fee != 0 for position in holding.positions.values()] == [True]


def test_a_liquidation_ends_the_episode() -> None:
    """The price falls by 0.4 % a second, and the position is twenty times the money."""
    env = PerpetualTrader(700, audit=True)
    env.reset(seed=1)
    env.step(np.int64(4))
    liquidated = False
    for _ in range(100):
        env._market._flow.price -= 250
        _, _, liquidated, _, _ = env.step(np.int64(4))
        if liquidated:
            break
    assert liquidated
    assert env._market.held() == (0, 0)
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(np.int64(4))


@pytest.mark.parametrize(
    ("long", "short", "target", "orders"),
    [
        (0, 0, 5, [(BUY, LONG, 5)]),
        (0, 0, -5, [(SELL, SHORT, 5)]),
        (5, 0, 2, [(SELL, LONG, 3)]),
        (5, 0, -2, [(SELL, LONG, 5), (SELL, SHORT, 2)]),
        (0, 5, 2, [(BUY, SHORT, 5), (BUY, LONG, 2)]),
        (0, 5, 0, [(BUY, SHORT, 5)]),
        (5, 0, 5, []),
    ],
)
def test_the_way_to_a_position(
    long: int, short: int, target: int, orders: list[tuple[int, int, int]]
) -> None:
    assert moves(long, short, target) == orders


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [MarketMaking, Execution, PerpetualTrader])
def test_a_step_needs_a_reset(made: Any) -> None:
    env = made(STEPS)
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(env.action_space.sample())
    with pytest.raises(ValueError, match="must be 1 or more, not 0"):
        made(0)


def test_a_parallel_step_needs_a_reset_and_makers() -> None:
    with pytest.raises(RuntimeError, match="call reset first"):
        parallel_env().step({})
    with pytest.raises(ValueError, match="must be 1 or more, not 0"):
        parallel_env(0)


def test_an_action_that_is_none_is_refused_and_changes_nothing() -> None:
    env = MarketMaking(STEPS)
    env.reset(seed=1)
    before = env._market.engine.sequence  # type: ignore[union-attr]
    for action in (np.array([11, 0]), np.array([-1, 0]), np.array([1]), "buy"):
        with pytest.raises(ValueError, match="action"):
            env.step(action)  # type: ignore[arg-type]
    assert env._market.engine.sequence == before  # type: ignore[union-attr]


# -- over REST ------------------------------------------------------------------------------------


def test_a_policy_that_was_trained_here_trades_over_rest() -> None:
    command = [sys.executable, "examples/market_maker.py", "15"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rounds, traded = done.stdout.splitlines()
    profits = [float(each) for each in rounds.partition("[")[2].rstrip("]").split(",")]
    assert profits[-1] > profits[0]
    assert "USDT in " in traded
