"""A stock ccxt client asks for its trades and ledger: they equal the test's own sums."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from support.contract_session import (
    BTC,
    HOUR_MS,
    SWAP,
    SYMBOLS,
    TRADERS,
    ContractSession,
    played,
)
from support.stock import number


@pytest.fixture(scope="module", params=["sync", "async"])
def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContractSession]:
    with played(tmp_path_factory.mktemp("contracts"), request.param) as desk:
        yield desk


@pytest.mark.parametrize("owner", TRADERS)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_my_trades(desk: ContractSession, owner: str, symbol: str) -> None:
    trades = desk.ask(owner, "fetch_my_trades", symbol)
    trades.sort(key=lambda trade: int(trade["id"]))
    found = [
        (
            trade["order"], trade["side"], number(trade["price"]), number(trade["amount"]),
            number(trade["cost"]), number(trade["fee"]["cost"]), trade["takerOrMaker"],
            Decimal(trade["info"]["realizedPnl"]), trade["info"]["positionSide"].lower(),
        )
        for trade in trades
    ]  # fmt: skip
    fills = [f for f in desk.sums.fills if (f.order.owner, f.order.symbol) == (owner, symbol)]
    assert found == [
        (
            fill.order.id, fill.order.side, fill.price, fill.quantity, fill.quote, fill.fee,
            "taker" if fill.is_taker else "maker", fill.realized, fill.order.position_side,
        )
        for fill in fills
    ]  # fmt: skip
    assert {trade["fee"]["currency"] for trade in trades} <= {"USDT"}
    for order in desk.sums.of(owner, symbol):
        own = desk.ask(owner, "fetch_order_trades", order.id, symbol)
        assert sum(number(trade["amount"]) for trade in own) == order.executed


@pytest.mark.parametrize("owner", TRADERS)
def test_the_ledger_chains_to_the_balance(desk: ContractSession, owner: str) -> None:
    rows = desk.ask(owner, "fetch_ledger", "USDT", None, 100, SWAP)
    rows.sort(key=lambda row: int(row["id"]))
    plain = {symbol: symbol.partition(":")[0].replace("/", "") for symbol in SYMBOLS}
    found = [
        (
            row["info"]["incomeType"], row["info"]["symbol"],
            number(row["amount"]) * (1 if row["direction"] == "in" else -1),
            number(row["fee"]["cost"]), number(row["after"]), number(row["before"]),
        )
        for row in rows
    ]  # fmt: skip
    items = desk.sums.items[owner]
    assert found == [
        (
            item.kind, plain[item.symbol] if item.symbol else "", item.amount, item.fee,
            item.balance, item.balance - item.amount,
        )
        for item in items
    ]  # fmt: skip
    assert {row["currency"] for row in rows} == {"USDT"}
    # The items of a kind, as the venue filters them.
    for kind in {item.kind for item in items}:
        params = {**SWAP, "incomeType": kind}
        some = desk.ask(owner, "fetch_ledger", "USDT", None, 100, params)
        total = sum(Decimal(row["info"]["income"]) for row in some)
        assert total == sum(item.amount for item in items if item.kind == kind)


def test_the_ledger_by_time(desk: ContractSession) -> None:
    rows = desk.ask("bob", "fetch_ledger", "USDT", None, 100, SWAP)
    rows.sort(key=lambda row: int(row["id"]))
    since = rows[5]["timestamp"]
    found = desk.ask("bob", "fetch_ledger", "USDT", since, 100, SWAP)
    expected = [row["id"] for row in rows if row["timestamp"] >= since]
    assert sorted(row["id"] for row in found) == expected


def test_there_is_no_funding_yet(desk: ContractSession) -> None:
    assert desk.ask("alice", "fetch_funding_history") == []
    since = desk.ask("alice", "fetch_time") - HOUR_MS
    assert desk.ask("alice", "fetch_funding_history", BTC, since) == []
