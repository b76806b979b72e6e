"""A bot against markets beyond its writer's ideas: Hypothesis looks for one that breaks it.

`Machine` has two owners trade; this adds a bot with a limit to what it may own. `Careless` is the
same bot with a mistake, which is found, and shrunk to the shortest market that shows it.
"""

import re
from decimal import Decimal

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from venue.testing import Machine

LIMIT = Decimal("0.05")
LOT = Decimal("0.05")
QUICK = settings(
    max_examples=10,
    stateful_step_count=12,
    deadline=None,
    database=None,
    derandomize=True,  # the same search each time
    phases=(Phase.generate, Phase.shrink),
)


class Bot:
    """Bids for one lot at a time, and stops at its limit."""

    def __init__(self, account):
        self.account = account
        self.bid = None
        self.bought = Decimal(0)

    def step(self):
        if self.bid is not None:
            order = self.account.order(self.bid)
            if order.status in ("NEW", "PARTIALLY_FILLED"):
                self.account.cancel(self.bid)
                order = self.account.order(self.bid)
            self.count(order)
            self.bid = None
        if self.bought + LOT <= LIMIT:
            self.bid = self.account.buy("BTCUSDT", LOT, price="60000")

    def count(self, order):
        self.bought += order.filled


class Careless(Bot):
    def count(self, order):
        if order.status == "FILLED":  # the mistake: a part filled before the cancel is not counted
            self.bought += order.filled


class Market(Machine):
    """The bot is carol, who has only the money that she is given here."""

    bot_class = Bot
    owners = ("alice", "bob")

    def __init__(self):
        super().__init__()
        self.venue.call("deposit", owner="carol", wallet="SPOT", asset="USDT", amount="100000")
        carol = self.venue.account("carol")
        self.before = carol.balance("BTC").total
        self.bot = self.bot_class(carol)

    go_back = keep = None  # the bot's own memory does not go back
    place_contract = move_index = None  # the bot trades spot

    @rule()
    def bot_steps(self):
        self.bot.step()

    @invariant()
    def the_limit_is_kept(self):
        owned = self.venue.account("carol").balance("BTC").total - self.before
        assert owned <= LIMIT, f"{owned} BTC is more than {LIMIT}"


class CarelessMarket(Market):
    bot_class = Careless


def test_the_bot_keeps_its_limit():
    run_state_machine_as_test(Market, settings=QUICK)


def test_the_careless_bot_is_found():
    with pytest.raises(AssertionError, match="BTC is more than") as found:
        run_state_machine_as_test(CarelessMarket, settings=settings(QUICK, max_examples=100))
    told = "\n".join(found.value.__notes__)
    rules = re.findall(r"state\.(bot_steps|place\w*|cancel|advance)\(", told)
    # A bid, a part of it is hit, another bid, and that is hit too.
    assert [name[:5] for name in rules] == ["bot_s", "place", "bot_s", "place"], told
