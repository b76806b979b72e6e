"""One owner's account of a venue in this process: orders, money, positions and their history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from venue.api import errors, own
from venue.api.contract import account as contract
from venue.api.contract import orders as contract_orders
from venue.api.operation import Row
from venue.api.spot import account as spot
from venue.api.spot import market as spot_market
from venue.api.spot import orders as spot_orders
from venue.client.errors import refusal
from venue.library import views
from venue.library.calls import check_count, row_of
from venue.library.chart import Chart, order_lines, position_lines
from venue.library.html import table
from venue.library.market import CONTRACT, SPOT, Asking, Market
from venue.library.results import (
    Balance,
    Bill,
    Equity,
    Fill,
    Income,
    Order,
    Place,
    Placed,
    Position,
)
from venue.library.tables import Table

Money = str | int | Decimal
PAGE: Final = 100  # rows of one call of bills and income
FILLS_MAX: Final = 1_000  # and of spot fills
CONTRACT_FILLS_MAX: Final = 100
SIDES: Final = ("LONG", "SHORT")


class Account:
    """An owner's account. Made by `Venue.account`. Methods raise Refused and Misused."""

    __slots__ = ("_ask", "_equity", "_product", "name")

    def __init__(
        self,
        ask: Asking,
        name: str,
        product: Callable[[str], str],
        equity: Callable[[str], list[Equity]],
    ) -> None:
        self._ask = ask
        self._product = product
        self._equity = equity
        self.name = name

    def call(self, operation: str, /, **values: object) -> Any:
        """Call any row of the table of operations by its name, with parameters as on the wire.

        `call("set_leverage", symbol="BTCUSDT", marginType="CROSSED", crossLeverage="5")`
        """
        row: Row = row_of(operation)
        return self._ask(row, self.name, **values)

    # -- orders -----------------------------------------------------------------------------------

    def buy(self, symbol: str, quantity: Money, **terms: Any) -> Placed:
        """Buy at a `price`, or at the market without one; `terms` are those of `place`."""
        return self.place(symbol, "BUY", quantity, **terms)

    def sell(self, symbol: str, quantity: Money, **terms: Any) -> Placed:
        """Sell at a `price`, or at the market without one; `terms` are those of `place`."""
        return self.place(symbol, "SELL", quantity, **terms)

    def place(
        self,
        symbol: str,
        side: str,
        quantity: Money,
        *,
        price: Money | None = None,
        product: str = SPOT,
        position: str | None = None,
        time_in_force: str | None = None,
        client_id: str | None = None,
    ) -> Placed:
        """Place an order. One of a contract needs its `position`: LONG or SHORT."""
        values: dict[str, Any] = {
            "symbol": symbol,
            "side": side,
            "type": "MARKET" if price is None else "LIMIT",
            "quantity": quantity,
            "price": price,
            "timeInForce": time_in_force,
            "newClientOrderId": client_id,
        }
        product = self._product(product)
        if product == SPOT:
            if position is not None:
                values["positionSide"] = position  # refused by its name
            ack = self._ask(spot_orders.place_order, self.name, **values)
            return Placed(ack.order_id, ack.client_order_id, symbol, product)
        values["positionSide"] = position
        if price is not None and time_in_force is None:
            values["timeInForce"] = "GTC"
        taken = self._ask(contract_orders.place_contract_order, self.name, **values)
        return Placed(int(taken.order_id), taken.client_order_id, symbol, product)

    def cancel(self, order: Placed | Order | int, *, product: str = SPOT) -> None:
        """Cancel an open order; a bare id needs its `product`. Refused: the order is not open."""
        number, product = self._order_identity(order, product)
        if product == SPOT:
            self._ask(spot_orders.cancel_order, self.name, orderId=number)
        else:
            self._ask(contract_orders.cancel_contract_order, self.name, orderId=number)

    def order(self, order: Placed | Order | int, *, product: str = SPOT) -> Order:
        """Return the present state of an order, open or ended."""
        number, product = self._order_identity(order, product)
        if product == SPOT:
            return views.spot_order(self._ask(spot_orders.order, self.name, orderId=number))
        found = self._ask(contract_orders.contract_order, self.name, orderId=number)
        return views.contract_order(found)

    def orders(self, symbol: str | None = None, *, product: str = SPOT) -> list[Order]:
        """Return the open orders, oldest first; of contracts the first hundred."""
        if self._product(product) == SPOT:
            found = self._ask(spot_orders.open_orders, self.name, symbol=symbol)
            return [views.spot_order(order) for order in found]
        rows = self._ask(contract_orders.contract_open_orders, self.name, symbol=symbol)
        return [views.contract_order(order) for order in rows]

    def places(self, symbol: str | None = None, *, product: str = SPOT) -> list[Place]:
        """Return the places of the open orders in the queues at their prices, oldest first."""
        wanted = self._product(product)
        found = self._ask(own.places, self.name, product=wanted.upper(), symbol=symbol)
        return [views.place(place) for place in found]

    def _order_identity(self, order: object, product: str) -> tuple[int, str]:
        if isinstance(order, int):
            return order, self._product(product)
        if not isinstance(order, Placed | Order):
            rule = "must be a placed order, an order, or the int of its id"
            raise refusal(errors.invalid("order", rule))
        return order.order_id, order.product

    # -- money and positions ----------------------------------------------------------------------

    def balances(self, *, product: str = SPOT) -> list[Balance]:
        """Money by asset."""
        if self._product(product) == SPOT:
            found = self._ask(spot.account, self.name).balances
            return [views.spot_balance(balance) for balance in found]
        rows = self._ask(contract.contract_balance, self.name)
        return [views.contract_balance(balance) for balance in rows]

    def balance(self, asset: str = "USDT", *, product: str = SPOT) -> Balance:
        """Money in one asset; 0 for an asset that the owner does not have."""
        found = (row for row in self.balances(product=product) if row.asset == asset)
        nothing = Decimal(0)
        return next(found, Balance(asset, product, nothing, nothing, nothing, nothing))

    def positions(self) -> list[Position]:
        """Return all open positions."""
        return [views.position(row) for row in self._ask(contract.positions, self.name)]

    def position(self, symbol: str, side: str | None = None) -> Position | None:
        """Return the open position of a contract, of one `side` (LONG, SHORT) where both may be
        open; None for none."""
        if side not in (None, *SIDES):
            raise refusal(errors.invalid("side", f"must be {' or '.join(SIDES)}"))
        for row in self._ask(contract.position, self.name, symbol=symbol):
            if side in (None, row.side):
                return views.position(row)
        return None

    # -- history ----------------------------------------------------------------------------------

    def bills(self, limit: int = 1_000) -> Table[Bill]:
        """Movements of the spot wallet, newest first."""
        check_count("limit", limit, 0)
        return Table(Bill, islice(self._bills(), limit))

    def _bills(self) -> Iterator[Bill]:
        before: str | None = None
        while True:
            found = self._ask(spot.bills, self.name, limit=PAGE, before=before)
            yield from map(views.bill, found)
            if len(found) < PAGE:
                return
            before = found[-1].bill_id

    def income(self, limit: int = 1_000) -> Table[Income]:
        """Changes of contract collateral, newest first: results, fees, funding, transfers."""
        check_count("limit", limit, 0)
        return Table(Income, islice(self._income(), limit))

    def _income(self) -> Iterator[Income]:
        key: dict[str, object] = {}
        while True:
            page = self._ask(contract.income, self.name, limit=PAGE, **key)
            yield from map(views.income, page.items)
            if page.next_key is None:
                return
            key = {
                "nextKeyId": page.next_key.next_key_id,
                "nextKeyTime": page.next_key.next_key_time,
            }

    def fills(self, symbol: str, *, product: str = SPOT) -> Table[Fill]:
        """Own fills of a symbol, newest first: the last 1,000 of spot, 100 of a contract."""
        if self._product(product) == SPOT:
            found = self._ask(spot_orders.my_trades, self.name, symbol=symbol, limit=FILLS_MAX)
            (listed,) = self._ask(spot_market.exchange_info, "", symbol=symbol).symbols
            assets = listed.base_asset, listed.quote_asset
            return Table(Fill, (views.spot_fill(fill, *assets) for fill in found))
        limit = CONTRACT_FILLS_MAX
        rows = self._ask(contract_orders.user_trades, self.name, symbol=symbol, limit=limit)
        return Table(Fill, map(views.contract_fill, rows))

    def equity(self) -> Table[Equity]:
        """Return the account's worth over time, oldest first, and now. It is recorded since the
        first call of `Venue.account` for the owner, once every `equity_every` of venue time that
        was run through."""
        return Table(Equity, self._equity(self.name))

    # -- pictures ---------------------------------------------------------------------------------

    def chart(
        self, symbol: str, *, product: str = SPOT, interval: str = "1m", limit: int = 120
    ) -> Chart:
        """Return a picture of a market's newest candles with the account's fills, open orders and,
        of a contract, position."""
        which = self._product(product)
        candles = Market(self._ask, symbol, which).candles(interval, limit)
        lines = order_lines(self.orders(symbol, product=product))
        if which != SPOT:
            lines += position_lines(one for one in self.positions() if one.symbol == symbol)
        title = f"{symbol} {which}, {interval}: {self.name}"
        return Chart(title, candles, self.fills(symbol, product=product), lines)

    def __repr__(self) -> str:
        return f"<account of {self.name}>"

    def _repr_html_(self) -> str:
        money = [
            (row.product, row.asset, row.free, row.locked, row.total)
            for product in (SPOT, CONTRACT)
            for row in self.balances(product=product)
        ]
        held = [
            (row.symbol, row.side, row.size, row.entry_price, row.unrealized)
            for row in self.positions()
        ]
        shown = table(self.name, ("product", "asset", "free", "locked", "total"), money)
        if held:
            columns = ("contract", "side", "size", "entry", "unrealized")
            shown += table("Positions", columns, held)
        return shown
