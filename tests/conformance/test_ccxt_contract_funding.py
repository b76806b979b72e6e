"""Funding falls due while a stock ccxt client holds positions: rates, payments, balances."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from decimal import Decimal

import pytest

from support.contract_session import BTC, ETH, HOUR_MS, POLLS_MAX, SWAP, TRADERS, ContractSession
from support.server import Server
from support.stock import number

PERIOD_MS = 8 * HOUR_MS
RATE = Decimal("0.0001")  # the interest: nothing in these books is large enough to be a premium


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSession]:
    """Positions of three owners, and then the hour at which funding is due."""
    with Server(
        "--no-agents",
        "--no-history",
        folder=tmp_path_factory.mktemp("funding"),
        program=("support.clocked",),
    ) as server:
        desk = ContractSession(server, None)
        know_the_time(desk)
        desk.prepare(funding=True)
        desk.choose_modes()
        desk.quick("a1", "alice", BTC, "sell", "0.51234", "64010.10")
        desk.quick("b1", "bob", BTC, "buy", "0.50001", trades=(("a1", "0.50001"),))
        desk.quick("c1", "carol", BTC, "buy", "0.01233", trades=(("a1", "0.01233"),))
        desk.quick("e1", "alice", ETH, "buy", "1.2345", "3390.07")
        desk.quick("e2", "bob", ETH, "sell", "1.2345", trades=(("e1", "1.2345"),))
        server.process.send_signal(signal.SIGUSR1)
        wait_for_funding(desk)
        yield desk
        desk.close()


def know_the_time(desk: ContractSession) -> None:
    """The venue's clock is not the machine's: clients must sign with the venue's time."""
    for name in TRADERS:
        desk.ask(name, "load_time_difference")


def wait_for_funding(desk: ContractSession) -> None:
    for _ in range(POLLS_MAX):
        if all(desk.ask("bob", "fetch_funding_rate_history", symbol) for symbol in (BTC, ETH)):
            break
    know_the_time(desk)
    # Paid some seconds later: the books' prices from before the clock's leap are too old.
    for _ in range(POLLS_MAX):
        if all(desk.ask("bob", "fetch_funding_history", symbol) for symbol in (BTC, ETH)):
            break
    for symbol in (BTC, ETH):
        for owner in TRADERS:
            desk.sums.fund(owner, symbol, RATE, desk.sums.marks[symbol])


@pytest.mark.parametrize("symbol", [BTC, ETH])
def test_the_rate(desk: ContractSession, symbol: str) -> None:
    (found,) = desk.ask("alice", "fetch_funding_rate_history", symbol)
    assert number(found["fundingRate"]) == RATE
    assert number(found["info"]["markPrice"]) == desk.sums.marks[symbol]
    assert found["timestamp"] % PERIOD_MS == 0
    now = desk.ask("alice", "fetch_funding_rate", symbol)
    assert number(now["fundingRate"]) == RATE
    assert now["interval"] == "8h"
    assert now["nextFundingTimestamp"] == found["timestamp"] + PERIOD_MS
    since = {"until": found["timestamp"]}
    begin = found["timestamp"]
    assert desk.ask("alice", "fetch_funding_rate_history", symbol, begin, 5, since) == [found]
    assert desk.ask("alice", "fetch_funding_rate_history", symbol, begin + 1) == []


@pytest.mark.parametrize("owner", TRADERS)
def test_payments(desk: ContractSession, owner: str) -> None:
    rows = desk.ask(owner, "fetch_funding_history")
    rows.sort(key=lambda row: int(row["id"]))
    items = [item for item in desk.sums.items[owner] if item.kind == "position_funding"]
    found = [(row["symbol"], row["code"], number(row["amount"])) for row in rows]
    assert found == [(item.symbol, "USDT", item.amount) for item in items]
    for symbol in (BTC, ETH):
        some = desk.ask(owner, "fetch_funding_history", symbol)
        assert [row["id"] for row in some] == [row["id"] for row in rows if row["symbol"] == symbol]
    # Longs pay shorts: alice is short in bitcoin and long in ether.
    signs = {row["symbol"]: row["amount"] > 0 for row in rows}
    assert signs.get(BTC) is (owner == "alice")
    assert signs.get(ETH) is {"alice": False, "bob": True, "carol": None}[owner]


@pytest.mark.parametrize("owner", TRADERS)
def test_balances(desk: ContractSession, owner: str) -> None:
    balance = desk.ask(owner, "fetch_balance", SWAP)["USDT"]
    sums = desk.sums
    assert number(balance["total"]) == sums.equity(owner)
    assert number(balance["free"]) == sums.available(owner)
    for row, position in zip(desk.ask(owner, "fetch_positions"), sums.held(owner), strict=True):
        paid = [
            item.amount
            for item in sums.items[owner]
            if item.kind == "position_funding" and item.symbol == position.symbol
        ]
        assert Decimal(row["info"]["fundingFee"]) == sum(paid)
        if position.isolated:
            assert number(row["initialMargin"]) == sums.wallet_of(position)
    rows = desk.ask(owner, "fetch_ledger", "USDT", None, 100, SWAP)
    rows.sort(key=lambda row: int(row["id"]))
    found = [(row["info"]["incomeType"], number(row["after"])) for row in rows]
    assert found == [(item.kind, item.balance) for item in sums.items[owner]]
