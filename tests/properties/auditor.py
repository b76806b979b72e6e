"""An independent, slow model of the spot venue: it predicts each command's events exactly.

Plain dicts and lists, searched from end to end, and fractions; nothing of the core but its
commands, events and vocabulary. All faults of a command are collected, and `vocabulary.Reject`,
which stands in the order of the checks, says which one answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from properties.office import GREATEST_AMOUNT, MILLION, SPOT, Faults, Office, refuse
from venue.core.instruments import Instrument
from venue.core.messages import commands, events
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.vocabulary import OrderStatus, OrderType, Reject, SelfTrade, Side, TimeInForce

GREATEST_PRICE = 10**17
SECOND = 10**6
DAY = 24 * 3600 * SECOND
Order = dict[str, Any]
PER_SYMBOL, PER_ACCOUNT = 200, 1_000


class Auditor:
    """The venue as a list of orders and two tables of money."""

    def __init__(self) -> None:
        self.office = Office()
        self.orders: list[Order] = []  # every order ever accepted, in order of age
        self.last: dict[str, int] = {}  # prices of the last trades
        self.countdowns: dict[tuple[int, int], int] = {}  # deadlines by uid and product
        self.rules: dict[type, Callable[[Any], list[Event]]] = {
            commands.PlaceOrder: self.place,
            commands.CancelOrder: self.cancel,
            commands.CancelOrders: self.cancel_all,
            commands.SetCancelAfter: self.set_cancel_after,
            commands.Tick: self.tick,
            **self.office.rules,
            commands.FreezeOwner: self.freeze,
        }

    def apply(self, command: Command) -> list[Event]:
        """The events that the engine must answer to `command`."""
        return self.rules[type(command)](command)

    def freeze(self, command: commands.FreezeOwner) -> list[Event]:
        """A freeze ends the owner's orders, market by market."""
        said = self.office.freeze(command)
        if command.frozen and isinstance(said[0], events.OwnerFrozen):
            for symbol in self.office.instruments:
                said += self.cancel_all(
                    commands.CancelOrders(command.uid, symbol, time=command.time)
                )
        return said

    def set_cancel_after(self, command: commands.SetCancelAfter) -> list[Event]:
        if command.uid not in self.office.owners:
            return refuse({Reject.OWNER_UNKNOWN: 0})
        if command.timeout != 0 and not 5 * SECOND <= command.timeout <= DAY:
            return refuse({Reject.TIMEOUT: DAY})
        which = (command.uid, command.product)
        deadline = command.time + command.timeout if command.timeout else 0
        self.countdowns[which] = deadline
        return [events.CancelAfterSet(*which, deadline)]

    def tick(self, command: commands.Tick) -> list[Event]:
        """Orders whose countdown has run out end; this venue has no contracts."""
        said: list[Event] = []
        running = [(at, *which) for which, at in self.countdowns.items() if at]
        for at, uid, product in sorted(running):
            if at > command.time:
                break
            ends: list[Event] = []
            for symbol in self.office.instruments if product == SPOT else ():
                ends += self.cancel_all(commands.CancelOrders(uid, symbol, time=command.time))
            said += [events.CancelAfterDue(uid, product, at, len(ends)), *ends]
            self.countdowns[uid, product] = 0
        return said

    # -- numbers ---------------------------------------------------------------------------------

    def base_atoms(self, symbol: str, lots: int) -> int:
        listed = self.office.instruments[symbol]
        step = Fraction(listed.step, 10**listed.quantity_scale)
        return whole(lots * step * 10 ** self.office.assets[listed.base].scale)

    def quote_atoms(self, symbol: str, lots: int, price: int) -> int:
        listed = self.office.instruments[symbol]
        tick = Fraction(listed.tick, 10**listed.price_scale)
        step = Fraction(listed.step, 10**listed.quantity_scale)
        return whole(lots * step * price * tick * 10 ** self.office.assets[listed.quote].scale)

    # -- placing ---------------------------------------------------------------------------------

    def place(self, command: commands.PlaceOrder) -> list[Event]:
        earlier = self.remembered(command.uid, command.client_id, command.time)
        if earlier is not None:
            if earlier["content"] != content(command):
                return refuse({Reject.CLIENT_ID_USED: earlier["id"]})
            repeated = events.OrderRepeated(
                earlier["id"], command.uid, command.client_id, earlier["time"]
            )
            return [repeated]
        faults = self.faults(command)
        if faults:
            detail = ""
            if min(faults) == Reject.HALTED:
                detail = self.office.halted[command.symbol] or ""
            return refuse(faults, detail)
        return self.accept(command)

    def remembered(self, uid: int, client_id: str, time: int) -> Order | None:
        order: Order
        for order in reversed(self.orders):
            named = client_id and (order["uid"], order["client_id"]) == (uid, client_id)
            if named and (order["open"] or time - order["ended"] < DAY):
                return order
        return None

    def faults(self, command: commands.PlaceOrder) -> Faults:
        """Everything that is wrong with an order, as far as it can be told."""
        found: Faults = {}
        owner = self.office.owners.get(command.uid)
        if owner is None:
            return {Reject.OWNER_UNKNOWN: 0}
        if owner["frozen"]:
            found[Reject.ACCOUNT_FROZEN] = 0
        listed = self.office.instruments.get(command.symbol)
        if listed is None:
            return found | {Reject.SYMBOL_UNKNOWN: 0}
        if self.office.halted[command.symbol] is not None:
            found[Reject.HALTED] = 0
        if command.side not in list(Side):
            found[Reject.SIDE] = 0
        if command.type not in list(OrderType):
            found[Reject.TYPE] = 0
        if command.time_in_force not in list(TimeInForce):
            found[Reject.TIME_IN_FORCE] = 0
        if command.type == OrderType.MARKET and command.time_in_force in (
            TimeInForce.FOK,
            TimeInForce.POST_ONLY,
        ):
            found[Reject.TIME_IN_FORCE] = 0
        if command.quantity < listed.quantity_min:
            found[Reject.QUANTITY_MIN] = listed.quantity_min
        if command.quantity > listed.quantity_max:
            found[Reject.QUANTITY_MAX] = listed.quantity_max
        resting = [order for order in self.open() if order["uid"] == command.uid]
        if len(resting) >= PER_ACCOUNT:
            found[Reject.OPEN_ORDERS_ACCOUNT] = PER_ACCOUNT
        if len([order for order in resting if order["symbol"] == command.symbol]) >= PER_SYMBOL:
            found[Reject.OPEN_ORDERS_SYMBOL] = PER_SYMBOL
        if min(found, default=Reject.ORDER_UNKNOWN) <= Reject.TIME_IN_FORCE:
            return found  # the next checks depend on these
        if command.type == OrderType.MARKET:
            return found | self.market_faults(command, listed)
        return found | self.limit_faults(command, listed)

    def limit_faults(self, command: commands.PlaceOrder, listed: Instrument) -> Faults:
        found: Faults = {}
        if not 0 < command.price <= GREATEST_PRICE:
            found[Reject.PRICE] = GREATEST_PRICE
        notional = self.quote_atoms(command.symbol, command.quantity, command.price)
        if notional > GREATEST_AMOUNT:
            found[Reject.NOTIONAL_MAX] = GREATEST_AMOUNT
        band = self.band(command.symbol, command.side)
        if band is not None:
            outside = command.price > band if command.side == Side.BUY else command.price < band
            if outside:
                found[Reject.PRICE_BAND] = band
        best = self.best(command.symbol, command.side)
        crosses = best is not None and at_least_as_good(command.side, best["price"], command.price)
        if crosses and command.time_in_force == TimeInForce.POST_ONLY:
            found[Reject.WOULD_TRADE] = 0
        asset, need = listed.quote, notional
        if command.side == Side.SELL:
            asset, need = listed.base, self.base_atoms(command.symbol, command.quantity)
        if self.office.free.get((command.uid, SPOT, asset), 0) < need:
            found[Reject.FUNDS] = 0
        return found

    def market_faults(self, command: commands.PlaceOrder, listed: Instrument) -> Faults:
        found: Faults = {}
        if command.quantity > listed.market_quantity_max:
            found[Reject.MARKET_SIZE] = listed.market_quantity_max
        worst = self.worst(command)
        if worst is None:
            return found | {Reject.NO_LIQUIDITY: 0}
        fills = [(order, lots) for order, lots in self.plan(command, worst) if lots]
        asset = listed.quote
        need = sum(self.quote_atoms(command.symbol, lots, o["price"]) for o, lots in fills)
        if command.side == Side.SELL:
            asset = listed.base
            need = sum(self.base_atoms(command.symbol, lots) for _, lots in fills)
        if self.office.free.get((command.uid, SPOT, asset), 0) < need:
            found[Reject.FUNDS] = 0
        return found

    def band(self, symbol: str, side: int) -> int | None:
        """The worst price the aggressive side may name, or None (rule 3.9)."""
        reference: Fraction | int | None = self.last.get(symbol)
        listed = self.office.instruments[symbol]
        if reference is None:
            bid, ask = self.best(symbol, Side.SELL), self.best(symbol, Side.BUY)
            if bid is None or ask is None:
                return None
            reference = Fraction(bid["price"] + ask["price"], 2)
        if side == Side.BUY:
            return math.floor(reference * (1 + Fraction(listed.buy_band_ppm, MILLION)))
        return math.ceil(reference * (1 - Fraction(listed.sell_band_ppm, MILLION)))

    def worst(self, command: commands.PlaceOrder) -> int | None:
        """The worst price a MARKET order may take, or None when nobody is there (rule 3.4)."""
        best = self.best(command.symbol, command.side)
        if best is None:
            return None
        price: int = best["price"]
        band = Fraction(self.office.instruments[command.symbol].market_band_ppm, MILLION)
        if command.side == Side.BUY:
            return math.floor(price * (1 + band))
        return math.ceil(price * (1 - band))

    # -- matching --------------------------------------------------------------------------------

    def open(self) -> list[Order]:
        return [order for order in self.orders if order["open"]]

    def makers(self, symbol: str, taker_side: int) -> list[Order]:
        """The orders against a taker: best price first, then the oldest (rule 3.2)."""
        found = [o for o in self.open() if o["symbol"] == symbol and o["side"] != taker_side]
        if taker_side == Side.BUY:
            return sorted(found, key=lambda order: (order["price"], order["id"]))
        return sorted(found, key=lambda order: (-order["price"], order["id"]))

    def best(self, symbol: str, taker_side: int) -> Order | None:
        found = self.makers(symbol, taker_side)
        return found[0] if found else None

    def plan(self, command: commands.PlaceOrder, worst: int) -> list[tuple[Order, int]]:
        """The makers an order would meet, with the lots of each; 0 lots where the owner meets
        itself under self-trade prevention, which ends the plan unless the maker alone expires."""
        mode = self.office.owners[command.uid]["self_trade"]
        left = command.quantity
        steps: list[tuple[Order, int]] = []
        for maker in self.makers(command.symbol, command.side):
            if left == 0 or not at_least_as_good(command.side, maker["price"], worst):
                break
            if maker["uid"] == command.uid and mode != SelfTrade.NONE:
                steps.append((maker, 0))
                if mode != SelfTrade.EXPIRE_MAKER:
                    break
                continue
            lots = min(left, maker["left"])
            left -= lots
            steps.append((maker, lots))
        return steps

    def accept(self, command: commands.PlaceOrder) -> list[Event]:
        is_market = command.type == OrderType.MARKET
        worst = self.worst(command) if is_market else command.price
        assert worst is not None
        steps = self.plan(command, worst)
        in_full = sum(lots for _, lots in steps) == command.quantity
        if command.time_in_force == TimeInForce.FOK and not in_full:
            steps = []
        order: Order = {
            "id": self.office.number("order"),
            "uid": command.uid,
            "symbol": command.symbol,
            "side": command.side,
            "price": command.price,
            "left": command.quantity,
            "client_id": command.client_id,
            "time": command.time,
            "ended": command.time,
            "open": False,
            "content": content(command),
        }
        said: list[Event] = []
        stopped = False
        mode = self.office.owners[command.uid]["self_trade"]
        for maker, lots in steps:
            if lots:
                said.append(self.trade(order, maker, lots, command.time))
                continue
            if mode in (SelfTrade.EXPIRE_MAKER, SelfTrade.EXPIRE_BOTH):
                said.append(self.close(maker, OrderStatus.EXPIRED, command.time))
            stopped = mode != SelfTrade.EXPIRE_MAKER
        self.orders.append(order)
        rests = order["left"] > 0 and not stopped and not is_market
        rests = rests and command.time_in_force in (TimeInForce.GTC, TimeInForce.POST_ONLY)
        if rests:
            order["open"] = True
            order["most"] = max(self.rate(order, is_taker=taker) for taker in (False, True))
            self.hold(order, order["left"])
        elif order["left"]:
            partly = order["left"] < command.quantity and not stopped
            status = OrderStatus.CANCELED if partly else OrderStatus.EXPIRED
            said.append(closed(order, status, 0))
        placed = events.OrderPlaced(
            order["id"],
            command.uid,
            command.symbol,
            command.side,
            command.type,
            command.time_in_force,
            command.quantity,
            command.price,
            command.client_id,
            order["left"] if rests else 0,
        )
        return [placed, *said]

    def trade(self, taker: Order, maker: Order, lots: int, time: int) -> events.Trade:
        """Settle as four bills, one after the other, and the fee account (rules 4.2, 4.4)."""
        symbol = taker["symbol"]
        listed = self.office.instruments[symbol]
        price = maker["price"]
        base = self.base_atoms(symbol, lots)
        notional = self.quote_atoms(symbol, lots, price)
        self.hold(maker, -lots)
        taker["left"] -= lots
        maker["left"] -= lots
        maker["ended"] = time
        maker["open"] = maker["left"] > 0
        buyer, seller = (taker, maker) if taker["side"] == Side.BUY else (maker, taker)
        base_fee = self.fee(buyer, base, is_taker=buyer is taker)
        quote_fee = self.fee(seller, notional, is_taker=seller is taker)
        self.office.fees[listed.base] += base_fee
        self.office.fees[listed.quote] += quote_fee
        self.last[symbol] = price
        return events.Trade(
            self.office.number("trade"),
            symbol,
            price,
            lots,
            notional,
            taker["side"],
            maker["id"],
            taker["id"],
            maker["uid"],
            taker["uid"],
            maker["left"],
            taker["left"],
            base_fee,
            quote_fee,
            self.office.number("bill", 4),
            self.bill(buyer["uid"], listed.quote, -notional),
            self.bill(buyer["uid"], listed.base, base - base_fee),
            self.bill(seller["uid"], listed.base, -base),
            self.bill(seller["uid"], listed.quote, notional - quote_fee),
        )

    def fee(self, order: Order, amount: int, *, is_taker: bool) -> int:
        rate = self.rate(order, is_taker=is_taker)
        if not is_taker:  # an order that rests pays no more than when it came (rule 1.7)
            rate = min(rate, order["most"])
        return math.ceil(Fraction(amount * rate, MILLION))

    def rate(self, order: Order, *, is_taker: bool) -> int:
        """The rate of its owner now, in parts of a million."""
        rate: int = self.office.owners[order["uid"]]["tier"][is_taker]
        if rate >= 0:
            return rate
        listed = self.office.instruments[order["symbol"]]
        return listed.taker_ppm if is_taker else listed.maker_ppm

    def bill(self, uid: int, asset: str, amount: int) -> int:
        self.office.free[uid, SPOT, asset] = self.office.free.get((uid, SPOT, asset), 0) + amount
        return self.office.total(uid, asset)

    def hold(self, order: Order, lots: int) -> None:
        """Reserve what `lots` more need at the order's price; negative lots give back."""
        listed = self.office.instruments[order["symbol"]]
        asset, amount = listed.base, self.base_atoms(order["symbol"], lots)
        if order["side"] == Side.BUY:
            asset, amount = listed.quote, self.quote_atoms(order["symbol"], lots, order["price"])
        self.office.free[order["uid"], SPOT, asset] -= amount
        self.office.held[order["uid"], asset] = (
            self.office.held.get((order["uid"], asset), 0) + amount
        )

    # -- ending ----------------------------------------------------------------------------------

    def close(self, order: Order, status: OrderStatus, time: int) -> events.OrderClosed:
        self.hold(order, -order["left"])
        order["open"] = False
        order["ended"] = time
        return closed(order, status, order["left"])

    def cancel(self, command: commands.CancelOrder) -> list[Event]:
        if command.uid not in self.office.owners:
            return refuse({Reject.OWNER_UNKNOWN: 0})
        for order in self.open():
            named = order["id"] == command.order_id
            if not command.order_id:
                named = command.client_id != "" and order["client_id"] == command.client_id
            if named and order["uid"] == command.uid:
                return [self.close(order, OrderStatus.CANCELED, command.time)]
        return refuse({Reject.ORDER_UNKNOWN: 0})

    def cancel_all(self, command: commands.CancelOrders) -> list[Event]:
        if command.uid not in self.office.owners:
            return refuse({Reject.OWNER_UNKNOWN: 0})
        if command.symbol not in self.office.instruments:
            return refuse({Reject.SYMBOL_UNKNOWN: 0})
        wanted = (command.uid, command.symbol)
        mine = [order for order in self.open() if (order["uid"], order["symbol"]) == wanted]
        return [self.close(order, OrderStatus.CANCELED, command.time) for order in mine]


def closed(order: Order, status: OrderStatus, resting: int) -> events.OrderClosed:
    return events.OrderClosed(
        order["id"], order["uid"], order["symbol"], order["side"], order["price"], status, resting
    )


def content(command: commands.PlaceOrder) -> tuple[object, ...]:
    """The fields that make two orders under one client id the same (rule 3.6)."""
    return (
        command.symbol,
        command.side,
        command.type,
        command.time_in_force,
        command.quantity,
        command.price,
    )


def at_least_as_good(taker_side: int, price: int, limit: int) -> bool:
    return price <= limit if taker_side == Side.BUY else price >= limit


def whole(amount: Fraction) -> int:
    assert amount.denominator == 1, amount
    return amount.numerator
