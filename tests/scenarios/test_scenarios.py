"""Trading stories as text: one act a line, its required result after the arrow.

A story begins with `rule NUMBER  title` and ends with an empty line. Its market is BTCUSDT, free of
fees, with prices in cents and quantities in ten-thousandths; an owner exists once it is named.

    owner    ann  expire_maker               -> ok           (before any other mention)
    deposit  ann  10 BTC [spot]              -> ok | refused REASON          (withdraw alike)
    transfer ann  10 BTC spot funding        -> ok | refused REASON
    buy      ann  a1  1.5 @ 50000 [ioc]      -> open 1.5     (`market` in place of `@ 50000`)
    cancel   ann  a1   |  cancel_all ann     -> canceled a1 1.5
    book                                     -> 1 @ 50000, 2 @ 49999 | 3 @ 50001
    balance  ann  BTC [spot]                 -> available 1 held 2
    fees     ann  100 200                    -> ok           (maker and taker, in ppm)
    freeze   ann  |  unfreeze ann  |  halt  |  resume  |  wait 24h           -> ok

The results of an order, in order: `fill 1 @ 50000`, `expired a2 1` (another order of the owner),
`open 0.5`, `canceled 0.5`, `expired 0.5`, or alone `repeated` or `refused REASON`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from support.stories import play, rules_of, stories
from support.world import BTCUSDT, BUY, LIMIT, MARKET, SELL
from venue.core.book.book import Half
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OrderRepeated,
    Rejected,
    Trade,
)
from venue.core.spot.account import SpotAccount
from venue.vocabulary import OrderStatus, Reject, SelfTrade, TimeInForce, Wallet

pytestmark = pytest.mark.core

FOLDER = Path(__file__).parent
SYMBOL = "BTCUSDT"
SCALE = 8  # digits of both assets
CENTS = 100  # ticks in a price of 1
LOTS = 10**4  # lots in a quantity of 1
HOUR = 3600 * 10**6


def scaled(text: str, factor: int) -> int:
    number = Fraction(text) * factor
    assert number.denominator == 1, text
    return number.numerator


def plain(number: int, factor: int) -> str:
    """A number of ticks, lots or atoms as a decimal without idle zeros."""
    whole, rest = divmod(number, factor)
    digits = f"{rest:0{len(str(factor)) - 1}d}".rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)


class Story:
    """One venue, and the acts that a line can name."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.time = 1
        self.uids: dict[str, int] = {}
        self.names: dict[int, str] = {}  # order ids to the stories' names for orders
        for asset in ("BTC", "USDT"):
            self.apply(commands.RegisterAsset(asset, SCALE))
        free = {"maker_ppm": 0, "taker_ppm": 0, "quantity_min": 1}
        fields = {name: getattr(BTCUSDT, name) for name in BTCUSDT.__struct_fields__}
        self.apply(commands.ListInstrument(type(BTCUSDT)(**fields | free)))
        self.acts: dict[str, Callable[[list[str]], str]] = {
            "owner": self.owner,
            "deposit": self.deposit,
            "withdraw": self.withdraw,
            "transfer": self.transfer,
            "buy": lambda words: self.order(BUY, words),
            "sell": lambda words: self.order(SELL, words),
            "cancel": self.cancel,
            "cancel_all": self.cancel_all,
            "book": self.book,
            "balance": self.balance,
            "fees": self.fees,
            "freeze": lambda words: self.freeze(words, frozen=True),
            "unfreeze": lambda words: self.freeze(words, frozen=False),
            "halt": lambda words: self.halt(halted=True),
            "resume": lambda words: self.halt(halted=False),
            "wait": self.wait,
        }

    def act(self, line: str) -> str:
        """Do what a line says; return the outcome."""
        act, *words = line.split()
        came = self.acts[act](words)
        assert self.engine.ledger.imbalance() == {}
        return came

    def apply(self, command: Command) -> list[Event]:
        command.time = self.time
        return self.engine.apply(command)

    def uid(self, name: str, mode: SelfTrade = SelfTrade.NONE) -> int:
        if name not in self.uids:
            self.apply(commands.CreateOwner(name, int(mode)))
            self.uids[name] = self.engine.ledger.names[name]
        return self.uids[name]

    def told(self, events: list[Event]) -> str:
        if events and isinstance(events[0], Rejected):
            return f"refused {Reject(events[0].reason).name}"
        return "ok"

    def owner(self, words: list[str]) -> str:
        name, mode = words
        assert name not in self.uids
        self.uid(name, SelfTrade[mode.upper()])
        return "ok"

    def deposit(self, words: list[str]) -> str:
        name, amount, asset, wallet = (*words, "spot")[:4]
        atoms = scaled(amount, 10**SCALE)
        return self.told(
            self.apply(commands.Deposit(self.uid(name), wallet_of(wallet), asset, atoms))
        )

    def withdraw(self, words: list[str]) -> str:
        name, amount, asset, wallet = (*words, "spot")[:4]
        atoms = scaled(amount, 10**SCALE)
        return self.told(
            self.apply(commands.Withdraw(self.uid(name), wallet_of(wallet), asset, atoms))
        )

    def transfer(self, words: list[str]) -> str:
        name, amount, asset, source, target = words
        atoms = scaled(amount, 10**SCALE)
        command = commands.Transfer(
            self.uid(name), wallet_of(source), wallet_of(target), asset, atoms
        )
        return self.told(self.apply(command))

    def order(self, side: int, words: list[str]) -> str:
        name, order_name, quantity, *terms = words
        if terms[0] == "market":
            kind, price, tif = MARKET, 0, TimeInForce.IOC
        else:
            at, price_text, tif_name = (*terms, "gtc")[:3]
            assert at == "@"
            kind, price, tif = LIMIT, scaled(price_text, CENTS), TimeInForce[tif_name.upper()]
        lots = scaled(quantity, LOTS)
        command = commands.PlaceOrder(
            self.uid(name), SYMBOL, side, kind, int(tif), lots, price, order_name
        )
        return self.ended(self.apply(command), order_name)

    def ended(self, events: list[Event], order_name: str = "") -> str:
        """The events of an order or a cancel as the stories tell them."""
        said: list[str] = []
        own = 0
        rests = ""
        for event in events:
            if isinstance(event, Rejected):
                said.append(self.told([event]))
            elif isinstance(event, OrderRepeated):
                said.append("repeated")
            elif isinstance(event, OrderPlaced):
                own = event.order_id
                self.names[own] = order_name
                left = event.quantity
                rests = f"open {plain(event.resting, LOTS)}" if event.resting else ""
            elif isinstance(event, Trade):
                left = event.taker_remaining
                said.append(f"fill {plain(event.quantity, LOTS)} @ {plain(event.price, CENTS)}")
            elif isinstance(event, OrderClosed):
                status = OrderStatus(event.status).name.lower()
                if event.order_id == own:
                    said.append(f"{status} {plain(left, LOTS)}")
                else:
                    closed = self.names[event.order_id]
                    said.append(f"{status} {closed} {plain(event.resting, LOTS)}")
        return ", ".join([*said, rests] if rests else said) or "nothing"

    def cancel(self, words: list[str]) -> str:
        name, order_name = words
        return self.ended(self.apply(commands.CancelOrder(self.uid(name), 0, order_name)))

    def cancel_all(self, words: list[str]) -> str:
        (name,) = words
        return self.ended(self.apply(commands.CancelOrders(self.uid(name), SYMBOL)))

    def book(self, words: list[str]) -> str:
        book = self.engine.spot.markets[SYMBOL].book
        bids, asks = levels(book.bids), levels(book.asks)
        return f"{bids} | {asks}".strip() if bids or asks else "empty"

    def balance(self, words: list[str]) -> str:
        name, asset, wallet = (*words, "spot")[:3]
        account = self.engine.account(self.uid(name))
        index = self.engine.ledger.ordinals[asset]
        free = account.free(wallet_of(wallet), index)
        held = account.spot[index].locked if wallet == "spot" else 0
        return f"available {plain(free, 10**SCALE)} held {plain(held, 10**SCALE)}"

    def fees(self, words: list[str]) -> str:
        name, maker, taker = words
        return self.told(self.apply(commands.SetFees(self.uid(name), int(maker), int(taker))))

    def freeze(self, words: list[str], *, frozen: bool) -> str:
        (name,) = words
        return self.told(self.apply(commands.FreezeOwner(self.uid(name), frozen)))

    def halt(self, *, halted: bool) -> str:
        return self.told(self.apply(commands.HaltInstrument(SYMBOL, halted)))

    def wait(self, words: list[str]) -> str:
        (hours,) = words
        self.time += int(hours.removesuffix("h")) * HOUR
        return self.told(self.apply(commands.Tick()))


def levels(half: Half[SpotAccount]) -> str:
    """One side as a trader sees it: quantity @ price, best first."""
    return ", ".join(
        f"{plain(level.quantity, LOTS)} @ {plain(level.price, CENTS)}" for level in half.walk()
    )


def wallet_of(name: str) -> int:
    return int(Wallet[name.upper()])


STORIES = stories(FOLDER)


@pytest.mark.parametrize("title", STORIES)
def test_story(title: str) -> None:
    play(Story().act, STORIES[title])


def test_every_rule_of_orders_and_spot_has_a_story() -> None:
    told = rules_of(STORIES)
    wanted = {f"3.{number}" for number in range(1, 11)} | {f"4.{number}" for number in range(1, 5)}
    assert wanted | {"1.2", "2.1", "2.2", "2.3"} <= told
