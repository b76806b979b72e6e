"""Train a market maker in this process, then have it trade at a venue over REST, unchanged.

A policy is a matrix: the distances of its quotes are linear in its observation. It is found by the
cross-entropy method (Rubinstein 1999): draw policies, keep the best, draw around those.
"""

import sys

import numpy as np

from venue import Client, Venue
from venue.gym import MarketMaking, RestSeat

DRAWN, KEPT, ROUNDS, STEPS, SEEDS = 12, 3, 4, 100, (0, 1)


def act(policy, observation):
    """Distances of bid and ask from the middle, 0 to 10 grid steps."""
    return np.clip(np.rint(4 + policy @ observation), 0, 10).astype(np.int64)


def profit(env, policy, seed):
    """The profit of a policy in one episode, in USDT."""
    observation, _ = env.reset(seed=seed)
    earned, over = 0.0, False
    while not over:
        observation, reward, _, over, _ = env.step(act(policy, observation))
        earned += reward
    return earned


def train(seed):
    """The mean of the best policies of the last round, and each round's mean profit."""
    random = np.random.default_rng(seed)
    env = MarketMaking(STEPS)
    size = (2, env.observation_space.shape[0])
    mean, spread, told = np.zeros(size), np.full(size, 2.0), []
    for _ in range(ROUNDS):
        drawn = mean + spread * random.standard_normal((DRAWN, *size))
        earned = np.array([sum(profit(env, policy, one) for one in SEEDS) for policy in drawn])
        best = drawn[np.argsort(earned)[-KEPT:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        told.append(float(earned.mean()))
    return mean, told


def trade(policy, url, steps):
    """The same environment over REST: alice's account at a venue whose clock is moved."""
    client = Client(url, key="demo-alice", secret="demo-alice-secret", passphrase="demo")
    operator = Client(url)
    env = MarketMaking(steps, seat=RestSeat(client, lambda: operator.advance_clock(by="200ms")))
    return profit(env, policy, 0), len(client.my_trades(symbol="BTCUSDT"))


if __name__ == "__main__":
    policy, rounds = train(seed=7)
    print("mean profit of each round, USDT:", [round(each, 2) for each in rounds])
    with Venue(seed=7) as venue:
        earned, trades = trade(policy, venue.serve().url, int((sys.argv[1:] or ["40"])[0]))
    print(f"over REST: {earned:.2f} USDT in {trades} trades")
