"""The operator's acts in an incident, done between two requests of the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Final

from venue.crashtest.operator import OTHER, OWNER, Operator
from venue.crashtest.record import RecordedExchange

STEP_MS: Final = 60_000
STALE_MS: Final = 15_000  # longer than a posted index counts
PLENTY: Final = "100000000"
DUMPED: Final = "20"  # how much is sold at once, in units of the base asset
WHALE: Final = "carol"  # an owner that has nothing of her own
WHALE_SIZE: Final = "100"  # the size of a position that goes bankrupt
WHALE_MONEY: Final = "400000"
CRASH: Final = Decimal("0.3")

Market = tuple[str, str]  # product and symbol
Undo = Callable[[], Awaitable[None]]


class Acts:
    """The acts by their names; each returns whether it affected the bot. `later` holds the
    functions that end acts some requests later."""

    def __init__(self, operator: Operator, markets: list[Market]) -> None:
        self._operator = operator
        self._markets = markets
        self._contracts = [symbol for product, symbol in markets if product == "contract"]
        self.later: list[Undo] = []
        self._by_name: dict[str, Callable[[RecordedExchange], Awaitable[bool]]] = {
            "fill-before-cancel": lambda exchange: self._fill(exchange, Decimal(1)),
            "partial-fill-before-cancel": lambda exchange: self._fill(exchange, Decimal("0.5")),
            "clock-step": self._clock_step,
            "halt": self._halt,
            "dead-feed": self._dead_feed,
            "frozen": self._frozen,
            "money-gone": self._money_gone,
            "price-jump": self._price_jump,
            "funding": self._funding,
            "liquidation": self._liquidation,
            "deleveraging": self._deleveraging,
        }

    async def do(self, name: str, exchange: RecordedExchange) -> bool:
        """Do an act before a request is served; return whether it affected the bot."""
        return await self._by_name[name](exchange)

    async def _clock_step(self, _: RecordedExchange) -> bool:
        await self._operator.pass_time(STEP_MS)
        return True

    async def _halt(self, _: RecordedExchange) -> bool:
        operator = self._operator
        for product, symbol in self._markets:
            end = "_contract" if product == "contract" else ""
            await operator.ask(f"halt{end}", symbol=symbol, reason="crash test")

        async def resume() -> None:
            for product, symbol in self._markets:
                end = "_contract" if product == "contract" else ""
                await operator.ask(f"resume{end}", symbol=symbol)

        self.later.append(resume)
        return bool(self._markets)

    async def _dead_feed(self, _: RecordedExchange) -> bool:
        for symbol in self._contracts:
            await self._operator.ask("change_contract", symbol=symbol, indexSources=["silent"])
        if self._contracts:
            await self._operator.pass_time(STALE_MS)
        return bool(self._contracts)

    async def _frozen(self, _: RecordedExchange) -> bool:
        operator = self._operator
        await operator.ask("freeze_owner", owner=OWNER, frozen=True)

        async def thaw() -> None:
            await operator.ask("freeze_owner", owner=OWNER, frozen=False)

        self.later.append(thaw)
        return True

    async def _money_gone(self, _: RecordedExchange) -> bool:
        operator = self._operator
        account = await operator.ask_of_owner("account")
        for one in account["balances"]:
            await self._withdraw("SPOT", one["asset"], Decimal(one["free"]))
        for one in await operator.ask_of_owner("contract_balance"):
            await self._withdraw("CONTRACT", one["asset"], Decimal(one["availableBalance"]))
        return True

    async def _withdraw(self, wallet: str, asset: str, amount: Decimal) -> None:
        if amount > 0:
            values = {"owner": OWNER, "wallet": wallet, "asset": asset, "amount": f"{amount:f}"}
            await self._operator.ask("withdraw", **values)

    async def _price_jump(self, _: RecordedExchange) -> bool:
        for product, symbol in self._markets:
            if product == "contract":
                await self._operator.set_index(symbol, Decimal("0.9"))
            else:
                base = symbol.removesuffix("USDT")
                await self._give("SPOT", base, DUMPED)
                await self._trade(product, symbol, "SELL", "MARKET", quantity=DUMPED)
        await self._operator.pass_time(1_000)
        return bool(self._markets)

    async def _funding(self, _: RecordedExchange) -> bool:
        return await self._operator.to_funding() > 0 and bool(await self._operator.positions())

    async def _liquidation(self, _: RecordedExchange) -> bool:
        positions = await self._operator.positions()
        for one in await self._operator.ask_of_owner("contract_balance"):
            if positions:
                await self._withdraw("CONTRACT", one["asset"], Decimal(one["availableBalance"]))
        for one in positions:
            await self._operator.set_index(one["symbol"], _against(one["side"]))
        await self._operator.pass_time(2_000)
        return bool(positions) and len(await self._operator.positions()) < len(positions)

    async def _deleveraging(self, _: RecordedExchange) -> bool:
        """Make a large opposite position bankrupt, so that other positions on the bot's side are
        deleveraged."""
        positions = await self._operator.positions()
        if not positions:
            return False
        operator, held = self._operator, positions[0]
        symbol, asset = held["symbol"], held["asset"]
        await operator.ask("change_contract", symbol=symbol, adlPolicy="PRO_RATA")
        await self._give("CONTRACT", asset, WHALE_MONEY, WHALE)
        await self._give("CONTRACT", asset, PLENTY)
        losing = "SHORT" if held["side"] == "LONG" else "LONG"
        await self._whale(symbol, losing)
        await operator.set_index(symbol, _against(losing))
        await operator.pass_time(3_000)
        now = [one["size"] for one in await operator.positions() if one["id"] == held["id"]]
        return now != [held["size"]]

    async def _whale(self, symbol: str, side: str) -> None:
        """Open the whale's position against the other owner's, at the mark."""
        (view,) = [one for one in await self._operator.ask("contracts") if one["symbol"] == symbol]
        order = {"symbol": symbol, "type": "LIMIT", "quantity": WHALE_SIZE, "timeInForce": "GTC"}
        order["price"] = view["markPrice"]
        opens = {"LONG": "BUY", "SHORT": "SELL"}
        other = "SHORT" if side == "LONG" else "LONG"
        for name, position in ((OTHER, other), (WHALE, side)):
            body = {**order, "side": opens[position], "positionSide": position}
            await self._operator.ask("place_contract_order", name, **body)

    async def _fill(self, exchange: RecordedExchange, part: Decimal) -> bool:
        """Trade with the order that is about to be cancelled, or with the first one."""
        orders = await self._resting()
        wanted = [str(value) for value in exchange.values.values()]
        meant = [
            one for one in orders if str(one["orderId"]) in wanted or one["clientOrderId"] in wanted
        ]
        for order in (meant or orders)[:1]:
            await self._take(order, part)
            now = [one for one in await self._resting() if one["orderId"] == order["orderId"]]
            return not now or now[0]["executedQty"] != order["executedQty"]
        return False

    async def _resting(self) -> list[dict[str, Any]]:
        """Return the bot owner's orders that are in a book."""
        orders = await self._operator.open_orders()
        return [one for one in orders if one["product"] != "conditional"]

    async def _take(self, order: dict[str, Any], part: Decimal) -> None:
        """Fill a part of a resting order, after everything that has priority over it."""
        product, symbol = order["product"], order["symbol"]
        name = "contract_depth" if product == "contract" else "depth"
        book = await self._operator.ask(name, symbol=symbol, limit=200)
        price, bought = Decimal(order["price"]), order["side"] == "BUY"
        levels = [(Decimal(row[0]), Decimal(row[1])) for row in book["bids" if bought else "asks"]]
        better = [size for at, size in levels if (at > price if bought else at < price)]
        before = sum(better, Decimal(0))
        rest = Decimal(order["origQty"]) - Decimal(order["executedQty"])
        if product == "spot":
            await self._give("SPOT", symbol.removesuffix("USDT"), PLENTY)
        await self._give("SPOT" if product == "spot" else "CONTRACT", "USDT", PLENTY)
        side = "SELL" if bought else "BUY"
        quantity = f"{before + rest * part:f}"
        await self._trade(
            product, symbol, side, "LIMIT", quantity=quantity, price=order["price"],
            timeInForce="IOC",
        )  # fmt: skip

    async def _trade(self, product: str, symbol: str, side: str, kind: str, **more: str) -> None:
        body: dict[str, Any] = {"symbol": symbol, "side": side, "type": kind, **more}
        if product == "contract":
            body["positionSide"] = "SHORT" if side == "SELL" else "LONG"
            await self._operator.ask("place_contract_order", OTHER, **body)
        else:
            await self._operator.ask("place_order", OTHER, **body)

    async def _give(self, wallet: str, asset: str, amount: str, name: str = OTHER) -> None:
        values = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
        await self._operator.ask("deposit", **values)


def _against(side: str) -> Decimal:
    """Return the price factor that moves the market sharply against a position of this side."""
    return 1 - CRASH if side == "LONG" else 1 + CRASH
