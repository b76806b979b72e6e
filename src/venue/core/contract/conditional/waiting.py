"""Stores conditional orders: how they are added, wait, change and end, and their queues (rule
8)."""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.records import Algo, Holding, Perpetual, Position, Terms, Waiting
from venue.core.counters import Counters
from venue.core.messages.commands import Exit
from venue.core.messages.contract_events import AlgoChanged, AlgoClosed, AlgoPlaced
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import (
    ALGO_ORDERS_PER_ACCOUNT_MAX,
    ALGO_ORDERS_PER_SYMBOL_MAX,
    ALGO_STOP_MARKET,
    ALGO_TAKE_PROFIT_MARKET,
    ALGO_TRAILING_STOP_MARKET,
    ALGO_UNTRIGGERED,
    CLIENT_ID_MEMORY_US,
    LONG,
    Reject,
)


def queue_of(source: int, *, rising: bool) -> int:
    """Return which of a contract's four queues a conditional order waits in."""
    return 2 * source + (0 if rising else 1)


def is_due(version: int, algo: Algo) -> bool:
    """Return whether a conditional order in the list of due orders is still the version that was
    put there."""
    return algo.status == ALGO_UNTRIGGERED and algo.version == version


def wait(algo: Algo) -> None:
    """Put a conditional order into the queue of its trigger, and remove it from any other; a
    trailing stop joins those that follow its price."""
    if algo.type == ALGO_TRAILING_STOP_MARKET:
        algo.perp.trailing.add(
            algo.algo_id, algo, queue_of(algo.source, rising=algo.rising), algo.callback_ppm,
            activation=algo.price, extreme=algo.extreme,
        )  # fmt: skip
        return
    stop_waiting(algo)
    algo.version += 1
    algo.queue = queue_of(algo.source, rising=algo.rising)
    algo.key = algo.trigger_price if algo.rising else -algo.trigger_price
    algo.perp.waiting[algo.queue].add((algo.key, algo.algo_id, algo))


def waits(perp: Perpetual) -> bool:
    """Return whether a contract has any conditional order that has not entered yet."""
    if perp.due_algos or perp.trailing.trails:
        return True
    return any(queue.count for queue in perp.waiting)


def stop_waiting(algo: Algo) -> None:
    """Remove a conditional order from its queue or list; an order that ended stays in none."""
    if algo.algo_id in algo.perp.trailing.trails:
        follow(algo)
        algo.perp.trailing.remove(algo.algo_id)
    if algo.queue >= 0:
        algo.perp.waiting[algo.queue].remove((algo.key, algo.algo_id, algo))
        algo.queue = -1


def follow(algo: Algo) -> None:
    """Update a trailing stop to the best price that it has followed to; do nothing unless it
    waits."""
    if algo.algo_id in algo.perp.trailing.trails:
        algo.extreme, algo.trigger_price = algo.perp.trailing.prices_of(algo.algo_id)


def enroll(algo: Algo) -> AlgoPlaced:
    """Add a conditional order to its owner's, and put it into its queue."""
    holding = algo.holding
    assert algo.algo_id not in holding.algos, f"conditional order {algo.algo_id} waits already"
    holding.algos[algo.algo_id] = algo
    if algo.client_id:
        holding.algo_clients[algo.client_id] = algo
    if algo.position is not None:
        algo.position.algos[algo.algo_id] = algo
    wait(algo)
    return AlgoPlaced(
        algo.algo_id, holding.account.uid, algo.perp.symbol, algo.side, algo.position_side,
        algo.type, algo.quantity, algo.trigger_price, algo.price, algo.source, algo.client_id,
        algo.rising, algo.parent_id,
        algo.position.position_id if algo.position is not None else 0,
        algo.take_profit.trigger_price, algo.take_profit.source,
        algo.stop_loss.trigger_price, algo.stop_loss.source, algo.callback_ppm,
    )  # fmt: skip


def leave(algo: Algo, status: int, time: int) -> None:
    """End a conditional order."""
    assert algo.status == ALGO_UNTRIGGERED, f"conditional order {algo.algo_id} ends twice"
    algo.status = status
    algo.update_time = time
    algo.holding.algos.pop(algo.algo_id, None)
    stop_waiting(algo)
    if algo.client_id:
        gone = algo.perp.ended_algos.keep(algo.holding.account.uid, algo.algo_id, algo)
        if gone is not None:
            _forget(gone)
    if algo.position is not None:
        algo.position.algos.pop(algo.algo_id, None)
    if algo.sibling is not None:
        algo.sibling.sibling = None
        algo.sibling = None


def end(algo: Algo, status: int, time: int) -> AlgoClosed:
    """End a conditional order that was not triggered."""
    leave(algo, status, time)
    return AlgoClosed(algo.algo_id, algo.holding.account.uid, algo.perp.symbol, status)


def change_event(algo: Algo) -> AlgoChanged:
    """Return the event of a change."""
    return AlgoChanged(
        algo.algo_id, algo.holding.account.uid, algo.perp.symbol, algo.type, algo.trigger_price,
        algo.price, algo.source, algo.rising, algo.quantity,
    )  # fmt: skip


def update_exits(
    order: Order[Terms], position: Position, lots: int, counters: Counters
) -> list[Event]:
    """Create an order's exits, or enlarge them, after the order has opened `lots` more (rule 8.3).

    Lots that it opens after one exit was triggered, or after its position closed, get separate
    exits. An exit that the owner cancelled is not created again for the same position.
    """
    terms = order.terms
    events: list[Event] = []
    if terms.exits_position == position.position_id:
        for algo in terms.attached:
            if algo.status == ALGO_UNTRIGGERED:
                algo.quantity += lots
                events.append(change_event(algo))
        return events
    terms.exits_position = position.position_id
    terms.attached = ()
    for exit_, type_ in (
        (terms.take_profit, ALGO_TAKE_PROFIT_MARKET),
        (terms.stop_loss, ALGO_STOP_MARKET),
    ):
        if exit_ is not None and exit_.trigger_price:
            algo = _exit(order, counters, lots, exit_, type_)
            algo.position = position
            terms.attached += (algo,)
            events.append(enroll(algo))
    if len(terms.attached) == 2:
        first, second = terms.attached
        first.sibling = second
        second.sibling = first
    return events


def _exit(order: Order[Terms], counters: Counters, lots: int, exit_: Exit, type_: int) -> Algo:
    terms = order.terms
    algo = Algo(
        counters.order, terms.holding, terms.perp, 1 - order.side, terms.position_side,
        type_, lots, order.update_time,
    )  # fmt: skip
    counters.order += 1
    algo.trigger_price = exit_.trigger_price
    algo.source = exit_.source
    algo.parent_id = order.order_id
    # A long's take-profit waits above, its stop below (rule 8.1).
    algo.rising = (type_ == ALGO_TAKE_PROFIT_MARKET) == (terms.position_side == LONG)
    return algo


def is_reached(queue: OrderedRows[Waiting], key: int) -> bool:
    """Return whether the trigger price of the first conditional order of a queue is reached."""
    first = queue.first()
    return first is not None and first[0] <= key


def next_reached(queue: OrderedRows[Waiting], key: int) -> Algo | None:
    """Remove and return the next conditional order whose price is reached; None if there is
    none."""
    first = queue.first()
    if first is None or first[0] > key:
        return None
    stop_waiting(first[2])
    return first[2]


def forget_ended(perp: Perpetual, time: int, most: int) -> int:
    """Forget the next client ids of conditional orders that ended more than a day ago (rule 3.6),
    at most so many; return how many. An older id that is left for a later tick no longer counts."""
    for count in range(most):
        oldest = perp.ended_algos.oldest()
        if oldest is None or oldest.update_time > time - CLIENT_ID_MEMORY_US:
            return count
        _forget(perp.ended_algos.take_oldest())
    return most


def _forget(algo: Algo) -> None:
    """Forget the client id of an ended order, unless a newer order has it."""
    if algo.holding.algo_clients.get(algo.client_id) is algo:
        del algo.holding.algo_clients[algo.client_id]


def caps_refused(holding: Holding, perp: Perpetual, more: int) -> Rejected | None:
    """Return why an owner may not have `more` conditional orders in a contract (rule 8.5).

    The exits that open orders will get are already counted.
    """
    here = sum([1 for algo in holding.algos.values() if algo.perp is perp])
    everywhere = len(holding.algos)
    for order in holding.orders.values():
        terms = order.terms
        if terms.take_profit is not None and not terms.exits_position:
            promised = _exits(terms)
            everywhere += promised
            if terms.perp is perp:
                here += promised
    if here + more > ALGO_ORDERS_PER_SYMBOL_MAX:
        return Rejected(Reject.ALGO_ORDERS_SYMBOL, ALGO_ORDERS_PER_SYMBOL_MAX)
    if everywhere + more > ALGO_ORDERS_PER_ACCOUNT_MAX:
        return Rejected(Reject.ALGO_ORDERS_ACCOUNT, ALGO_ORDERS_PER_ACCOUNT_MAX)
    return None


def _exits(terms: Terms) -> int:
    """Return how many exits an order will get once it has opened something."""
    return sum(
        [1 for exit_ in (terms.take_profit, terms.stop_loss) if exit_ and exit_.trigger_price]
    )
