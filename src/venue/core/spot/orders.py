"""Spot rules: validate, match, settle, hold, cancel (rules 3 and 4)."""

from __future__ import annotations

from venue.core.book.book import NO_MATCH, Half, Level, sweep, sweep_others
from venue.core.book.client_ids import ClientIds, remembered
from venue.core.book.market import Market, malformed, worst_price
from venue.core.book.orders import Order
from venue.core.counters import Counters
from venue.core.ledger.accounts import Account, Balance
from venue.core.ledger.benefits import SPOT_PRODUCT
from venue.core.ledger.ledger import Ledger
from venue.core.messages.commands import CancelOrder, CancelOrders, PlaceOrder
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OrderRepeated,
    Rejected,
    Trade,
)
from venue.core.units import AMOUNT_MAX, PPM, ceil_div, fee_on
from venue.vocabulary import (
    BUY,
    CANCELED,
    EXPIRE_MAKER,
    EXPIRE_TAKER,
    EXPIRED,
    FILLED,
    FOK,
    GTC,
    LIMIT,
    MARKET,
    NEW,
    NO_PREVENTION,
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    PARTIALLY_FILLED,
    POST_ONLY,
    SELL,
    Reject,
)


class Spot:
    """The spot markets over one ledger."""

    __slots__ = ("client_ids", "counters", "ledger", "markets")

    def __init__(self, ledger: Ledger, counters: Counters) -> None:
        self.ledger = ledger
        self.counters = counters
        self.markets: dict[str, Market] = {}
        self.client_ids = ClientIds()

    # -- placing ---------------------------------------------------------------------------------

    def place(self, command: PlaceOrder) -> list[Event]:
        """Accept, match and rest an order, or refuse it with the first reason that applies."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        client_id = command.client_id
        if client_id:
            earlier = account.clients.get(client_id)
            if earlier is not None and remembered(earlier, command.time):
                return _repeat(earlier, command)
        if account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        market = self.markets.get(command.symbol)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if market.halted:
            return [Rejected(Reject.HALTED, 0, market.halt_reason)]
        order = Order(
            self.counters.order, account, market, command.side, command.type,
            command.time_in_force, command.quantity, command.price, client_id, command.time,
        )  # fmt: skip
        refused = malformed(order)
        if refused is not None:
            return [refused]
        if order.type == MARKET:
            return self._place_market(order, market)
        return self._place_limit(order, market)

    def _place_limit(self, order: Order, market: Market) -> list[Event]:
        """Rest what does not trade at once; an order that does goes on to `_take`."""
        account = order.account
        side = order.side
        tif = order.time_in_force
        quantity = order.quantity
        price = order.price
        notional = price * quantity * market.unit_atoms
        if notional > AMOUNT_MAX:
            return [Rejected(Reject.NOTIONAL_MAX, AMOUNT_MAX)]
        band = worst_price(market, side)
        if band and (price > band if side == BUY else price < band):
            return [Rejected(Reject.PRICE_BAND, band)]
        if account.open_count[market.index] >= OPEN_ORDERS_PER_SYMBOL_MAX:
            return [Rejected(Reject.OPEN_ORDERS_SYMBOL, OPEN_ORDERS_PER_SYMBOL_MAX)]
        if len(account.orders) >= OPEN_ORDERS_PER_ACCOUNT_MAX:
            return [Rejected(Reject.OPEN_ORDERS_ACCOUNT, OPEN_ORDERS_PER_ACCOUNT_MAX)]
        if side == BUY:
            limit_key = -price
            opposite = market.book.asks
            balance = account.spot[market.quote]
            need = notional
        else:
            limit_key = price
            opposite = market.book.bids
            balance = account.spot[market.base]
            need = quantity * market.lot_atoms
        keys = opposite.keys
        crossing = bool(keys) and keys[-1] >= limit_key
        if crossing and tif == POST_ONLY:
            return [Rejected(Reject.WOULD_TRADE)]
        if balance.free < need:
            return [Rejected(Reject.FUNDS)]
        if crossing or (tif != GTC and tif != POST_ONLY):
            if tif == FOK and self._reachable(account, opposite, limit_key, quantity)[0] < quantity:
                limit_key = NO_MATCH
            return self._take(order, market, limit_key)
        order_id = order.order_id
        self.counters.order = order_id + 1
        self._rest(order, market, balance, need)
        return [
            OrderPlaced(
                order_id, account.uid, market.symbol, side, LIMIT, tif, quantity, price,
                order.client_id, quantity,
            )
        ]  # fmt: skip

    def _place_market(self, order: Order, market: Market) -> list[Event]:
        """Sweep to at most the band from the best price; needs the funds of the exact sweep."""
        account = order.account
        instrument = market.instrument
        if order.quantity > instrument.market_quantity_max:
            return [Rejected(Reject.MARKET_SIZE, instrument.market_quantity_max)]
        if account.open_count[market.index] >= OPEN_ORDERS_PER_SYMBOL_MAX:
            return [Rejected(Reject.OPEN_ORDERS_SYMBOL, OPEN_ORDERS_PER_SYMBOL_MAX)]
        if len(account.orders) >= OPEN_ORDERS_PER_ACCOUNT_MAX:
            return [Rejected(Reject.OPEN_ORDERS_ACCOUNT, OPEN_ORDERS_PER_ACCOUNT_MAX)]
        buy = order.side == BUY
        opposite = market.book.opposite(order.side)
        if not opposite.keys:
            return [Rejected(Reject.NO_LIQUIDITY)]
        best = opposite.keys[-1]
        band = instrument.market_band_ppm
        limit_key = -(-best * (PPM + band) // PPM) if buy else ceil_div(best * (PPM - band), PPM)
        lots, cost = self._reachable(account, opposite, limit_key, order.quantity)
        asset = market.quote if buy else market.base
        need = cost * market.unit_atoms if buy else lots * market.lot_atoms
        if account.spot[asset].free < need:
            return [Rejected(Reject.FUNDS)]
        return self._take(order, market, limit_key)

    def _take(self, order: Order, market: Market, limit_key: int) -> list[Event]:
        """Match an accepted order against the other side, then rest or close its remainder."""
        account = order.account
        self.counters.order = order.order_id + 1
        events: list[Event] = []
        stopped = self._match(order, market, limit_key, events)
        left = order.remaining
        tif = order.time_in_force
        rests = left > 0 and not stopped and order.type == LIMIT and tif in (GTC, POST_ONLY)
        if left == 0:
            order.status = FILLED
        elif rests:
            order.status = PARTIALLY_FILLED if left < order.quantity else NEW
        else:
            order.status = CANCELED if left < order.quantity and not stopped else EXPIRED
        if rests:
            buy = order.side == BUY
            need = left * (order.price * market.unit_atoms if buy else market.lot_atoms)
            balance = account.spot[market.quote if buy else market.base]
            self._rest(order, market, balance, need)
        elif order.client_id:
            account.clients[order.client_id] = order
            self.client_ids.keep(order)
        placed = OrderPlaced(
            order.order_id, account.uid, market.symbol, order.side, order.type, tif,
            order.quantity, order.price, order.client_id, left if rests else 0,
        )  # fmt: skip
        if left > 0 and not rests:
            events.append(
                OrderClosed(
                    order.order_id, account.uid, market.symbol, order.side, order.price,
                    order.status, 0,
                )
            )  # fmt: skip
        events.insert(0, placed)
        return events

    def _match(self, order: Order, market: Market, limit_key: int, events: list[Event]) -> bool:
        """Trade at the makers' prices, best first, oldest first (rule 3.2).

        Takes what was executed off the order; returns whether self-trade prevention stopped it.
        """
        account = order.account
        opposite = market.book.opposite(order.side)
        keys = opposite.keys
        levels = opposite.levels
        while order.remaining > 0 and keys and keys[-1] >= limit_key:
            key = keys[-1]
            maker = levels[key].head
            assert maker is not None
            if maker.account is account and account.self_trade != NO_PREVENTION:
                if account.self_trade != EXPIRE_TAKER:
                    del account.orders[maker.order_id]
                    events.append(self._close(maker, market, EXPIRED, order.time))
                if account.self_trade != EXPIRE_MAKER:
                    return True
                continue
            left = order.remaining
            lots = left if left < maker.remaining else maker.remaining
            events.append(self._fill(order, market, maker, lots))
            self._reduce(maker, market, lots, order.time)
        return False

    def _fill(self, order: Order, market: Market, maker_order: Order, lots: int) -> Trade:
        """Settle one fill in the ledger and state it."""
        taker = order.account
        maker = maker_order.account
        buy = order.side == BUY
        price = maker_order.price
        base_amount = lots * market.lot_atoms
        notional = price * lots * market.unit_atoms
        taker_ppm = taker.taker_ppm if taker.taker_ppm >= 0 else market.taker_ppm
        maker_ppm = maker.maker_ppm if maker.maker_ppm >= 0 else market.maker_ppm
        base = market.base
        quote = market.quote
        if buy:
            base_fee = fee_on(base_amount, taker_ppm)
            quote_fee = fee_on(notional, maker_ppm)
            buyer, seller, side = taker, maker, BUY
        else:
            base_fee = fee_on(base_amount, maker_ppm)
            quote_fee = fee_on(notional, taker_ppm)
            buyer, seller, side = maker, taker, SELL
        buyer_base, buyer_quote = buyer.spot[base], buyer.spot[quote]
        seller_base, seller_quote = seller.spot[base], seller.spot[quote]
        self.ledger.settle(
            buyer_base, buyer_quote, seller_base, seller_quote, side, base, quote, base_amount,
            notional, base_fee, quote_fee,
        )  # fmt: skip
        counters = self.counters
        trade_id = counters.trade
        counters.trade = trade_id + 1
        bill_id = counters.bill
        counters.bill = bill_id + 4
        if buyer.benefits is not None and buyer.benefits.inviter:
            self._share(buyer, base, base_fee, base_amount, order, maker_order)
        if seller.benefits is not None and seller.benefits.inviter:
            self._share(seller, quote, quote_fee, notional, order, maker_order)
        market.last_price = price
        order.remaining -= lots
        order.quote += notional
        maker_order.quote += notional
        buyer_quote_after = buyer_quote.free + buyer_quote.locked
        buyer_base_after = buyer_base.free + buyer_base.locked
        if taker is maker:  # its four bills chain (rule 2.4): the buyer's stand before the seller's
            buyer_quote_after -= notional - quote_fee
            buyer_base_after += base_amount
        return Trade(
            trade_id, market.symbol, price, lots, notional, side, maker_order.order_id,
            order.order_id, maker.uid, taker.uid, maker_order.remaining - lots, order.remaining,
            base_fee, quote_fee, bill_id, buyer_quote_after, buyer_base_after,
            seller_base.free + seller_base.locked, seller_quote.free + seller_quote.locked,
        )  # fmt: skip

    def _share(
        self, account: Account, asset: int, fee: int, amount: int, order: Order, maker: Order
    ) -> None:
        """Note what the inviter of one side of a fill gets of its fee."""
        benefits = account.benefits
        assert benefits is not None
        buys = asset == order.market.base
        benefits.accrue(
            account, self.ledger.terms, (SPOT_PRODUCT, asset),
            ppm=self.ledger.share_of(benefits.inviter, SPOT_PRODUCT), fee=fee, amount=amount,
            maker=(maker.side == BUY) == buys, time=order.time,
        )  # fmt: skip

    def _reduce(self, maker: Order, market: Market, lots: int, time: int) -> None:
        """Take filled lots off a resting order; a full fill removes it."""
        maker.update_time = time
        if lots < maker.remaining:
            level: Level | None = maker.level
            assert level is not None
            level.quantity -= lots
            maker.remaining -= lots
            maker.status = PARTIALLY_FILLED
            return
        market.book.remove(maker)
        maker.remaining = 0
        maker.status = FILLED
        del maker.account.orders[maker.order_id]
        self._forget(maker, market)

    def _rest(self, order: Order, market: Market, balance: Balance, need: int) -> None:
        account = order.account
        self.ledger.hold(balance, need)
        account.orders[order.order_id] = order
        account.open_count[market.index] += 1
        if order.client_id:
            account.clients[order.client_id] = order
        market.book.rest(order)

    # -- ending ----------------------------------------------------------------------------------

    def cancel(self, command: CancelOrder) -> list[Event]:
        """End one open order of the owner."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        order_id: int = command.order_id
        if not order_id:
            named = account.clients.get(command.client_id)
            order_id = named.order_id if named is not None else 0
        order = account.orders.pop(order_id, None)
        if order is None:
            return [Rejected(Reject.ORDER_UNKNOWN)]
        return [self._close(order, order.market, CANCELED, command.time)]

    def cancel_all(self, command: CancelOrders) -> list[Event]:
        """End every open order of the owner in one symbol, oldest first."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        market = self.markets.get(command.symbol)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        orders = [order for order in account.orders.values() if order.market is market]
        for order in orders:
            del account.orders[order.order_id]
        return [self._close(order, market, CANCELED, command.time) for order in orders]

    def _close(self, order: Order, market: Market, status: int, time: int) -> OrderClosed:
        """End an order its owner no longer counts as open: out of the book, its hold back."""
        account = order.account
        market.book.remove(order)
        if order.side == BUY:
            need = order.price * order.remaining * market.unit_atoms
            self.ledger.release(account.spot[market.quote], need)
        else:
            need = order.remaining * market.lot_atoms
            self.ledger.release(account.spot[market.base], need)
        order.status = status
        order.update_time = time
        self._forget(order, market)
        return OrderClosed(
            order.order_id, account.uid, market.symbol, order.side, order.price, status,
            order.remaining,
        )  # fmt: skip

    def _forget(self, order: Order, market: Market) -> None:
        order.account.open_count[market.index] -= 1
        if order.client_id:
            self.client_ids.keep(order)

    # -- reach -----------------------------------------------------------------------------------

    def _reachable(
        self, account: Account, half: Half, limit_key: int, quantity: int
    ) -> tuple[int, int]:
        if account.self_trade == NO_PREVENTION:
            return sweep(half, limit_key, quantity)
        stop = account.self_trade != EXPIRE_MAKER
        return sweep_others(half, limit_key, quantity, account.uid, stop=stop)


def _repeat(earlier: Order, command: PlaceOrder) -> list[Event]:
    same = (
        earlier.market.symbol == command.symbol
        and earlier.side == command.side
        and earlier.type == command.type
        and earlier.time_in_force == command.time_in_force
        and earlier.quantity == command.quantity
        and earlier.price == command.price
    )
    if not same:
        return [Rejected(Reject.CLIENT_ID_USED, earlier.order_id)]
    return [OrderRepeated(earlier.order_id, command.uid, command.client_id, earlier.time)]
