"""A stock ccxt pro client that watches all that is its own, and compares it with REST."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from ccxt.base.errors import UnsubscribeError

from support.client import Client
from support.contract_session import far_funding
from support.pro import LOOK_S, Pro
from support.server import Server, flawless

LOOKS_MAX = 100
TICKS_MAX = 20_000  # the first mark comes with the venue's next tick, each second
PRICES = {"BTCUSDT": 60_000, "ETHUSDT": 3_000, "SOLUSDT": 150}
QUOTED = {"BTCUSDT": "0.04", "ETHUSDT": "0.4", "SOLUSDT": "2"}  # more than the index notional
LEAST = {"BTCUSDT": "2000", "ETHUSDT": "1000", "SOLUSDT": "250"}  # that it may be
OPEN = ("open", "partially_filled")  # a stock client has no word of its own for the second
ORDER = (
    "id", "clientOrderId", "symbol", "type", "timeInForce", "side", "amount", "price", "cost",
    "filled", "remaining", "status", "timestamp", "lastUpdateTimestamp", "triggerPrice",
)  # fmt: skip
TRADE = ("id", "order", "timestamp", "symbol", "side", "amount", "cost", "fee")  # no price
POSITION = (
    "id", "symbol", "timestamp", "lastUpdateTimestamp", "contracts", "contractSize", "side",
    "notional", "leverage", "entryPrice", "marginMode", "hedged",
)  # fmt: skip
RAW_POSITION = (
    "openValue", "openFee", "fundingFee", "isolatedMargin", "cumOpenSize", "cumOpenValue",
    "cumOpenFee", "cumCloseSize", "cumCloseValue", "cumCloseFee", "cumFundingFee",
    "cumLiquidateFee", "leverage", "size", "side", "createdTime", "updatedTime",
)  # fmt: skip
RAW_ALGO = (  # of a conditional order: the stream's name, and REST's
    ("id", "algoId"), ("clientOrderId", "clientAlgoId"), ("symbol", "symbol"),
    ("orderSide", "side"), ("positionSide", "positionSide"), ("type", "orderType"),
    ("status", "algoStatus"), ("timeInForce", "timeInForce"),
    ("triggerPriceType", "workingType"), ("createdTime", "createTime"),
    ("updatedTime", "updateTime"), ("triggerTime", "triggerTime"),
)  # fmt: skip

Pairs = dict[str, tuple[Any, Any]]  # told by the streams and listed by REST, by name


@contextmanager
def quoted_venue(folder: Path) -> Iterator[Server]:
    """A venue whose contracts have marks: the middle of carol's quotes in the spot books."""
    with flawless("--no-agents", "--no-limits", "--no-history", folder=folder) as found:
        carol, anyone = found.client("carol"), found.client()
        for asset, amount in (("USDT", "10000"), ("BTC", "1"), ("ETH", "1"), ("SOL", "10")):
            operate(found, "deposit", owner="carol", wallet="SPOT", asset=asset, amount=amount)
        for symbol in PRICES:
            far_funding(anyone, symbol)
            operate(found, "contracts/change", symbol=symbol, indexNotional=LEAST[symbol])
            _quote(carol, symbol)
        for symbol in PRICES:
            _wait_for_mark(anyone, symbol)
        yield found


def _quote(carol: Client, symbol: str) -> None:
    price = PRICES[symbol]
    for side, limit in (("BUY", price * 98 // 100), ("SELL", price * 102 // 100)):
        body = {"symbol": symbol, "side": side, "type": "LIMIT", "timeInForce": "GTC"}
        body |= {"quantity": QUOTED[symbol], "price": f"{limit}"}
        assert carol.post("/api/v3/order", body).status == 200


def _wait_for_mark(client: Client, symbol: str) -> None:
    query = f"/capi/v3/market/premiumIndex?symbol={symbol}"
    marks = (float(client.get(query).json[0]["markPrice"]) for _ in range(TICKS_MAX))
    assert any(marks), f"{symbol} has no mark"


def operate(server: Server, operation: str, **body: str) -> None:
    """An operator's act."""
    answer = server.client().post(f"/_venue/{operation}", body)
    assert answer.status == 200, answer


class Watch:
    """Alice's client: it watches everything that is hers in one product, and asks REST."""

    def __init__(self, server: Server, kind: str, symbols: tuple[str, ...]) -> None:
        self.pro = Pro(server, server.account("alice"))
        self.exchange = self.pro.exchange
        self.kind = kind
        self.symbols = symbols
        self.told: set[str] = set()  # the methods that returned
        self._tasks: list[asyncio.Task[None]] = []
        prefix = {"spot": "myTrades", "swap": "myContractTrades"}[kind]
        self.channels = {"watch_my_trades": prefix, "watch_balance": kind}
        if kind == "swap":
            self.channels["watch_positions"] = "positions"

    def begin(self) -> None:
        """Watch everything; a venue takes subscriptions in turn, that to orders last."""
        for name, subscription in self.channels.items():
            self._start(name)
            self._await_subscription(subscription)
        self.begin_orders()

    def begin_orders(self) -> None:
        """Watch orders; placed and canceled ones tell whether they are seen."""
        self._start("watch_orders")
        for _ in range(LOOKS_MAX):
            placed = self.place(self.symbols[0], "limit", "buy", "0.01", "2000.5")
            self.pro("cancel_order", placed["id"], self.symbols[0])
            self.look()
            if self.exchange.orders:
                return
        raise AssertionError("orders are not told")

    def _start(self, name: str) -> None:
        params = {} if name == "watch_positions" else {"type": self.kind}

        async def follow() -> None:
            while True:
                try:
                    await getattr(self.exchange, name)(params=params)
                except UnsubscribeError:
                    return
                self.told.add(name)

        self._tasks.append(self.pro.loop.create_task(follow()))

    def look(self) -> None:
        """Let messages in for a moment."""
        done, _ = self.pro.run(asyncio.wait(self._tasks, timeout=LOOK_S))
        for task in done:
            task.result()
            self._tasks.remove(task)

    def ask(self, name: str, *given: Any) -> asyncio.Task[Any]:
        """Watch once, beside."""
        task: asyncio.Task[Any] = self.pro.loop.create_task(getattr(self.exchange, name)(*given))
        return task

    def _await_subscription(self, name: str) -> None:
        for _ in range(LOOKS_MAX):
            clients = self.exchange.clients or {}
            if any(name in client.subscriptions for client in clients.values()):
                return
            self.look()
        raise AssertionError(f"{name} is not subscribed to")

    def place(self, *order: Any, **params: Any) -> dict[str, Any]:
        """Place one of her orders."""
        placed: dict[str, Any] = self.pro("create_order", *order, params)
        return placed

    def agree(self) -> None:
        """Wait until everything that was told equals what REST lists."""
        wrong: Pairs = {}
        for _ in range(LOOKS_MAX):
            pairs = self.pairs()
            wrong = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
            if not wrong:
                return
            self.look()
        raise AssertionError(wrong)

    def pairs(self) -> Pairs:
        found = self._orders() | self._trades() | self._balances()
        return found | self._algos() | self._positions() if self.kind == "swap" else found

    def _orders(self) -> Pairs:
        found: Pairs = {}
        algos = self._algo_ids()
        for told in list(self.exchange.orders):
            if told["id"] in algos:
                continue
            listed = self.pro("fetch_order", told["id"], told["symbol"])
            names = (*ORDER, "reduceOnly") if self.kind == "swap" else ORDER
            found[f"order {told['id']}"] = _picked(told, names), _picked(listed, names)
        for symbol in self.symbols:
            rows = self.pro("fetch_open_orders", symbol)
            cached = [row for row in self.exchange.orders if row["symbol"] == symbol]
            is_open = [r["id"] for r in cached if r["status"] in OPEN and r["id"] not in algos]
            found[f"open {symbol}"] = sorted(is_open), sorted(row["id"] for row in rows)
            history = "fetch_orders" if self.kind == "spot" else "fetch_canceled_and_closed_orders"
            listed = {row["id"]: row["status"] for row in self.pro(history, symbol, None, 100)}
            ended = {r["id"]: r["status"] for r in cached if r["id"] not in (*is_open, *algos)}
            found[f"ended {symbol}"] = ended, {key: listed.get(key) for key in ended}
        return found

    def _trades(self) -> Pairs:
        cached = list(self.exchange.myTrades or [])
        found: Pairs = {}
        names = (*TRADE, "takerOrMaker") if self.kind == "swap" else TRADE
        fees: dict[str, float] = {}
        for symbol in self.symbols:
            listed = self.pro("fetch_my_trades", symbol, None, 100)
            told = [row for row in cached if row["symbol"] == symbol]
            found[f"trades {symbol}"] = _by_id(told, names), _by_id(listed, names)
            for row in listed:
                fees[row["order"]] = round(fees.get(row["order"], 0.0) + row["fee"]["cost"], 8)
        told_fees = {row["id"]: float(row["fee"]["cost"]) for row in self.exchange.orders}
        found["fees"] = {key: fee for key, fee in told_fees.items() if fee}, fees
        return found

    def _balances(self) -> Pairs:
        told = self.exchange.balance[self.kind]
        listed = self.pro("fetch_balance", {"type": self.kind})
        names = ("free", "used", "total") if self.kind == "spot" else ("free", "total")
        coins = ("USDT", "BTC", "ETH") if self.kind == "spot" else ("USDT",)
        if self.kind == "swap":  # pushes tell the wallet alone
            (row,) = listed["info"]
            wallet = Decimal(row["balance"]) - Decimal(row["unrealizePnl"])
            listed = {"USDT": listed["USDT"] | {"total": float(wallet)}}
        return {f"balance {c}": (_picked(told[c], names), _picked(listed[c], names)) for c in coins}

    def _algo_rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for symbol in self.symbols:
            plain = symbol.partition(":")[0].replace("/", "")
            rows += self.pro("contractPrivateGetCapiV3OpenAlgoOrders", {"symbol": plain})
            answer = self.pro("contractPrivateGetCapiV3AllAlgoOrders", {"symbol": plain})
            rows += answer["orders"]
        return rows

    def _algo_ids(self) -> set[str]:
        return {str(row["algoId"]) for row in self._algo_rows()} if self.kind == "swap" else set()

    def _algos(self) -> Pairs:
        listed = {str(row["algoId"]): row for row in self._algo_rows()}
        told = {row["id"]: row["info"] for row in self.exchange.orders if row["id"] in listed}
        found: Pairs = {"conditional orders": (sorted(told), sorted(listed))}
        for key, item in told.items():
            found[f"conditional order {key}"] = (
                [str(item[name]) for name, _ in RAW_ALGO],
                [str(listed[key][name]) for _, name in RAW_ALGO],
            )
            for name, other in (("triggerPrice", "triggerPrice"), ("size", "quantity")):
                pair = float(item[name]), float(listed[key][other])
                found[f"{name} of conditional order {key}"] = pair
        return found

    def _positions(self) -> Pairs:
        cached = {row["id"]: row for row in self.exchange.positions or [] if row["contracts"]}
        listed = {row["id"]: row for row in self.pro("fetch_positions")}
        found: Pairs = {"positions": (sorted(cached), sorted(listed))}
        for key in set(cached) & set(listed):
            told, row = cached[key], listed[key]
            found[f"position {key}"] = _picked(told, POSITION), _picked(row, POSITION)
            # A position of a snapshot has REST's names already.
            raw = [str(told["info"][name]) for name in RAW_POSITION]
            found[f"raw {key}"] = raw, [str(row["info"][name]) for name in RAW_POSITION]
        return found

    def end(self) -> None:
        """Stop watching, where that can be said."""
        for name in ("orders", "my_trades"):
            assert self.pro(f"un_watch_{name}", None, {"type": self.kind}) is True
        if self.kind == "swap":
            assert self.pro("un_watch_positions") is True
        assert self.exchange.orders is None
        assert self.exchange.myTrades is None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        self.pro.run(asyncio.gather(*self._tasks, return_exceptions=True))
        self.pro.__exit__()


def _picked(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _by_id(rows: list[Any], names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return {row["id"]: _picked(row, names) for row in rows}
