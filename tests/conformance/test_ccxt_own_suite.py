"""ccxt's own tests against a living venue: each failure has a reason in ccxt itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import ccxt
import pytest

from support.ccxt_suite import REST, STREAMS, arguments, suite
from support.pro import Pro
from support.server import Server
from support.stock import Stock
from venue.api.profile import Profile

SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"
STREAM_S = 60
CLOCK_STEP_MS = 4_000  # a test of streams goes on for 15 s of the client's clock

NOT_SERVED = "ccxt's class for this exchange does not serve it (for this kind of market)"
# Test and market (empty: both) -> words of the failure, and why it is none of the venue's.
OWN_REASONS: dict[tuple[str, str], tuple[str, str]] = {
    ("fetch_markets", ""): (
        "must return a dict", "the test wants a dict of what ccxt itself returns as a list"),
    ("fetch_tickers", ""): (
        "all active markets", "ccxt asks one product; the test counts the markets of both"),
    ("fetch_order_book", ""): ('"timestamp"', "the exchange's books carry no time; ccxt sets none"),
    ("fetch_l2_order_book", ""): ('"timestamp"', "as fetch_order_book"),
    ("fetch_order_books", ""): ("not supported", NOT_SERVED),
    ("fetch_ledger", ""): ('"account"', "ccxt's parser sets no account"),
    ("fetch_trading_fee", SPOT): ("not supported", NOT_SERVED),
    ("fetch_trading_fees", ""): ("not supported", NOT_SERVED),
    ("fetch_last_prices", SWAP): ("spot markets only", NOT_SERVED),
    ("fetch_orders", SWAP): ("spot markets only", NOT_SERVED),
    ("fetch_balance", SWAP): (
        "do not sum to total",
        "ccxt takes `frozen` as all that is used; the margin of positions is no part of it"),
    ("fetch_positions", SWAP): ('"markPrice"', "ccxt's parser sets no mark price"),
    ("fetch_margin_modes", SWAP): ("an array", "ccxt returns a dict, its test wants a list"),
    ("watch_bids_asks", SWAP): ("spot markets only", NOT_SERVED),
}  # fmt: skip
GROUPS = {SPOT: ("public", "private"), SWAP: ("public", "contract", "private", "positions")}


@pytest.fixture(scope="module", params=list(Profile))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with Server("--profile", request.param, folder=tmp_path_factory.mktemp("suite")) as server:
        yield server


@pytest.fixture(scope="module", params=[SPOT, SWAP], ids=["spot", "swap"])
def symbol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def stock(server: Server, symbol: str) -> Iterator[Stock]:
    """Alice, who has traded and has an open order."""
    with Stock(server, server.account("alice")) as stock:
        stock.exchange.options["defaultType"] = "spot" if symbol == SPOT else "swap"
        stock("create_order", symbol, "limit", "buy", 0.01, 50_000)
        stock("create_order", symbol, "market", "buy", 0.01)
        yield stock


def judge(name: str, symbol: str, problem: Exception | None) -> None:
    """A test passes, or fails as it is known to."""
    known = OWN_REASONS.get((name, symbol)) or OWN_REASONS.get((name, ""))
    if known is None:
        if problem is not None:
            raise problem
        return
    assert problem is not None, f"{name} passes now: take it from the list"
    assert known[0] in str(problem), problem


@pytest.mark.parametrize("name", [name for group in REST.values() for name in group])
def test_rest(stock: Stock, symbol: str, name: str) -> None:
    if not any(name in REST[group] for group in GROUPS[symbol]):
        assert symbol == SPOT  # positions and funding are of contracts
        return
    test = suite(name)
    problem: Exception | None = None
    try:
        test(*arguments(test, stock.exchange, symbol))
    except (AssertionError, ccxt.BaseError) as found:
        problem = found
    judge(name, symbol, problem)


@pytest.mark.parametrize("name", STREAMS)
def test_streams(server: Server, symbol: str, name: str) -> None:
    test = suite(name, streams=True)
    problem: Exception | None = None
    with Pro(server) as pro:
        pro("load_markets")
        clock, looks = pro.exchange.milliseconds, 0

        def milliseconds() -> int:
            nonlocal looks
            looks += 1
            return int(clock()) + CLOCK_STEP_MS * looks

        pro.exchange.milliseconds = milliseconds
        try:
            running: Any = test(*arguments(test, pro.exchange, symbol))
            pro.run(asyncio.wait_for(running, STREAM_S))
        except (AssertionError, ccxt.BaseError) as found:
            problem = found
    judge(name, symbol, problem)


def test_every_reason_is_of_a_test_that_runs() -> None:
    names = {name for group in REST.values() for name in group} | set(STREAMS)
    assert {name for name, _ in OWN_REASONS} <= names
