"""Answers that are kept equal those made afresh, whatever happened since; and few are kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import msgspec
import uvloop
from msgspec import structs

from venue.api.contract.market import (
    ContractExchangeInfoRequest,
    ContractKlinesRequest,
    ContractSelectionRequest,
)
from venue.api.market_data import DepthRequest, TradesRequest
from venue.api.spot.market import ExchangeInfoRequest, KlinesRequest, SelectionRequest
from venue.candles import INTERVALS
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    CancelContractOrders,
    CancelOrders,
    ChangeInstrument,
    Command,
    HaltInstrument,
    PlaceContractOrder,
    PlaceOrder,
    PostIndex,
    Tick,
)
from venue.core.units import FIRST_UID
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.answers.kept import (
    ANSWERS_MAX,
    ITEMS_MAX,
    SERIES_MAX,
    WORLD_SERIES_MAX,
    Answers,
    Series,
)
from venue.gateway.door import Call, Door
from venue.gateway.operations.contract import market as contract_market
from venue.gateway.operations.spot import market as spot_market
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.running.opening import open_venue
from venue.running.options import Options

SECOND = 1_000_000
BEGIN = 1_764_500_123_456_789
WAITS = (0, 0, 0, 300, 1_500, SECOND, 59 * SECOND, 61 * SECOND, 3_700 * SECOND, 90_000 * SECOND)
SYMBOLS = ("BTCUSDT", "ETHUSDT")
CONTRACTS = ("BTCSUSDT", "ETHSUSDT")  # their index is posted
STEPS = 150

Handler = Callable[[Call, Any], EncodedBody]


class Hands:
    """The clocks of a machine, which stand until they are moved."""

    def __init__(self) -> None:
        self.time = BEGIN

    def wall(self) -> int:
        return self.time

    def steady(self) -> int:
        return self.time


def in_a_venue(act: Callable[[Door, Hands], Any]) -> None:
    """Have a venue in this process, without doors, to act on."""

    async def run() -> None:
        clock = Hands()
        async with open_venue(
            Options(agents=False), SystemClock(clock), lambda problem: None
        ) as door:
            done = act(door, clock)
            if isinstance(done, Awaitable):
                await done

    uvloop.run(run())


def say(node: Node, clock: Hands, command: Command) -> None:
    """Apply a command as the sequencer would."""
    command.time = max(clock.time, node.engine.time)
    events = node.engine.apply(command)
    node.outbox.publish([Applied(node.engine.sequence, command.time, command, events)])


def step(choice: Random, node: Node) -> Command:
    """One more command of either product; some change what is listed."""
    uid, number = FIRST_UID + choice.randrange(2), choice.randrange(2)
    symbol, contract = SYMBOLS[number], CONTRACTS[number]
    base = demo.STARTS[symbol].price
    act = choice.randrange(20)
    if act == 0:
        cancels: list[Command] = [CancelOrders(uid, symbol), CancelContractOrders(uid, contract)]
        return choice.choice(cancels)
    if act == 1:
        return HaltInstrument(symbol, choice.random() < 0.3, "a while")
    if act == 2:
        old = node.engine.spot.markets[symbol].instrument
        return ChangeInstrument(structs.replace(old, taker_ppm=choice.randrange(100, 2_000)))
    if act == 3:
        return Tick()
    if act <= 6:
        return PostIndex(contract, demo.POSTED, base + choice.randrange(-50, 50), jump=True)
    side, lots = choice.randrange(2), choice.choice([10, 25, 400])
    price, tif = base + choice.randrange(-40, 40), choice.choice([0, 0, 0, 1, 3])
    if act <= 13:
        return PlaceOrder(uid, symbol, side, 0, tif, lots, price)
    return PlaceContractOrder(uid, contract, side, 1 - 2 * side, 0, tif, lots, price)


def questions(choice: Random) -> list[tuple[Handler, Any]]:
    """Each operation once, with parameters that differ from time to time."""
    symbol, contract = choice.choice(SYMBOLS), choice.choice(CONTRACTS)
    interval = choice.choice(INTERVALS)
    limit = choice.choice([1, 2, 7, choice.randrange(1, 70)])
    some = choice.choice([None, symbol])
    levels = choice.choice(["15", "200"])
    selected = choice.choice(
        [SelectionRequest(symbol=some), SelectionRequest(symbol=None, symbols=list(SYMBOLS))]
    )
    one = choice.choice([None, contract])
    of_contracts = ContractSelectionRequest(symbol=one)
    candles = ContractKlinesRequest(symbol=contract, interval=interval, limit=limit)
    return [
        (spot_market.depth, DepthRequest(symbol=symbol, limit=levels)),
        (contract_market.contract_depth, DepthRequest(symbol=contract, limit=levels)),
        (spot_market.prices, selected),
        (spot_market.tickers, selected),
        (spot_market.book_tickers, selected),
        (contract_market.contract_tickers, of_contracts),
        (contract_market.contract_book_tickers, of_contracts),
        (spot_market.trades, TradesRequest(symbol=symbol, limit=limit)),
        (contract_market.contract_trades, TradesRequest(symbol=contract, limit=limit)),
        (spot_market.klines, KlinesRequest(symbol=symbol, interval=interval, limit=limit)),
        (contract_market.contract_klines, candles),
        (contract_market.index_klines, candles),
        (contract_market.mark_klines, candles),
        (spot_market.exchange_info, ExchangeInfoRequest(symbol=some)),
        (spot_market.exchange_info, ExchangeInfoRequest(symbol_status="HALT")),
        (
            contract_market.contract_exchange_info,
            ContractExchangeInfoRequest(symbol=choice.choice([None, contract])),
        ),
    ]


def afresh(door: Door, handler: Handler, request: Any) -> bytes:
    """The answer of a venue that has kept none."""
    kept, door.answers = door.answers, Answers()
    try:
        return handler(Call(door, 0, b""), request).data
    finally:
        door.answers = kept


def test_answers_that_are_kept_are_those_of_now() -> None:
    def act(door: Door, clock: Hands) -> None:
        choice = Random(7)
        told = dict.fromkeys(range(len(questions(choice))), b"")
        changed = dict.fromkeys(told, 0)
        for _ in range(STEPS):
            clock.time += choice.choice(WAITS)
            say(door.node, clock, step(choice, door.node))
            for number, (handler, request) in enumerate(questions(choice)):
                kept = handler(Call(door, 0, b""), request).data
                assert kept == afresh(door, handler, request), (handler.__name__, request)
                changed[number] += kept != told[number]
                told[number] = kept
        assert min(changed.values()) > STEPS // 20, changed

    in_a_venue(act)


def test_an_answer_is_encoded_once_per_change() -> None:
    def act(door: Door, clock: Hands) -> None:
        call, btc = Call(door, 0, b""), "BTCUSDT"
        asked: list[tuple[Handler, Any]] = [
            (spot_market.depth, DepthRequest(symbol=btc)),
            (contract_market.contract_depth, DepthRequest(symbol=btc)),
            (spot_market.prices, SelectionRequest(symbol=btc)),
            (spot_market.tickers, SelectionRequest(symbol=btc)),
            (spot_market.book_tickers, SelectionRequest(symbol=btc)),
            (spot_market.trades, TradesRequest(symbol=btc)),
            (spot_market.klines, KlinesRequest(symbol=btc, interval="1m")),
        ]
        first = [handler(call, request) for handler, request in asked]
        assert [handler(call, request) for handler, request in asked] == first
        price = demo.STARTS[btc].price + 1
        say(door.node, clock, PlaceOrder(FIRST_UID, btc, 0, 0, 0, 100, price))
        say(door.node, clock, PlaceOrder(FIRST_UID + 1, btc, 1, 0, 0, 40, price))
        later = [handler(call, request) for handler, request in asked]
        same = [one is other for one, other in zip(first, later, strict=True)]
        assert same == [False, True, False, False, False, False, False]

    in_a_venue(act)


def test_times_are_those_of_the_question() -> None:
    def act(door: Door, clock: Hands) -> None:
        call = Call(door, 0, b"")
        for _ in range(3):
            clock.time += 5_000
            now = clock.time // 1000
            info = msgspec.json.decode(spot_market.exchange_info(call, ExchangeInfoRequest()).data)
            assert info["serverTime"] == now
            request = ContractSelectionRequest()
            tops = contract_market.contract_book_tickers(call, request).data
            assert {top["time"] for top in msgspec.json.decode(tops)} == {now}

    in_a_venue(act)


# -- what is kept ---------------------------------------------------------------------------------


def test_a_stranger_does_not_decide_how_much_is_kept() -> None:
    def act(door: Door, clock: Hands) -> None:
        call = Call(door, 0, b"")
        price = demo.STARTS["BTCUSDT"].price
        say(door.node, clock, PlaceOrder(FIRST_UID, "BTCUSDT", 0, 0, 0, 1_000, price))
        say(door.node, clock, PlaceOrder(FIRST_UID + 1, "BTCUSDT", 1, 0, 0, 40, price))
        for limit in range(1, 1_001):
            spot_market.trades(call, TradesRequest(symbol="BTCUSDT", limit=limit))
            spot_market.klines(call, KlinesRequest(symbol="BTCUSDT", interval="1m", limit=limit))
            chosen = ["BTCUSDT", "ETHUSDT", "SOLUSDT"][: 1 + limit % 3]
            spot_market.tickers(call, SelectionRequest(symbol=None, symbols=chosen))
        kept = {len(question) for question in door.answers.known}
        assert kept == {2}  # an operation and a symbol
        assert len(door.answers.known) == 3
        assert len(door.answers.series_by_question) == 2

    in_a_venue(act)


def test_who_asks_for_all_series_of_the_demo_markets_has_none_encoded_twice() -> None:
    """Enemy: a stranger who asks for each in turn, so that those of all others are let go."""

    def act(door: Door, clock: Hands) -> None:
        call = Call(door, 0, b"")
        for instrument in demo.INSTRUMENTS:
            spot_market.trades(call, TradesRequest(symbol=instrument.symbol, limit=1))
            for interval in INTERVALS:
                spot_market.klines(
                    call, KlinesRequest(symbol=instrument.symbol, interval=interval, limit=1)
                )
        for contract in demo.CONTRACTS:
            symbol = contract.instrument.symbol
            contract_market.contract_trades(call, TradesRequest(symbol=symbol, limit=1))
            for interval in INTERVALS:
                asked = ContractKlinesRequest(symbol=symbol, interval=interval, limit=1)
                contract_market.contract_klines(call, asked)
                contract_market.index_klines(call, asked)
                contract_market.mark_klines(call, asked)
        held = len(door.answers.series_by_question)
        markets = len(demo.INSTRUMENTS) + 3 * len(demo.CONTRACTS)
        trades = len(demo.INSTRUMENTS) + len(demo.CONTRACTS)
        assert held == trades + markets * len(INTERVALS) < SERIES_MAX

    in_a_venue(act)


def test_a_world_keeps_few_series() -> None:
    """Enemy: a stranger who asks each of a thousand worlds for all of its charts."""
    kept = Answers(WORLD_SERIES_MAX)
    for interval in INTERVALS:
        kept.series(("klines", interval))
    assert list(kept.series_by_question) == [
        ("klines", interval) for interval in INTERVALS[-WORLD_SERIES_MAX:]
    ]


def test_the_oldest_answers_and_series_go_first() -> None:
    kept = Answers()
    for number in range(ANSWERS_MAX + 10):
        kept.keep(("some", str(number)), number, b"0")
    assert len(kept.known) == ANSWERS_MAX
    assert ("some", "9") not in kept.known
    assert ("some", "10") in kept.known
    often = kept.series(("often",))
    for number in range(SERIES_MAX + 10):
        kept.series(("some", str(number)))
        assert kept.series(("often",)) is often
    assert len(kept.series_by_question) == SERIES_MAX
    series = Series()
    for number in range(ITEMS_MAX + 10):
        series.add(number, b"%d" % number)
    assert len(series.keys) == ITEMS_MAX
    assert series.answer(2).data == b"[1008,1009]"
