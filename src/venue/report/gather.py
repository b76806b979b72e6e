"""Gathers the data of a report: asks a venue over its operations, each reply as it comes."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from functools import partial
from typing import Any, Final

import msgspec

from venue.api.documents.table import BY_NAME
from venue.api.operator.wire import WireEntry
from venue.bundle.gathering import wire_entries
from venue.client.blocking import Client
from venue.client.errors import FAILURES, Refused, Unreachable, words
from venue.client.operator_tokens import OPERATOR_TOKEN
from venue.report.data import (
    EquityCurve,
    ReportAbout,
    ReportBounds,
    ReportData,
    ReportFlag,
    ReportReply,
)
from venue.report.equity import Closes, closes, contract_equity, spot_equity
from venue.report.explained import Reasons
from venue.report.newest import PAGE, Newest, newest
from venue.report.reading import market_of, symbol_of

# Asks an operation by its name, for an owner or with "" as the operator. Any of FAILURES.
Ask = Callable[[str, str, dict[str, Any]], Any]
CONTRACT: Final = "contract"
SPOT: Final = "spot"
PATIENCE_S: Final = 60.0
EXPLAINED_S: Final = 8.0  # an explanation that takes longer is left out, and those after it
PUBLIC_ANSWER: Final = 400  # characters of the answer to a question that anybody may ask
OWNERS_MOST: Final = 6
MARKETS_MOST: Final = 6
CANDLES: Final = 1_000
ROWS: Final = 1_000  # of a list that tells so many at once
ORDINARY_UID: Final = 10_000_000  # the venue's own accounts lie below
QUIET: Final = ("advance_clock", "preview")  # they change nothing that a reader looks for


def gather(ask: Ask, about: ReportAbout, bounds: ReportBounds | None = None) -> ReportData:
    """Return what a venue tells of its run so far. Any of FAILURES: it does not tell its wire log
    or its clock."""
    return Gathering(ask, about).data(bounds or ReportBounds())


@contextmanager
def asking(url: str) -> Iterator[Ask]:
    """Yield a function that asks the venue at an address, as the operator of its machine. Any of
    FAILURES."""
    token = os.environ.get(OPERATOR_TOKEN, "")
    with ExitStack() as closing:
        clients: dict[str, Client] = {}

        def client(owner: str, timeout_s: float) -> Client:
            made = Client(url, operator_token=token, act_as=owner, timeout_s=timeout_s)
            return closing.enter_context(made)

        def ask(name: str, owner: str, values: dict[str, Any]) -> Any:
            if name.startswith("explain_"):
                return explains.ask_once(BY_NAME[name], values).value()
            if owner not in clients:
                clients[owner] = client(owner, PATIENCE_S)
            return clients[owner].ask(BY_NAME[name], values).value()

        explains = client("", EXPLAINED_S)

        yield ask


class Gathering:
    """One report in the making."""

    def __init__(self, ask: Ask, about: ReportAbout) -> None:
        self._ask = ask
        self._about = about
        self._replies: list[ReportReply] = []
        self._lacking: list[str] = []
        self._marks: Closes = {}
        self._lasts: Closes = {}

    def data(self, bounds: ReportBounds) -> ReportData:
        """Ask all. Any of FAILURES."""
        everything = self._wire()
        wire = [_shorten(one) for one in everything if not one.tool]
        clock = self._take("clock", must=True)
        self._take_faults()
        health = self._take("health") or {}
        owners = self._owners(wire)
        markets = self._markets(wire, owners)
        begin = min([one.time for one in wire], default=clock["time"])
        end = clock["time"]
        for product, symbol in markets:
            self._market(product, symbol)
        curves = [curve for name in owners for curve in self._owner(name, markets, (begin, end))]
        liquidations = self._liquidations(owners, begin)
        flags = [_act(one) for one in everything if _is_act(one)] + [
            ReportFlag(one["time"], "liquidation", f"{one['owner']}: liquidation of"
                       f" {one['symbol']}", number=one["id"])
            for one in liquidations
        ]  # fmt: skip
        reasons = Reasons(self._reason, time.monotonic() + bounds.seconds)
        self._lacking += reasons.take(wire, liquidations, bounds)
        return ReportData(
            title=self._about.title,
            verdict=self._about.verdict,
            commands=self._about.commands,
            seed=self._about.seed or self._seed(),
            version=health.get("version", ""),
            profile=health.get("profile", ""),
            begin=begin,
            end=max(end, begin),
            sequence=clock["sequence"],
            epoch=health.get("epoch", 0),
            owners=owners,
            markets=markets,
            wire=wire,
            flags=sorted(flags, key=lambda one: one.time),
            equity=curves,
            replies=self._replies,
            lacking=self._lacking,
        )

    def _take(self, name: str, owner: str = "", /, *, must: bool = False, **values: Any) -> Any:
        """Ask and keep the reply; None when it is refused, unless it `must` be had."""
        try:
            reply = self._ask(name, owner, values)
        except FAILURES as problem:
            if must:
                raise
            of = f" of {owner}" if owner else ""
            self._lacking.append(f"{name.replace('_', ' ')}{of}: {words(problem)}")
            return None
        self._replies.append(ReportReply(name, owner, values, reply))
        if owner and values.get("limit") == len(reply):
            self._lack_earlier(name, owner, f"the newest {len(reply)} are in it")
        return reply

    def _lack_earlier(self, name: str, owner: str, why: str) -> None:
        self._lacking.append(f"earlier {name.replace('_', ' ')} of {owner}: {why}")

    def _take_faults(self) -> None:
        """Keep the rules of faults, as they were before they were removed."""
        if self._about.faults:
            self._replies.append(ReportReply("faults", "", {}, self._about.faults))
        else:
            self._take("faults")

    def _reason(self, kind: str, identity: int) -> bool:
        """Keep an explanation; return whether there is one. Unreachable: it takes too long."""
        try:
            reply = self._ask(f"explain_{kind}", "", {"id": identity})
        except Unreachable:
            raise
        except FAILURES:
            return False
        self._replies.append(ReportReply(f"explain_{kind}", "", {"id": identity}, reply))
        return True

    def _wire(self) -> list[WireEntry]:
        """Return the entries of the wire log; none where none is kept."""
        try:
            return wire_entries(partial(self._ask, "wire", ""), self._about.after)
        except Refused as problem:
            self._lacking.append(f"the wire log: {words(problem)}")
            return []

    def _owners(self, wire: list[WireEntry]) -> list[str]:
        """Return the owners of the requests, the busiest first; without any the first owner."""
        counts = Counter(one.owner for one in wire if one.owner)
        try:
            rows = self._ask("owners", "", {})
        except FAILURES as problem:
            self._lacking.append(f"owners: {words(problem)}")
            rows = []
        names = [one["name"] for one in rows if one["uid"] >= ORDINARY_UID]
        found = [name for name, _ in counts.most_common() if name in names or not rows]
        if len(found) > OWNERS_MOST:
            self._lacking.append(f"accounts of {', '.join(found[OWNERS_MOST:])}")
        return found[:OWNERS_MOST] or names[:1]

    def _markets(self, wire: list[WireEntry], owners: list[str]) -> list[tuple[str, str]]:
        """Return the markets of requests and positions, the busiest first."""
        counts: Counter[tuple[str, str]] = Counter()
        for one in wire:
            symbol = symbol_of(one)
            if symbol:
                counts[market_of(one), symbol] += 10 if one.method != "GET" else 1
        known = {
            (product, symbol) for product in (CONTRACT, SPOT) for symbol in self._symbols(product)
        }
        found = [market for market, _ in counts.most_common() if market in known]
        if len(found) > MARKETS_MOST:
            left = ", ".join(f"{symbol} ({product})" for product, symbol in found[MARKETS_MOST:])
            self._lacking.append(f"markets {left}")
        return found[:MARKETS_MOST] or [(CONTRACT, "BTCUSDT")]

    def _symbols(self, product: str) -> list[str]:
        name = "contract_exchange_info" if product == CONTRACT else "exchange_info"
        try:
            return [one["symbol"] for one in self._ask(name, "", {})["symbols"]]
        except FAILURES as problem:
            self._lacking.append(f"markets: {words(problem)}")
            return []

    def _market(self, product: str, symbol: str) -> None:
        asked: dict[str, Any] = {"symbol": symbol, "interval": "1m", "limit": CANDLES}
        if product == CONTRACT:
            self._take("contract_klines", **asked)
            self._take("premium_index", symbol=symbol)
            self._marks[symbol] = closes(self._candles("mark_klines", asked))
        else:
            self._lasts[symbol] = closes(self._take("klines", **asked) or [])

    def _candles(self, name: str, asked: dict[str, Any]) -> list[Any]:
        """Return candles that the page does not show."""
        try:
            found: list[Any] = self._ask(name, "", asked)
        except FAILURES as problem:
            self._lacking.append(f"{name.replace('_', ' ')}: {words(problem)}")
            return []
        return found

    def _seed(self) -> str:
        try:
            return str(self._ask("bundle", "", {})["seed"])
        except FAILURES:
            return ""

    def _liquidations(self, owners: list[str], begin: int) -> list[dict[str, Any]]:
        found = [
            one
            for name in owners
            for one in self._take("liquidations", "", owner=name, limit=PAGE) or []
        ]
        return [one for one in found if one["time"] >= begin]

    # -- an account -------------------------------------------------------------------------------

    def _owner(
        self, name: str, markets: list[tuple[str, str]], span: tuple[int, int]
    ) -> list[EquityCurve]:
        """Ask for an account; return its equity over the run."""
        found = []
        for product in dict.fromkeys(product for product, _ in markets):
            symbols = [symbol for one, symbol in markets if one == product]
            points = (
                self._contracts(name, symbols, span)
                if product == CONTRACT
                else self._spot(name, symbols, span)
            )
            if points:
                found.append(EquityCurve(name, product, points))
        return found

    def _contracts(
        self, name: str, symbols: list[str], span: tuple[int, int]
    ) -> list[tuple[int, str]]:
        balance = self._take("contract_balance", name) or []
        positions = self._take("positions", name) or []
        self._take("operator_positions", "", owner=name)
        self._take("contract_open_orders", name)
        self._take("open_algos", name)
        lists = []
        for symbol in symbols:
            lists.append(self._newest("user_trades", name, span, symbol=symbol))
            self._take("contract_order_history", name, symbol=symbol, limit=ROWS)
        fills = [fill for one in lists for fill in one.items]
        incomes = self._newest("income", name, span)
        begin, end = max(one.since for one in (*lists, incomes)), span[1]
        equity = next((Decimal(one["balance"]) for one in balance if one["asset"] == "USDT"), None)
        if equity is None or any(one["symbol"] not in self._marks for one in positions):
            return []
        held = {symbol: Decimal(0) for symbol in symbols}
        for one in positions:
            held[one["symbol"]] += Decimal(one["size"]) * (1 if one["side"] == "LONG" else -1)
        return contract_equity((begin, end), (equity, held), incomes.items, fills, self._marks)

    def _spot(self, name: str, symbols: list[str], span: tuple[int, int]) -> list[tuple[int, str]]:
        account = self._take("account", name)
        self._take("open_orders", name)
        for symbol in symbols:
            self._take("my_trades", name, symbol=symbol, limit=ROWS)
            self._take("all_orders", name, symbol=symbol, limit=ROWS)
        bills = self._newest("bills", name, span)
        if account is None:
            return []
        now = {one["asset"]: Decimal(one["free"]) + Decimal(one["locked"])
               for one in account["balances"]}  # fmt: skip
        return spot_equity((bills.since, span[1]), now, bills.items, self._lasts)

    def _newest(self, name: str, owner: str, span: tuple[int, int], **values: Any) -> Newest:
        """Ask for the items of the run, and keep them as one page."""
        found = newest(partial(self._ask, name, owner), name, span, **values)
        if found.problem:
            self._lack_earlier(name, owner, found.problem)
        page = {"hasNextPage": False, "items": found.items, "nextKey": None}
        reply = page if name == "income" else found.items
        self._replies.append(ReportReply(name, owner, values, reply))
        return found


def _shorten(one: WireEntry) -> WireEntry:
    """Return an entry without the rest of an answer that everybody gets alike."""
    if one.owner or one.kind != "REQUEST" or len(one.answer) <= PUBLIC_ANSWER:
        return one
    changed = {"answer": one.answer[:PUBLIC_ANSWER], "cut": True}
    return msgspec.structs.replace(one, **changed)


def _is_act(one: WireEntry) -> bool:
    """Return whether an operator changed the venue, in another way than by letting time pass."""
    row = BY_NAME.get(one.operation)
    return (
        one.tool
        and row is not None
        and row.method != "GET"
        and one.operation not in QUIET
        and one.path.startswith("/_venue/")
        and one.status is not None
        and one.status < 300
    )


def _act(one: WireEntry) -> ReportFlag:
    return ReportFlag(one.time, "act", one.operation.replace("_", " "), one.text, one.number)
