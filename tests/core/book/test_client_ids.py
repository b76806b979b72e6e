"""Rule 3.6: how many client ids of ended orders are remembered, of whom, and which go first."""

from __future__ import annotations

import pytest

from support.trading import FOUNDING, trading
from venue.core.book.book import Order
from venue.core.book.client_ids import FORGOTTEN_MAX, ClientIds
from venue.core.engine import Engine
from venue.core.messages.commands import PlaceOrder, Tick
from venue.core.messages.events import OrderPlaced, OrderRepeated, Rejected
from venue.core.spot.account import SpotAccount
from venue.core.state import snapshot
from venue.core.units import FIRST_UID
from venue.vocabulary import CLIENT_ID_MEMORY_US, CLIENT_IDS_PER_OWNER_MAX, IOC, Reject

pytestmark = pytest.mark.core

ALICE, BOB = FIRST_UID, FIRST_UID + 1


def founded() -> Engine:
    engine = Engine()
    for command in trading(1, FOUNDING):
        engine.apply(command)
    return engine


def place(engine: Engine, uid: int, client_id: str, quantity: int = 5) -> object:
    """Place an order that finds nothing to take; return the first event."""
    order = PlaceOrder(uid, "BTCUSDT", 0, 0, IOC, quantity, 10_000, client_id)
    order.time = engine.time
    return engine.apply(order)[0]


def test_an_owners_many_push_out_its_own_oldest_alone() -> None:
    engine = founded()
    place(engine, ALICE, "first")
    for number in range(CLIENT_IDS_PER_OWNER_MAX + 1):
        place(engine, BOB, f"{number}")
    for going_on in (engine, snapshot.load(snapshot.dump(engine))):
        assert len(going_on.spot.client_ids.ended_orders()) == CLIENT_IDS_PER_OWNER_MAX + 1
        assert isinstance(place(going_on, ALICE, "first"), OrderRepeated)
        assert isinstance(place(going_on, BOB, "1"), OrderRepeated)
        refused = place(going_on, BOB, "1", quantity=6)
        assert isinstance(refused, Rejected)
        assert refused.reason == Reject.CLIENT_ID_USED
        assert isinstance(place(going_on, BOB, "0", quantity=6), OrderPlaced)
        assert isinstance(place(going_on, BOB, "1", quantity=6), OrderPlaced)
    assert snapshot.dump(engine) == snapshot.dump(going_on)


def test_all_are_forgotten_after_a_day_oldest_first() -> None:
    engine = founded()
    market = engine.spot.markets["BTCUSDT"]
    ids: ClientIds[SpotAccount] = ClientIds(lambda order: order.terms.clients)
    for time in range(1, 31):
        uid = FIRST_UID + time % 4
        account = engine.spot_account(uid)
        order = Order(time, uid, market, 0, 0, IOC, 5, 10_000, f"{time}", time, account)
        account.clients[order.client_id] = order
        ids.keep(order)
    for time in range(30):
        assert [order.order_id for order in ids.ended_orders()] == list(range(time + 1, 31))
        ids.expire(time + 1 + CLIENT_ID_MEMORY_US)
    assert ids.ended_orders() == []
    assert not any(account.clients for account in engine.spot.accounts.values())


def test_a_tick_forgets_a_bounded_number_and_the_others_count_no_more() -> None:
    """After a jump of a day 2,500 are due: they were forgotten in one command. An id that waits to
    be forgotten may be used again, and its new order is remembered."""
    engine = founded()
    count = 2 * FORGOTTEN_MAX + FORGOTTEN_MAX // 2
    for number in range(count):
        place(engine, ALICE, f"{number}")
    last = f"{count - 1}"
    assert isinstance(place(engine, ALICE, last), OrderRepeated)
    time = engine.time + CLIENT_ID_MEMORY_US
    for left in (3 * FORGOTTEN_MAX // 2, FORGOTTEN_MAX // 2 + 1, 1):
        engine.apply(Tick(time=time))
        assert len(engine.spot.client_ids.ended_orders()) == left
        said = place(engine, ALICE, last, quantity=6)
        assert isinstance(said, OrderPlaced if left > FORGOTTEN_MAX else OrderRepeated)
        engine = snapshot.load(snapshot.dump(engine))
    assert list(engine.spot_account(ALICE).clients) == [last]
