"""The class of error a stock ccxt client raises for each refusal of the contract side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ccxt
import pytest

from support.contract_session import BTC, ETH, POLLS_MAX, SWAP
from support.server import Server
from support.stock import Stock

UNKNOWN = "1000000999999999"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Bitcoin has a price of 64,000, bob's orders on both sides, and a cross long of alice's."""
    with Server("--no-agents", folder=tmp_path_factory.mktemp("contract-errors")) as server:
        with Stock(server, server.account("bob")) as bob:
            for side, price in (("buy", 63_900), ("sell", 64_100)):
                bob("create_order", "BTC/USDT", "limit", side, 0.2, price)
            for _ in range(POLLS_MAX):
                if bob("fetch_mark_price", BTC)["markPrice"]:
                    break
            bob("create_order", BTC, "limit", "buy", 1, 63_000)
            bob("create_order", BTC, "limit", "sell", 1, 65_000)
        with Stock(server, server.account("alice")) as alice:
            alice("create_order", BTC, "market", "buy", 0.1)
        yield server


@pytest.fixture(scope="module")
def alice(server: Server) -> Iterator[Stock]:
    with Stock(server, server.account("alice")) as stock:
        yield stock


def refused(
    error: type[Exception], code: int, text: str, stock: Stock, name: str, *rest: Any
) -> None:
    """Exactly this class, this code, and these words."""
    with pytest.raises(error) as caught:
        stock(name, *rest)
    assert caught.type is error, caught.value
    assert f'"code":{code},' in str(caught.value)
    assert text in str(caught.value)


def limit(side: str, amount: str, price: str, symbol: str = BTC, /, **params: Any) -> Any:
    return (symbol, "limit", side, amount, price, params)


def market(side: str, amount: str, symbol: str = BTC, /, **params: Any) -> Any:
    return (symbol, "market", side, amount, None, params)


FAILED = "FAILED_PRECONDITION"
STOP = {"triggerPrice": 64_000}
ORDERS: tuple[tuple[type[Exception], int, str, Any], ...] = (
    (ccxt.InsufficientFunds, -1054, "amount not enough", limit("buy", "400", "60000")),
    (ccxt.InvalidOrder, -3007, "quantity", limit("buy", "1000.1", "60000")),
    (ccxt.InvalidOrder, -3007, "MARKET", market("buy", "999")),
    (ccxt.BadRequest, -1140, "quantity", limit("buy", "0.00009", "60000")),
    (ccxt.BadRequest, -1140, "price", limit("buy", "0.1", "99000")),
    (ccxt.ExchangeError, -1054, FAILED, market("sell", "0.2", reduceOnly=True)),
    (ccxt.ExchangeError, -1054, FAILED, limit("buy", "1", "3000", ETH, reduceOnly=True)),
    (ccxt.ExchangeError, -1054, "no price", market("buy", "1", ETH)),
    (ccxt.ExchangeError, -1054, FAILED, limit("buy", "0.1", "65000", timeInForce="POST_ONLY")),
    (ccxt.InvalidOrder, -1115, "timeInForce", limit("buy", "0.1", "63000", timeInForce="DAY")),
    (ccxt.InvalidOrder, -1116, "", (BTC, "iceberg", "buy", "0.1", "63000")),
    (ccxt.InvalidOrder, -1180, "", limit("buy", "0.1", "63000", clientOrderId="x" * 37)),
    (ccxt.ExchangeError, -1054, "would trigger", market("sell", "0.1", stopLossPrice=66_000)),
    (ccxt.ExchangeError, -1054, "would trigger", market("sell", "0.1", takeProfitPrice=63_000)),
    (ccxt.ExchangeError, -1054, FAILED, market("buy", "0.1", stopLossPrice=66_000)),
    (ccxt.BadRequest, -1140, "slTriggerPrice", limit("buy", "0.1", "63000", stopLoss=STOP)),
    (ccxt.BadRequest, -1140, "tpTriggerPrice", limit("buy", "0.1", "64500", takeProfit=STOP)),
)  # fmt: skip


@pytest.mark.parametrize(("error", "code", "text", "order"), ORDERS)
def test_orders(
    alice: Stock, error: type[Exception], code: int, text: str, order: tuple[Any, ...]
) -> None:
    before = alice("fetch_balance", SWAP)
    refused(error, code, text, alice, "create_order", *order)
    assert alice("fetch_balance", SWAP) == before
    assert alice("fetch_open_orders", BTC) == []
    assert alice("fetch_open_orders", BTC, None, None, {"trigger": True}) == []


THEN, NOW = 1_700_000_000_000, 1_790_000_000_000
NOPE = {"symbol": "NOPEUSDT"}
NOPE_ORDER = {**NOPE, "side": "BUY", "positionSide": "LONG", "type": "MARKET", "quantity": "1"}
POSITION = "contractPrivateGetCapiV3AccountPositionSinglePosition"
REST: tuple[tuple[type[Exception], int, str, str, Any], ...] = (
    (ccxt.InvalidOrder, -3200, "", "fetch_order", (UNKNOWN, BTC)),
    (ccxt.InvalidOrder, -3200, "", "cancel_order", (UNKNOWN, BTC)),
    (ccxt.InvalidOrder, -3200, "", "cancel_order", (UNKNOWN, BTC, {"trigger": True})),
    (ccxt.InvalidOrder, -3200, "", "cancel_order", (None, BTC, {"clientOrderId": "nobody"})),
    (ccxt.InvalidOrder, -3313, "crossLeverage", "set_leverage", (101, BTC)),
    (ccxt.ExchangeError, -1054, FAILED, "set_margin_mode", ("isolated", BTC)),
    (ccxt.ExchangeError, -1054, FAILED, "set_position_mode", (True, BTC, {"marginMode": "cross"})),
    (ccxt.BadRequest, -1142, "sition", "add_margin", (BTC, 10, {"positionId": UNKNOWN})),
    (ccxt.BadSymbol, -1121, "'symbol'", "contractPrivatePostCapiV3Order", (NOPE_ORDER,)),
    (ccxt.BadSymbol, -1121, "'symbol'", POSITION, (NOPE,)),
    (ccxt.BadRequest, -1142, "'symbol'", "contractGetCapiV3MarketDepth", (NOPE,)),
    (ccxt.BadRequest, -1170, "90 days", "fetch_closed_orders", (BTC, THEN, None, {"until": NOW})),
    (ccxt.BadRequest, -1171, "", "fetch_closed_orders", (BTC, NOW, None, {"until": THEN})),
    (ccxt.BadRequest, -1170, "7 days", "fetch_my_trades", (BTC, THEN, None, {"until": NOW})),
)  # fmt: skip


@pytest.mark.parametrize(("error", "code", "text", "name", "rest"), REST)
def test_the_rest(
    alice: Stock, error: type[Exception], code: int, text: str, name: str, rest: tuple[Any, ...]
) -> None:
    refused(error, code, text, alice, name, *rest)


def test_a_batch_tells_which_one_failed(alice: Stock) -> None:
    """The items carry an `errorCode`, without which the client would call them canceled."""
    with pytest.raises(ccxt.InvalidOrder) as caught:
        alice("cancel_orders", [UNKNOWN], BTC)
    assert caught.type is ccxt.InvalidOrder
    assert UNKNOWN in str(caught.value)
    assert '"success": false' in str(caught.value) or '"success":false' in str(caught.value)


def test_margin_moves(alice: Stock) -> None:
    (found,) = alice("fetch_positions", [BTC])
    params = {"positionId": found["id"]}
    refused(ccxt.ExchangeError, -1054, "not isolated", alice, "add_margin", BTC, 1, dict(params))
    alice("set_margin_mode", "isolated", ETH)
    alice("set_margin_mode", "cross", ETH)
    alice("close_position", BTC)
    alice("set_margin_mode", "isolated", BTC)
    alice("create_order", BTC, "market", "buy", 0.1)
    (found,) = alice("fetch_positions", [BTC])
    params = {"positionId": found["id"]}
    for name, amount in (("add_margin", 2_000_000), ("reduce_margin", found["collateral"])):
        refused(
            ccxt.InsufficientFunds, -1054, "amount not enough", alice, name, BTC, amount,
            dict(params),
        )  # fmt: skip


def test_who_may(server: Server) -> None:
    order = limit("buy", "0.1", "60000")
    with Stock(server, server.account("dave")) as dave:
        refused(ccxt.PermissionDenied, -1052, "", dave, "create_order", *order)
        refused(ccxt.PermissionDenied, -1052, "", dave, "set_leverage", 5, BTC)
        assert dave("fetch_positions") == []
        assert dave("fetch_balance", SWAP)["USDT"]["total"] == 1_000
    with Stock(server, server.account("carol")) as carol:
        refused(ccxt.InsufficientFunds, -1054, "amount", carol, "create_order", *order)
    with Stock(server, {**server.account("alice"), "secret": "other"}) as other:
        refused(ccxt.AuthenticationError, -1047, "", other, "fetch_positions")
