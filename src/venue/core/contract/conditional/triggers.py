"""Conditional orders: placing, changing, cancelling, and entering when their price comes."""

from __future__ import annotations

from itertools import islice
from typing import Final

from venue.core.contract.admission import order_margin, short_of
from venue.core.contract.collateral import available
from venue.core.contract.conditional.trailing import Prices
from venue.core.contract.conditional.waiting import (
    caps_refused,
    change_event,
    end,
    enroll,
    follow,
    is_due,
    is_reached,
    leave,
    next_reached,
    stop_waiting,
    wait,
    waits,
)
from venue.core.contract.orders import ASKED_MAX, Contracts
from venue.core.contract.position import closed_now, find_position
from venue.core.contract.prices_in_doubt import widens
from venue.core.contract.records import Algo, Holding, Perpetual, Terms
from venue.core.messages.commands import CancelAlgo, CancelAlgos, ChangeAlgo, PlaceAlgo
from venue.core.messages.contract_events import AlgoTriggered
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.units import PRICE_MAX, ceil_div
from venue.vocabulary import (
    ALGO_CANCELED,
    ALGO_EXPIRED,
    ALGO_STOP,
    ALGO_STOP_MARKET,
    ALGO_TAKE_PROFIT,
    ALGO_TRAILING_STOP_MARKET,
    ALGO_TRIGGERED,
    ALGO_UNTRIGGERED,
    BUY,
    CAUSE_TRIGGER,
    CLIENT_ID_MEMORY_US,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARK_PRICE,
    MARKET,
    SELL,
    SEPARATED,
    SHORT,
    Reject,
)

CALLBACK_MAX_PPM: Final = 500_000
FIRED_MAX: Final = 50  # conditional orders that enter in one slice; the rest goes on at once
OWNER_SHARE: Final = 5  # of them, one owner's
SEEN_MAX: Final = 20  # due ones that are asked whether any goes on at once
HELD_MAX: Final = 100  # of these, closes that a price in doubt holds back
LOOKED_MAX: Final = 500  # due ones looked at in one slice: those beyond an owner's share stand back
NEEDS_MAX: Final = 10  # times what is available that an owner's opening ones may need together


class Triggers:
    """The conditional orders of all contracts."""

    __slots__ = ("contracts",)

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts

    # -- commands --------------------------------------------------------------------------------

    def place(self, command: PlaceAlgo) -> list[Event]:
        """Place a conditional order, or refuse it with the first reason that applies."""
        contracts = self.contracts
        holding = contracts.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.client_id:
            earlier = holding.algo_clients.get(command.client_id)
            if earlier is not None and _is_remembered(earlier, command.time):
                return _repeat(earlier, command)
        if holding.account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        perp = contracts.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if perp.market.halted:
            return [Rejected(Reject.HALTED, 0, perp.market.halt_reason)]
        refused = _refuse_malformed(command, perp) or caps_refused(holding, perp, 1)
        if refused is not None:
            return [refused]
        algo = _algo(contracts.counters.order, holding, perp, command)
        refused = self._direct(algo) or _beyond_means(algo)
        if refused is not None:
            return [refused]
        contracts.counters.order += 1
        return [enroll(algo)]

    def change(self, command: ChangeAlgo) -> list[Event]:
        """Replace the trigger of a waiting conditional order."""
        algo = self._find(command.uid, command.algo_id, "")
        if algo is None:
            return [Rejected(Reject.ALGO_UNKNOWN)]
        market = algo.perp.market
        if market.halted:
            return [Rejected(Reject.HALTED, 0, market.halt_reason)]
        if not 0 < command.trigger_price <= PRICE_MAX:
            return [Rejected(Reject.TRIGGER_PRICE, PRICE_MAX)]
        if not 0 <= command.price <= PRICE_MAX:
            return [Rejected(Reject.PRICE, PRICE_MAX)]
        if algo.type == ALGO_TRAILING_STOP_MARKET:
            return [Rejected(Reject.TYPE)]
        reference = _reference(algo.perp, command.source)
        if reference == 0:
            return [Rejected(Reject.NO_MARK)]
        rising = algo.rising
        if algo.position is None:
            rising = command.trigger_price > reference
        if _true_already(command.trigger_price, reference, rising=rising):
            return [Rejected(Reject.WOULD_TRIGGER, reference)]
        refused = _beyond_means(algo, command.price or command.trigger_price)
        if refused is not None:
            return [refused]
        algo.trigger_price = command.trigger_price
        algo.price = command.price
        algo.source = command.source
        algo.rising = rising
        # STOP and TAKE_PROFIT have a price, STOP_MARKET and TAKE_PROFIT_MARKET have none.
        algo.type = (algo.type // 2) * 2 + (0 if command.price else 1)
        algo.update_time = command.time
        wait(algo)
        return [change_event(algo)]

    def cancel(self, command: CancelAlgo) -> list[Event]:
        """Cancel one waiting conditional order."""
        algo = self._find(command.uid, command.algo_id, command.client_id)
        if algo is None:
            return [Rejected(Reject.ALGO_UNKNOWN)]
        return [end(algo, ALGO_CANCELED, command.time)]

    def cancel_all(self, command: CancelAlgos) -> list[Event]:
        """Cancel every waiting conditional order of the owner, in one symbol or in all."""
        holding = self.contracts.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.symbol and command.symbol not in self.contracts.markets:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        algos = [
            algo
            for algo in holding.algos.values()
            if (not command.symbol or algo.perp.symbol == command.symbol)
            and algo.perp.market.instrument.quote != command.without
        ]
        return [end(algo, ALGO_CANCELED, command.time) for algo in algos]

    # -- triggering ------------------------------------------------------------------------------

    def fire(self, perp: Perpetual, time: int) -> list[Event]:
        """Enter the conditional orders whose trigger price is reached: nearest first, then oldest
        (rule 8.2).

        The trades of one may trigger the next. A slice enters a bounded number, and of each owner
        at most a share, so that one owner's many do not delay another's stop. The others wait in
        `due_algos`, after those that the next slice finds, and enter in order at the price of that
        moment. Trailing stops are checked before a slice, and again after one that traded: those
        that are due then enter in the next.
        """
        if not waits(perp):
            return []
        events: list[Event] = []
        entered: dict[int, int] = {}
        room = FIRED_MAX
        most = self.contracts.looked + ASKED_MAX
        looks = LOOKED_MAX
        before = _follow(perp)
        while looks:
            algo = _next(perp, before) if room and self.contracts.looked < most else None
            if algo is None:
                break
            looks -= 1
            if not _is_blocked(algo) and _has_share(algo, entered):
                events += self._enter(algo, time)
                room -= 1
            else:
                perp.due_algos.append((algo.version, algo))
        held = HELD_MAX
        for _ in range(min(LOOKED_MAX, len(perp.due_algos))):
            if not room or not held or self.contracts.looked >= most or perp.market.halted:
                break
            version, algo = perp.due_algos.popleft()
            if not is_due(version, algo):
                continue  # it ended, or waits elsewhere since it was changed
            stays = _is_blocked(algo)
            held -= int(stays)
            if not stays and _has_share(algo, entered):
                events += self._enter(algo, time)
                room -= 1
            else:
                perp.due_algos.append((version, algo))
        if events and perp.trailing.trails:
            after = _follow(perp)
            algo = _next_trailing(perp, after)
            while algo is not None and looks:
                perp.due_algos.append((algo.version, algo))
                looks -= 1
                algo = _next_trailing(perp, after) if looks else None
        return events

    def pending(self, perp: Perpetual) -> bool:
        """Return whether a slice has left conditional orders that are due."""
        if perp.market.halted:
            return False
        if any(not _is_blocked(algo) for _, algo in islice(perp.due_algos, SEEN_MAX)):
            return True
        last, mark = prices = _prices(perp)
        for source, price in ((0, last), (1, mark)):
            if price and (
                is_reached(perp.waiting[2 * source], price)
                or is_reached(perp.waiting[2 * source + 1], -price)
            ):
                return True
        return perp.trailing.due(prices) is not None

    def _enter(self, algo: Algo, time: int) -> list[Event]:
        """Place a triggered order in the book, at market or at its price."""
        contracts = self.contracts
        perp = algo.perp
        position = algo.position
        sibling = algo.sibling
        events: list[Event] = []
        quantity = algo.quantity
        if position is not None:
            quantity = min(quantity or position.quantity, position.quantity)
        price = algo.price if algo.type in (ALGO_STOP, ALGO_TAKE_PROFIT) else 0
        trigger_price = algo.trigger_price
        leave(algo, ALGO_TRIGGERED, time)
        order = contracts.new_order(
            algo.holding, perp, algo.side, algo.position_side, LIMIT if price else MARKET,
            GTC if price else IOC, quantity, price, CAUSE_TRIGGER, time,
        )  # fmt: skip
        terms = order.terms
        terms.algo_id = algo.algo_id
        terms.closes = position
        if algo.take_profit.trigger_price or algo.stop_loss.trigger_price:
            terms.take_profit = algo.take_profit
            terms.stop_loss = algo.stop_loss
        refused = None
        if algo.holding.account.frozen:
            refused = Rejected(Reject.ACCOUNT_FROZEN)
        else:
            parent = _parent(algo)
            if parent is not None:
                parent.exits_position = 0  # lots it opens from now on get exits of their own
            said = contracts.enter(order)
            first = said[0]
            if isinstance(first, Rejected):
                refused = first
                if parent is not None and position is not None:
                    parent.exits_position = position.position_id
            else:
                events += said
                if terms.bounded:
                    contracts.unfinished.append(order)
        if refused is not None:
            algo.status = ALGO_EXPIRED
            reason = refused.reason
        else:
            reason = 0
            if sibling is not None and sibling.status == ALGO_UNTRIGGERED:
                events.append(end(sibling, ALGO_CANCELED, time))
        order_id = 0 if refused is not None else order.order_id
        events.append(
            AlgoTriggered(
                algo.algo_id, algo.holding.account.uid, perp.symbol, trigger_price, order_id, reason
            )
        )  # fmt: skip
        return events

    # -- one order -------------------------------------------------------------------------------

    def _direct(self, algo: Algo) -> Rejected | None:
        """Find the position that a closing order is for, the direction of its trigger (8.1), and
        the best price from which a trailing one follows (8.2)."""
        perp = algo.perp
        opens = (algo.side == BUY) == (algo.position_side == LONG)
        if not opens:
            if algo.holding.modes_in(perp).separated == SEPARATED:
                return Rejected(Reject.POSITION_ID_MISSING)
            algo.position = find_position(algo.holding.modes_in(perp), algo.position_side)
            if algo.position is None:
                return Rejected(Reject.NOTHING_TO_CLOSE)
        elif perp.delisted is not None:
            return Rejected(Reject.DELISTED)
        reference = _reference(perp, algo.source)
        if reference == 0:
            return Rejected(Reject.NO_MARK)
        if algo.type == ALGO_TRAILING_STOP_MARKET:
            algo.rising = algo.side == BUY
            # It knows the price at its placing, so that the next one may trigger it.
            if not algo.price or _true_already(algo.price, reference, rising=not algo.rising):
                algo.extreme = reference
            return None
        if opens:
            algo.rising = algo.trigger_price > reference
        else:
            stops = algo.type in (ALGO_STOP, ALGO_STOP_MARKET)
            algo.rising = stops == (algo.position_side == SHORT)
        if _true_already(algo.trigger_price, reference, rising=algo.rising):
            return Rejected(Reject.WOULD_TRIGGER, reference)
        return None

    def _find(self, uid: int, algo_id: int, client_id: str) -> Algo | None:
        holding = self.contracts.collateral.holding(uid)
        if holding is None:
            return None
        algo = holding.algos.get(algo_id) if algo_id else holding.algo_clients.get(client_id)
        return algo if algo is not None and algo.status == ALGO_UNTRIGGERED else None


def _algo(algo_id: int, holding: Holding, perp: Perpetual, command: PlaceAlgo) -> Algo:
    algo = Algo(
        algo_id, holding, perp, command.side, command.position_side, command.type,
        command.quantity, command.time,
    )  # fmt: skip
    algo.trigger_price = command.trigger_price
    algo.price = command.price
    algo.asked = (command.trigger_price, command.price, command.source)
    if command.type == ALGO_TRAILING_STOP_MARKET:
        algo.price = command.trigger_price  # from where on it follows
        algo.trigger_price = 0
    algo.source = command.source
    algo.client_id = command.client_id
    algo.take_profit = command.take_profit
    algo.stop_loss = command.stop_loss
    algo.callback_ppm = command.callback_ppm
    return algo


def _refuse_malformed(command: PlaceAlgo, perp: Perpetual) -> Rejected | None:
    market = perp.market
    for number in (command.quantity, command.trigger_price, command.price):
        assert type(number) is int, number
    if command.side != BUY and command.side != SELL:
        return Rejected(Reject.SIDE)
    if not 0 <= command.type <= ALGO_TRAILING_STOP_MARKET:
        return Rejected(Reject.TYPE)
    if command.position_side != LONG and command.position_side != SHORT:
        return Rejected(Reject.POSITION_SIDE)
    opens = (command.side == BUY) == (command.position_side == LONG)
    if command.quantity < market.quantity_min and (opens or command.quantity):
        return Rejected(Reject.QUANTITY_MIN, market.quantity_min)
    if command.quantity > market.quantity_max:
        return Rejected(Reject.QUANTITY_MAX, market.quantity_max)
    trails = command.type == ALGO_TRAILING_STOP_MARKET
    if trails and not 0 < command.callback_ppm <= CALLBACK_MAX_PPM:
        return Rejected(Reject.CALLBACK_RATE, CALLBACK_MAX_PPM)
    least = 0 if trails else 1  # an activation price may be left out
    if not least <= command.trigger_price <= PRICE_MAX:
        return Rejected(Reject.TRIGGER_PRICE, PRICE_MAX)
    least = 1 if command.type in (ALGO_STOP, ALGO_TAKE_PROFIT) else 0
    if not least <= command.price <= PRICE_MAX:
        return Rejected(Reject.PRICE, PRICE_MAX)
    for exit_ in (command.take_profit, command.stop_loss):
        if not 0 <= exit_.trigger_price <= PRICE_MAX:
            return Rejected(Reject.TRIGGER_PRICE, PRICE_MAX)
    return None


def _parent(algo: Algo) -> Terms | None:
    """Return the terms of the open order that an exit is attached to; None without one."""
    order = algo.holding.orders.get(algo.parent_id)
    return None if order is None else order.terms


def _prices(perp: Perpetual) -> Prices:
    """Return the prices that triggers are compared with, last and mark; 0: unknown."""
    return perp.trigger_last, perp.mark if perp.current else 0


def _follow(perp: Perpetual) -> Prices:
    """Update all trailing stops for the present prices, and return these prices."""
    if perp.market.halted:
        return 0, 0
    prices = _prices(perp)
    if perp.trailing.trails:
        perp.trailing.observe(prices)
    return prices


def _next(perp: Perpetual, before: Prices) -> Algo | None:
    """Remove and return the next order that is due: at the present prices, or for trailing stops at
    the prices `before` the slice, which they have followed."""
    if perp.market.halted:
        return None
    last, mark = _prices(perp)
    for source, price in ((0, last), (1, mark)):
        if not price:
            continue
        algo = next_reached(perp.waiting[2 * source], price)
        if algo is None:
            algo = next_reached(perp.waiting[2 * source + 1], -price)
        if algo is not None:
            return algo
    return _next_trailing(perp, before)


def _next_trailing(perp: Perpetual, prices: Prices) -> Algo | None:
    """Remove and return the next trailing stop that is due; all have followed these prices."""
    algo = perp.trailing.due(prices) if perp.trailing.trails else None
    if algo is not None:
        stop_waiting(algo)
    return algo


def _reference(perp: Perpetual, source: int) -> int:
    """Return the price that a trigger is compared with: the last price, or the mark before a first
    trade."""
    if source == MARK_PRICE:
        return perp.mark
    return perp.trigger_last or perp.mark


def _is_blocked(algo: Algo) -> bool:
    """Return whether doubt blocks a close: it would increase the exposure (rule 5.14)."""
    position, perp = algo.position, algo.perp
    if position is None or not closed_now(perp):
        return False
    lots = min(algo.quantity or position.quantity, position.quantity)
    return widens(algo.holding.modes_in(perp), position, position.side * lots)


def _has_share(algo: Algo, entered: dict[int, int]) -> bool:
    """Return whether the slice has room for one more order of its owner; if so, count it."""
    uid = algo.holding.account.uid
    count = entered.get(uid, 0)
    entered[uid] = count + 1
    return count < OWNER_SHARE


def _beyond_means(algo: Algo, price: int = 0) -> Rejected | None:
    """Return the refusal of an opening order that its owner could not pay (rule 8.6), or None.

    It reserves nothing, but alone it needs at most what is available now, and all of the owner's in
    the asset together need at most ten times as much.
    """
    if algo.position is not None:
        return None
    asset = algo.perp.asset
    free = available(algo.holding, asset)
    need = total = _need(algo, price)
    for other in algo.holding.algos.values():
        if other is not algo and other.position is None and other.perp.asset == asset:
            total += _need(other)
    if need > free:
        return short_of(need)
    return short_of(ceil_div(total, NEEDS_MAX)) if total > NEEDS_MAX * free else None


def _need(algo: Algo, price: int = 0) -> int:
    """Return the money that an opening conditional order needs at its own price, in atoms."""
    perp = algo.perp
    follow(algo)
    price = price or algo.price or algo.trigger_price or _reference(perp, algo.source)
    modes = algo.holding.modes_in(perp)
    return order_margin(
        algo.position_side, algo.quantity, price, 0, perp.unit, modes.leverage(algo.position_side),
        algo.holding.opening_rate(perp.market),
    )  # fmt: skip


def _true_already(trigger_price: int, reference: int, *, rising: bool) -> bool:
    return reference >= trigger_price if rising else reference <= trigger_price


def _is_remembered(algo: Algo, time: int) -> bool:
    return algo.status == ALGO_UNTRIGGERED or algo.update_time > time - CLIENT_ID_MEMORY_US


def _repeat(earlier: Algo, command: PlaceAlgo) -> list[Event]:
    same = (
        earlier.perp.symbol == command.symbol
        and earlier.side == command.side
        and earlier.position_side == command.position_side
        # A change may have given it a price or taken it away: STOP and STOP_MARKET are one kind.
        and earlier.type // 2 == command.type // 2
        and earlier.quantity == command.quantity
        and earlier.asked == (command.trigger_price, command.price, command.source)
        and earlier.callback_ppm == command.callback_ppm
        and earlier.take_profit == command.take_profit
        and earlier.stop_loss == command.stop_loss
    )
    if not same:
        return [Rejected(Reject.CLIENT_ID_USED, earlier.algo_id)]
    return [OrderRepeated(earlier.algo_id, command.uid, command.client_id, earlier.time)]
