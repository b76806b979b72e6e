"""Facts told by events alone: orders add up and the items of each wallet chain (rules 2.4, 10)."""

from __future__ import annotations

from venue.core.book.book import NEXT
from venue.core.engine import Engine
from venue.core.messages import events
from venue.core.messages.commands import Command, PlaceOrder
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event
from venue.vocabulary import OrderStatus, Side, Wallet

SPOT = 0


class OrderFacts:
    """One order as its events tell it, in lots."""

    def __init__(self, placed: events.OrderPlaced) -> None:
        self.placed = placed
        self.executed = 0
        self.canceled = 0
        self.status = OrderStatus.NEW

    @property
    def remaining(self) -> int:
        return self.placed.quantity - self.executed - self.canceled

    def become(self, status: OrderStatus) -> None:
        """Take a step of the life cycle (rule 3.10)."""
        assert int(status) in NEXT[int(self.status)], (self.status, status)
        self.status = status

    def fill(self, lots: int, remaining: int) -> None:
        assert lots > 0
        self.executed += lots
        assert self.remaining == remaining >= 0
        self.become(OrderStatus.PARTIALLY_FILLED if remaining else OrderStatus.FILLED)


class Facts:
    """All orders and the last balance of each wallet, folded from events."""

    def __init__(self) -> None:
        self.orders: dict[int, OrderFacts] = {}
        self.balances: dict[tuple[int, int, str], int] = {}
        self.fees: dict[str, int] = {}
        self.trade_id = self.bill_id = 10**15

    def fold(self, engine: Engine, command: Command, said: list[Event]) -> None:
        """Take in the events of one command."""
        for event in said:
            if isinstance(event, events.OrderPlaced):
                assert event.order_id not in self.orders
                self.orders[event.order_id] = OrderFacts(event)
            elif isinstance(event, events.Trade):
                self.trade(engine, event)
            elif isinstance(event, events.OrderClosed):
                self.close(event)
            elif isinstance(event, events.WalletMoved):
                self.bill(event.bill_id)
                self.item(event.uid, event.wallet, event.asset, event.amount, event.after)
            elif isinstance(event, Income):
                self.bill(event.bill_id)
                self.item(event.uid, Wallet.CONTRACT, event.asset, event.amount, event.balance)
        if isinstance(command, PlaceOrder) and said and isinstance(said[0], events.OrderPlaced):
            order = self.orders[said[0].order_id]
            left = said[0].quantity - order.executed - order.canceled
            assert left == said[0].resting
            assert left == 0 or order.status in (
                OrderStatus.NEW,
                OrderStatus.PARTIALLY_FILLED,
            )

    def trade(self, engine: Engine, event: events.Trade) -> None:
        maker, taker = self.orders[event.maker_order_id], self.orders[event.taker_order_id]
        assert event.price == maker.placed.price
        assert (maker.placed.uid, taker.placed.uid) == (event.maker_uid, event.taker_uid)
        maker.fill(event.quantity, event.maker_remaining)
        taker.fill(event.quantity, event.taker_remaining)
        assert event.trade_id == self.trade_id
        self.trade_id += 1
        market = engine.market(event.symbol)
        assert market is not None
        base, quote = market.instrument.base, market.instrument.quote
        lots = event.quantity * market.lot_atoms
        assert event.notional == event.price * event.quantity * market.unit_atoms
        bought = event.taker_side == Side.BUY
        buyer = event.taker_uid if bought else event.maker_uid
        seller = event.maker_uid if bought else event.taker_uid
        for number in range(4):
            self.bill(event.bill_id + number)
        self.item(buyer, SPOT, quote, -event.notional, event.buyer_quote_after)
        self.item(buyer, SPOT, base, lots - event.base_fee, event.buyer_base_after)
        self.item(seller, SPOT, base, -lots, event.seller_base_after)
        self.item(seller, SPOT, quote, event.notional - event.quote_fee, event.seller_quote_after)
        self.fees[base] = self.fees.get(base, 0) + event.base_fee
        self.fees[quote] = self.fees.get(quote, 0) + event.quote_fee

    def close(self, event: events.OrderClosed) -> None:
        order = self.orders[event.order_id]
        assert event.resting in (0, order.remaining)
        assert order.remaining > 0
        order.canceled = order.remaining
        order.become(OrderStatus(event.status))
        assert order.remaining == 0

    def bill(self, bill_id: int) -> None:
        assert bill_id == self.bill_id
        self.bill_id += 1

    def item(self, uid: int, wallet: int, asset: str, amount: int, after: int) -> None:
        before = self.balances.get((uid, wallet, asset), 0)
        assert after == before + amount, (uid, wallet, asset)
        self.balances[uid, wallet, asset] = after

    def agree(self, engine: Engine) -> None:
        """The engine's balances, fee account and open orders are those of the events."""
        ledger = engine.ledger
        for index, asset in enumerate(ledger.assets):
            assert ledger.fees[index] == self.fees.get(asset.name, 0)
            for uid, account in ledger.accounts.items():
                for wallet in range(3):
                    told = self.balances.get((uid, wallet, asset.name), 0)
                    assert account.total(wallet, index) == told
        live = {
            order_id: order.remaining
            for account in engine.spot.accounts.values()
            for order_id, order in account.orders.items()
        }
        unfinished = (OrderStatus.NEW, OrderStatus.PARTIALLY_FILLED)
        told_open = {
            order_id: order.remaining
            for order_id, order in self.orders.items()
            if order.status in unfinished
        }
        assert live == told_open
