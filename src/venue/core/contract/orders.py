"""Contract orders: validate, match, rest, cancel (rules 3 and 5)."""

from __future__ import annotations

from typing import Any, Final

from venue.core.book.book import Market, Order
from venue.core.book.client_ids import ClientIds, is_remembered
from venue.core.book.matching import any_price, tighter
from venue.core.contract.admission import (
    attach_exits,
    choose_position,
    closing_refused,
    limit_refused,
    market_refused,
    opening_refused,
    short_of,
    solvent_price,
)
from venue.core.contract.collateral import Collateral
from venue.core.contract.fills import Fills
from venue.core.contract.order_plan import Plan, all_wait
from venue.core.contract.position import certain
from venue.core.contract.prices_in_doubt import Doubts, park
from venue.core.contract.records import Holding, Perpetual, Position, Terms
from venue.core.contract.reference.index import SPOT_SOURCE
from venue.core.contract.terms_fit import take_tiers
from venue.core.counters import Counters
from venue.core.ledger.ledger import Ledger
from venue.core.messages.commands import (
    NO_EXIT,
    CancelContractOrder,
    CancelContractOrders,
    PlaceContractOrder,
)
from venue.core.messages.contract_events import ContractOrderClosed, ContractOrderPlaced
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.units import part_up
from venue.vocabulary import (
    BUY,
    CANCELED,
    CAUSE_USER,
    FOK,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    POST_ONLY,
    SELL,
    Reject,
)

ASKED_MAX: Final = 800  # resting orders that one slice may ask; the order that does it is finished

# Compiled, a name of another module is looked up at every use, a constant of this one is not.
PLACED: Final = ContractOrderPlaced
CLOSED: Final = ContractOrderClosed


class ShownPlan:
    """Receives an accepted order and its plan, which are then not executed: `plan` is None for one
    that would rest at once; `order` is None while no order was accepted."""

    __slots__ = ("order", "plan")

    def __init__(self) -> None:
        self.order: Order[Terms] | None = None
        self.plan: Plan | None = None


class Contracts:
    """The contract markets over one ledger; the ids are shared by both products.

    `spot_markets` are the books that an index may follow. `faults` counts plans that did not fit
    the state: each is a defect, refused before any effect. `looked` counts the resting orders that
    plans examined: work that a slice bounds (`ASKED_MAX`). `unfinished` are the triggered orders of
    this command that later slices continue. None of these three is state between commands.
    """

    __slots__ = ("client_ids", "collateral", "counters", "faults", "fills", "ledger", "looked",
                 "markets", "spot_markets", "unfinished")  # fmt: skip

    def __init__(
        self, ledger: Ledger, counters: Counters, spot_markets: dict[str, Market[Any]]
    ) -> None:
        self.ledger = ledger
        self.counters = counters
        self.spot_markets = spot_markets
        self.collateral = Collateral(ledger, counters)
        self.fills = Fills(self.collateral)
        self.markets: dict[str, Perpetual] = {}
        self.client_ids = ClientIds(_clients)
        self.faults = 0
        self.looked = 0
        self.unfinished: list[Order[Terms]] = []

    def follow_books(self) -> None:
        """Connect each contract to the spot book that is a source of its index."""
        for perp in self.markets.values():
            follows = SPOT_SOURCE in perp.contract.index_sources and not perp.settles()
            perp.spot = self.spot_markets.get(perp.symbol) if follows else None

    # -- placing ---------------------------------------------------------------------------------

    def place(self, command: PlaceContractOrder, shown: ShownPlan | None = None) -> list[Event]:
        """Accept, match and rest an order, or refuse it with the first reason that applies.

        With `shown` nothing is executed, and an accepted order has no events.
        """
        collateral = self.collateral
        holding = collateral.holdings.get(command.uid) or collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        client_id = command.client_id
        if client_id:
            earlier = holding.clients.get(client_id)
            if earlier is not None and is_remembered(earlier, command.time):
                return _repeat(earlier, command)
        if holding.account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        perp = self.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        market = perp.market
        if market.halted:
            return [Rejected(Reject.HALTED, 0, market.halt_reason)]
        side = command.position_side
        terms = Terms(holding, holding.modes_in(perp), command.side, side, CAUSE_USER)
        order = Order(
            self.counters.order, holding.account.uid, market, command.side, command.type,
            command.time_in_force, command.quantity, command.price, client_id, command.time, terms,
        )  # fmt: skip
        refused = order.fault(side)
        if refused is not None:
            return [refused]
        if not terms.opens:
            refused = choose_position(terms, command.position_id)
        elif command.take_profit.trigger_price or command.stop_loss.trigger_price:
            refused = attach_exits(terms, command, perp)
        if refused is not None:
            return [refused]
        return self.enter(order, shown)

    def new_order(
        self, holding: Holding, perp: Perpetual, side: int, position_side: int, type_: int,
        time_in_force: int, quantity: int, price: int, cause: int, time: int,
    ) -> Order[Terms]:  # fmt: skip
        """Create an order under the next id; the id is used up only if the order is accepted."""
        assert quantity > 0 <= price, f"an order of {quantity} lots at {price}"
        terms = Terms(holding, holding.modes_in(perp), side, position_side, cause)
        return Order(
            self.counters.order, holding.account.uid, perp.market, side, type_, time_in_force,
            quantity, price, "", time, terms,
        )  # fmt: skip

    def closing_order(
        self, position: Position, type_: int, lots: int, price: int, cause: int, time: int
    ) -> Order[Terms]:
        """Create an IOC order that closes `lots` of a position, for any `cause`."""
        assert lots <= position.quantity, f"{lots} lots to close of {position.quantity}"
        order = self.new_order(
            position.pool.holding, position.perp, closing_side(position.side),
            position.side, type_, IOC, lots, price, cause, time,
        )  # fmt: skip
        order.terms.closes = position
        return order

    def enter(self, order: Order[Terms], shown: ShownPlan | None = None) -> list[Event]:
        """Match and rest a well-formed order, or refuse it: price, caps, liquidity, funds.

        Nothing changes when it is refused, or is only to be `shown`.
        """
        if order.type == MARKET:
            return self._enter_market(order, shown)
        terms = order.terms
        perp = terms.perp
        refused = limit_refused(order, perp)
        if refused is not None:
            return [refused]
        price = order.price
        crossing = perp.market.book.crosses(order.side, price)
        tif = order.time_in_force
        if crossing and tif == POST_ONLY and not all_wait(order, terms):
            return [Rejected(Reject.WOULD_TRADE)]
        closes = terms.closes
        if closes is None:
            refused = opening_refused(order, terms, price, order.quantity)
            if refused is None and not crossing and tif in (GTC, POST_ONLY):
                return self._rest_at_once(order, terms, shown)
        else:
            refused = closing_refused(order, terms, closes, crossing=crossing)
        if refused is not None:
            return [refused]
        plan = Plan(order, terms)
        if crossing:
            plan = self._make_plan(plan, price)
        if tif == FOK and plan.match.lots < order.quantity:
            plan = Plan(order, terms)
        return self._execute_if_affordable(order, terms, plan, shown)

    def _enter_market(self, order: Order[Terms], shown: ShownPlan | None) -> list[Event]:
        """Sweep the book, within the band of the best price that is liquidity and the band of the
        mark (rules 3.4, 3.9): a far order in a thin book is no liquidity."""
        terms = order.terms
        perp = terms.perp
        refused = market_refused(order, terms)
        closes = terms.closes
        if refused is None and closes is not None:
            refused = closing_refused(order, terms, closes, crossing=True)
        if refused is not None:
            return [refused]
        limit = perp.market.worst_price(order.side, perp.mark) or any_price(order.side)
        if terms.limit:
            limit = tighter(order.side, limit, terms.limit)
        band_ppm = perp.market.instrument.market_band_ppm
        plan = self._make_plan(Plan(order, terms), limit, band_ppm)
        met = plan.match
        if not met.lots and not met.prevented and (met.room or not plan.parked):
            return [Rejected(Reject.NO_LIQUIDITY)]
        if terms.opens:
            refused = opening_refused(order, terms, plan.worst, plan.match.lots)
            if refused is not None:
                return [refused]
        return self._execute_if_affordable(order, terms, plan, shown)

    def _make_plan(self, plan: Plan, limit: int, band_ppm: int = 0) -> Plan:
        """Plan an owner's order. A closing one leaves its pool the margin that it must keep."""
        order, closes = plan.order, plan.terms.closes
        if closes is not None:
            limit = tighter(order.side, limit, solvent_price(order, plan.terms, closes))
        plan.walk(limit, band_ppm)
        self.looked += plan.match.looked
        return plan if closes is None else plan.kept_solvent(closes)

    def _execute_if_affordable(
        self, order: Order[Terms], terms: Terms, plan: Plan, shown: ShownPlan | None
    ) -> list[Event]:
        """Execute a plan that its owner can pay and that fits the state."""
        if terms.opens and plan.match.lots:
            left = order.quantity - plan.match.lots
            rests = order.type == LIMIT and order.time_in_force == GTC and not plan.match.stopped
            rest = part_up(terms.whole_margin, left, order.quantity) if left and rests else 0
            if not plan.can_pay(rest):
                return [short_of(max(plan.cost() + rest, terms.whole_margin))]
        if plan.fault():
            self.faults += 1
            return [Rejected(Reject.PLAN_FAULT)]
        if shown is not None:
            shown.order = order
            shown.plan = plan
            return []
        if terms.opens and terms.perp.tiers_differ():
            self._take_tiers(terms)
        if terms.cause == CAUSE_USER or terms.closes is None:
            return self._execute(order, plan)
        match = plan.match
        terms.bounded = match.bounded
        terms.limit = match.limit if order.side == SELL else -match.limit
        events = self._clear_closing(terms.closes, order.quantity, order.time)
        events += self._execute(order, plan)
        return events

    def _rest_at_once(
        self, order: Order[Terms], terms: Terms, shown: ShownPlan | None
    ) -> list[Event]:
        """Place the common kind of order: one that opens, trades nothing and rests as a whole."""
        if shown is not None:
            shown.order = order
            return []
        if terms.perp.tiers_differ():
            self._take_tiers(terms)
        order_id = order.order_id
        self.counters.order = order_id + 1
        self._rest(order, terms)
        return [
            PLACED(
                order_id, order.uid, terms.perp.symbol, order.side, terms.position_side,
                LIMIT, order.time_in_force, order.quantity, order.price, order.client_id,
                order.quantity, terms.cause, terms.algo_id, 0,
            )
        ]  # fmt: skip

    def _take_tiers(self, terms: Terms) -> None:
        """Give the positions of an owner whose order opens the contract's present tiers, which they
        were found to fit (rule 1.7)."""
        take_tiers(terms.modes.longs + terms.modes.shorts, self.collateral)

    def may_trigger(self, symbol: str) -> bool:
        """Return whether conditional orders may enter after trades in a contract."""
        perp = self.markets[symbol]
        rising, falling = perp.waiting[0], perp.waiting[1]
        return bool(rising.count or falling.count or perp.trailing.trails or perp.due_algos)

    def take(self, order: Order[Terms], limit: int) -> list[Event]:
        """Match an order that needs no admission with the other side, up to the price `limit`."""
        terms = order.terms
        plan = Plan(order, terms).walk(limit)
        if plan.fault():
            self.faults += 1
            return []
        return self._execute(order, plan)

    def _execute(self, order: Order[Terms], plan: Plan) -> list[Event]:
        """Execute the plan, then rest or end the remainder."""
        terms = plan.terms
        counters = self.counters
        if counters.order <= order.order_id:
            counters.order = order.order_id + 1
        events: list[Event] = []
        book = terms.perp.market.book
        for fill in plan.match.fills:
            maker, lots = fill.maker, fill.lots
            if lots:
                self._release(maker, maker.terms, lots, fill.released)
                book.take(maker, lots, order.time)
                if maker.remaining == 0:
                    self._forget(maker, maker.terms)
                self.fills.fill(order, fill, events)
            else:
                events.append(self.close(maker, fill.status, order.time, fill.cause))
        if plan.match.lots and not plan.doubt and terms.perp.delisted is None:
            terms.perp.trigger_last = terms.perp.market.last_price
        if plan.parked:
            events += [park(maker) for maker in plan.parked]
        rests = plan.match.conclude()
        left = order.remaining
        tif = order.time_in_force
        if rests:
            self._rest(order, terms)
        elif order.client_id:
            terms.holding.clients[order.client_id] = order
            self.client_ids.keep(order)
        closes = terms.closes
        placed = PLACED(
            order.order_id, order.uid, terms.perp.symbol, order.side, terms.position_side,
            order.type, tif, order.quantity, order.price, order.client_id, left if rests else 0,
            terms.cause, terms.algo_id,
            closes.position_id if closes is not None else 0,
        )  # fmt: skip
        if left and not rests:
            events.append(
                CLOSED(
                    order.order_id, order.uid, terms.perp.symbol, order.side, order.price,
                    order.status, 0, terms.cause,
                )
            )  # fmt: skip
        events.insert(0, placed)
        if rests and closes is not None and not certain(closes.pool) and Doubts().holds(order):
            events.append(park(order))
        return events

    # -- resting ---------------------------------------------------------------------------------

    def _rest(self, order: Order[Terms], terms: Terms) -> None:
        holding = terms.holding
        perp = terms.perp
        modes = terms.modes
        left = order.remaining
        order.fee_ppm = holding.opening_rate(perp.market)
        position = terms.closes
        if position is None:
            margin = terms.whole_margin
            if left < order.quantity:
                margin = part_up(margin, left, order.quantity)
            terms.margin = margin
            self.ledger.reserve(terms.pool.cash, margin, order.price * (left * perp.unit))
            if terms.position_side == LONG:
                modes.opening_long += left
            else:
                modes.opening_short += left
        else:
            position.orders[order.order_id] = order
            position.closing += left
            assert position.closing <= position.quantity, f"{position.closing} lots to close"
        modes.open_orders += 1
        holding.orders[order.order_id] = order
        if order.client_id:
            holding.clients[order.client_id] = order
        perp.market.book.rest(order)

    def _release(self, order: Order[Terms], terms: Terms, lots: int, margin: int) -> None:
        """Release what a resting order holds for its next `lots`: `margin` atoms of its margin."""
        position = terms.closes
        if position is None:
            notional = order.price * (lots * terms.perp.unit)
            self.ledger.reserve(terms.pool.cash, -margin, -notional)
            terms.margin -= margin
            assert terms.margin >= 0, f"order {order.order_id} holds {terms.margin} atoms"
            if terms.position_side == LONG:
                terms.modes.opening_long -= lots
            else:
                terms.modes.opening_short -= lots
        else:
            position.closing -= lots
            assert position.closing >= 0, f"orders close {position.closing} lots"

    def _forget(self, order: Order[Terms], terms: Terms) -> None:
        """Remove an order that no longer rests from its owner's records."""
        del terms.holding.orders[order.order_id]
        terms.modes.open_orders -= 1
        if terms.closes is not None:
            terms.closes.orders.pop(order.order_id, None)
        if order.client_id:
            self.client_ids.keep(order)

    # -- ending ----------------------------------------------------------------------------------

    def cancel(self, command: CancelContractOrder) -> list[Event]:
        """End one open order of the owner."""
        collateral = self.collateral
        holding = collateral.holdings.get(command.uid) or collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        order_id: int = command.order_id
        orders, clients = holding.orders, holding.clients
        order = orders.get(order_id) if order_id else clients.get(command.client_id)
        if order is None or order.level is None:
            return [Rejected(Reject.ORDER_UNKNOWN)]
        return [self.close(order, CANCELED, command.time)]

    def cancel_all(self, command: CancelContractOrders) -> list[Event]:
        """End every open order of the owner, in one symbol or in all, oldest first."""
        holding = self.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.symbol and command.symbol not in self.markets:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        orders = [
            order
            for order in holding.orders.values()
            if (not command.symbol or order.market.symbol == command.symbol)
            and order.market.instrument.quote != command.without
        ]
        return [self.close(order, CANCELED, command.time) for order in orders]

    def close(
        self, order: Order[Terms], status: int, time: int, cause: int = CAUSE_USER
    ) -> ContractOrderClosed:
        """End a resting order: remove it from the book and release its hold."""
        terms = order.terms
        left = order.remaining
        market = order.market
        market.book.remove(order)
        self._release(order, terms, left, terms.margin)
        order.become(status)
        order.update_time = time
        self._forget(order, terms)
        return CLOSED(
            order.order_id, order.uid, market.symbol, order.side, order.price, status, left,
            cause,
        )  # fmt: skip

    def _clear_closing(self, position: Position, lots: int, time: int) -> list[Event]:
        """End closing orders, newest first, until `lots` are left to close (rule 5.1)."""
        events: list[Event] = []
        for order in list(position.orders.values())[::-1]:
            if position.free_lots() >= lots:
                break
            events.append(self.close(order, CANCELED, time))
        return events


def closing_side(position_side: int) -> int:
    """Return the side of orders that close a position of this side."""
    return SELL if position_side == LONG else BUY


def _clients(order: Order[Terms]) -> dict[str, Order[Terms]]:
    return order.terms.holding.clients


def _repeat(earlier: Order[Terms], command: PlaceContractOrder) -> list[Event]:
    terms = earlier.terms
    same = (
        earlier.market.symbol == command.symbol
        and earlier.side == command.side
        and terms.position_side == command.position_side
        and earlier.type == command.type
        and earlier.time_in_force == command.time_in_force
        and earlier.quantity == command.quantity
        and earlier.price == command.price
        and _same_terms(terms, command)
    )
    if not same:
        return [Rejected(Reject.CLIENT_ID_USED, earlier.order_id)]
    return [OrderRepeated(earlier.order_id, command.uid, command.client_id, earlier.time)]


def _same_terms(terms: Terms, command: PlaceContractOrder) -> bool:
    """Return whether a stored order has the exits of a command that opens, or the position of one
    that closes."""
    if not terms.opens:
        return terms.asked_position == command.position_id
    exits = (terms.take_profit or NO_EXIT, terms.stop_loss or NO_EXIT)
    return exits == (command.take_profit, command.stop_loss)
