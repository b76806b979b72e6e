"""Acts as the operator in a crash test: moves the clock and triggers incidents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from venue.api.documents.table import BY_NAME
from venue.crashtest.errors import CrashTestError
from venue.lab.credentials import credentials
from venue.scenario.asking import StepRequest, ask
from venue.scenario.expectation import OK_BELOW, StepAnswer

OWNER: Final = "alice"  # the owner that the bot trades for
OTHER: Final = "bob"  # the owner that trades against it
SOURCE: Final = "crashtest"  # the index source of a contract whose price an incident has set
POSTED_MS: Final = 5_000
STAMPS: Final = 20_000  # ms, as a scenario's


class Operator:
    """Calls operations as the operator and as owners. `time` is venue time (ms)."""

    def __init__(self, url: Callable[[], str], time: int) -> None:
        self.time = time
        self._url = url
        self._sent = 0
        self._posted: dict[str, str] = {}
        self._post_at = 0

    async def call(self, name: str, values: dict[str, Any], owner: str = "") -> StepAnswer:
        """Call an operation as the operator or as a demo account; return the answer."""
        key = credentials(owner, self._url())
        return await self._send(StepRequest(BY_NAME[name], values, key, self._stamp()))

    async def ask(self, name: str, by: str = "", /, **values: Any) -> Any:
        """Call an operation and return the body of its answer. CrashTestError: it is refused, or
        nothing answers."""
        return _body(name, await self.call(name, values, by))

    async def ask_of_owner(self, name: str, /, **values: Any) -> Any:
        """As `ask`, as the operator in the place of the bot's owner: the wire log tells it from the
        bot's requests. CrashTestError."""
        asked = StepRequest(BY_NAME[name], values, None, self._stamp(), OWNER)
        return _body(name, await self._send(asked))

    async def _send(self, asked: StepRequest) -> StepAnswer:
        return await asyncio.to_thread(ask, self._url(), asked)

    def _stamp(self) -> int:
        """Return a timestamp that no earlier request has."""
        self._sent += 1
        return self.time + self._sent % STAMPS

    async def pass_time(self, ms: int) -> None:
        """Advance venue time, and keep posting the indexes that were set."""
        until = self.time + ms
        while self.time < until:
            step = min([until, *([self._post_at] if self._posted else [])])
            if step > self.time:
                await self.ask("advance_clock", to=str(step))
                self.time = step
            if self._posted and self.time >= self._post_at:
                await self._post()

    async def to_funding(self) -> int:
        """Advance venue time to the next funding; return 1 if a settlement is recorded, otherwise
        0."""
        planned = await self.ask("advance_clock", to_next="funding", dry_run=True)
        await self.pass_time(planned["to"] - self.time)
        rows = await self.ask("funding_rates", symbol="BTCUSDT", limit=1)
        return len(rows)

    async def set_index(self, symbol: str, factor: Decimal) -> None:
        """Set a contract's index to a multiple of itself at once, and keep it there."""
        views = await self.ask("contracts")
        (view,) = [one for one in views if one["symbol"] == symbol]
        tick = Decimal(view["tickSize"])
        price = str((Decimal(view["indexPrice"]) * factor / tick).quantize(Decimal(1)) * tick)
        await self.ask("change_contract", symbol=symbol, indexSources=[SOURCE])
        body = {"symbol": symbol, "source": SOURCE, "price": price, "jump": True}
        await self.ask("post_index", **body)
        self._posted[symbol] = price
        self._post_at = self.time + POSTED_MS

    async def _post(self) -> None:
        self._post_at = self.time + POSTED_MS
        for symbol, price in self._posted.items():
            await self.ask("post_index", symbol=symbol, source=SOURCE, price=price)

    # -- the orders and positions of the owner ----------------------------------------------------

    async def open_orders(self) -> list[dict[str, Any]]:
        """Return the owner's open orders of both products, conditional ones too."""
        spot = await self.ask_of_owner("open_orders")
        contract = await self.ask_of_owner("contract_open_orders")
        waiting = await self.ask_of_owner("open_algos")
        return [
            *({"product": "spot", **one} for one in spot),
            *({"product": "contract", **one} for one in contract),
            *({"product": "conditional", **one} for one in waiting),
        ]

    async def positions(self) -> list[dict[str, Any]]:
        """Return the owner's open positions."""
        found: list[dict[str, Any]] = await self.ask("operator_positions", owner=OWNER)
        return found

    async def orders(self, markets: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """Return all orders of the owner in these markets, oldest first."""
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for product, symbol in markets:
            if product == "spot":
                rows = await self.ask_of_owner("all_orders", symbol=symbol, limit=1000)
            else:
                rows = await self.ask_of_owner("contract_order_history", symbol=symbol, limit=1000)
                rows += await self.ask_of_owner("contract_open_orders", symbol=symbol)
            for row in rows:
                found[product, int(row["orderId"])] = {"product": product, **row}
        return [found[key] for key in sorted(found, key=lambda key: key[1])]

    async def fills(self, markets: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """Return the owner's newest fills in these markets, oldest first."""
        found: list[dict[str, Any]] = []
        for product, symbol in markets:
            name = "my_trades" if product == "spot" else "user_trades"
            rows = await self.ask_of_owner(name, symbol=symbol, limit=100)
            found += [{"product": product, **row} for row in rows]
        return sorted(found, key=lambda row: int(row["id"]))


def _body(name: str, told: StepAnswer) -> Any:
    """Return the body of an answer. CrashTestError: it is a refusal, or there is none."""
    if not 0 < told.status < OK_BELOW:
        words = told.body.get("msg", told.body) if isinstance(told.body, dict) else told.body
        raise CrashTestError(f"{name}: {told.status} {words}")
    return told.body
