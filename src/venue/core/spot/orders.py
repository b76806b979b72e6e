"""Spot rules: validate, match, settle, hold, cancel (rules 3 and 4)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Order
from venue.core.book.client_ids import ClientIds, is_remembered
from venue.core.book.matching import Match, within_band
from venue.core.counters import Counters
from venue.core.ledger.accounts import Account, Balance
from venue.core.ledger.benefits import Benefits
from venue.core.ledger.ledger import Ledger, fee_on
from venue.core.messages.commands import CancelOrder, CancelOrders, PlaceOrder
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OrderRepeated,
    Rejected,
    Trade,
)
from venue.core.spot.account import SpotAccount, SpotMarket, SpotOrder, most_ppm
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import (
    BUY,
    CANCELED,
    EXPIRED,
    FOK,
    GTC,
    LIMIT,
    MARKET,
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    POST_ONLY,
    PRODUCT_SPOT,
    SELL,
    Reject,
)

SpotFill = tuple[SpotOrder, int]  # a resting order and its lots; 0: it ends
SpotMatch = Match[SpotAccount, SpotFill]


class Liquidity:
    """The rules of the spot side: a resting order has locked the money it needs, so it trades."""

    __slots__ = ()

    def meet(self, maker: SpotOrder, lots: int) -> SpotFill:
        """Make a fill of a resting order and its lots."""
        return maker, lots

    def end(self, maker: SpotOrder) -> SpotFill:
        """Make the fill of an order that is to end: without lots."""
        return maker, 0


RULES: Final = Liquidity()


class ShownMatch:
    """Receives an accepted order and its match, which is then not executed. `match` is None for an
    order that would rest at once, `order` is None while no order was accepted."""

    __slots__ = ("match", "order")

    def __init__(self) -> None:
        self.order: SpotOrder | None = None
        self.match: SpotMatch | None = None


class Spot:
    """The spot markets over one ledger. `accounts` are the owners' spot sides, by uid."""

    __slots__ = ("accounts", "client_ids", "counters", "ledger", "markets")

    def __init__(self, ledger: Ledger, counters: Counters) -> None:
        self.ledger = ledger
        self.counters = counters
        self.markets: dict[str, SpotMarket] = {}
        self.accounts: dict[int, SpotAccount] = {}
        self.client_ids = ClientIds(_clients)

    def account(self, uid: int) -> SpotAccount | None:
        """Return an owner's spot side; create it on first use. None: there is no such owner."""
        own = self.accounts.get(uid)
        if own is not None:
            return own
        account = self.ledger.accounts.get(uid)
        return None if account is None else self.account_of(account)

    def account_of(self, account: Account) -> SpotAccount:
        """Return an account's spot side; create it on first use."""
        own = self.accounts.get(account.uid)
        if own is None:
            own = self.accounts[account.uid] = SpotAccount(account, len(self.markets))
        return own

    def open(self, market: SpotMarket) -> None:
        """Open a market, and add it to every account."""
        assert market.ordinal == len(self.markets), f"{market.symbol} is not the next market"
        self.markets[market.symbol] = market
        for own in self.accounts.values():
            own.open_count.append(0)

    # -- placing ---------------------------------------------------------------------------------

    def place(self, command: PlaceOrder, shown: ShownMatch | None = None) -> list[Event]:
        """Accept, match and rest an order, or refuse it with the first reason that applies.

        With `shown` nothing is executed, and an accepted order has no events.
        """
        own = self.accounts.get(command.uid) or self.account(command.uid)
        if own is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        client_id = command.client_id
        if client_id:
            earlier = own.clients.get(client_id)
            if earlier is not None and is_remembered(earlier, command.time):
                return _repeat(earlier, command)
        if own.account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        market = self.markets.get(command.symbol)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if market.halted:
            return [Rejected(Reject.HALTED, 0, market.halt_reason)]
        order = Order(
            self.counters.order, own.account.uid, market, command.side, command.type,
            command.time_in_force, command.quantity, command.price, client_id, command.time, own,
        )  # fmt: skip
        refused = order.fault()
        if refused is not None:
            return [refused]
        if order.type == MARKET:
            return self._place_market(order, market, shown)
        return self._place_limit(order, market, shown)

    def _place_limit(
        self, order: SpotOrder, market: SpotMarket, shown: ShownMatch | None
    ) -> list[Event]:
        """Rest an order that does not trade at once; pass one that does to `_take`."""
        own = order.terms
        side = order.side
        tif = order.time_in_force
        quantity = order.quantity
        price = order.price
        notional = price * quantity * market.unit_atoms
        if notional > AMOUNT_MAX:
            return [Rejected(Reject.NOTIONAL_MAX, AMOUNT_MAX)]
        # Only a price worse than the last one can be beyond the band.
        last = market.last_price
        if not last or (price > last if side == BUY else price < last):
            band = market.worst_price(side)
            if band and (price > band if side == BUY else price < band):
                return [Rejected(Reject.PRICE_BAND, band)]
        if own.open_count[market.ordinal] >= OPEN_ORDERS_PER_SYMBOL_MAX:
            return [Rejected(Reject.OPEN_ORDERS_SYMBOL, OPEN_ORDERS_PER_SYMBOL_MAX)]
        if len(own.orders) >= OPEN_ORDERS_PER_ACCOUNT_MAX:
            return [Rejected(Reject.OPEN_ORDERS_ACCOUNT, OPEN_ORDERS_PER_ACCOUNT_MAX)]
        book = market.book
        if side == BUY:
            crossing = price >= book.ask
            balance = own.account.spot[market.quote]
            need = notional
        else:
            crossing = price <= book.bid
            balance = own.account.spot[market.base]
            need = quantity * market.lot_atoms
        if crossing and tif == POST_ONLY:
            return [Rejected(Reject.WOULD_TRADE)]
        if balance.free < need:
            return [Rejected(Reject.FUNDS)]
        if crossing or (tif != GTC and tif != POST_ONLY):
            match: SpotMatch = Match(order, own.account.self_trade)
            if crossing:
                match.walk(price, RULES)
            if tif == FOK and match.lots < quantity:
                match.forget()
            return self._take(order, market, match, shown)
        if shown is not None:
            shown.order = order
            return []
        order_id = order.order_id
        self.counters.order = order_id + 1
        self._rest(order, market, balance, need)
        return [
            OrderPlaced(
                order_id, order.uid, market.symbol, side, LIMIT, tif, quantity, price,
                order.client_id, quantity,
            )
        ]  # fmt: skip

    def _place_market(
        self, order: SpotOrder, market: SpotMarket, shown: ShownMatch | None
    ) -> list[Event]:
        """Sweep at most to the band from the best price; the owner needs the exact funds."""
        own = order.terms
        instrument = market.instrument
        if order.quantity > instrument.market_quantity_max:
            return [Rejected(Reject.MARKET_SIZE, instrument.market_quantity_max)]
        if own.open_count[market.ordinal] >= OPEN_ORDERS_PER_SYMBOL_MAX:
            return [Rejected(Reject.OPEN_ORDERS_SYMBOL, OPEN_ORDERS_PER_SYMBOL_MAX)]
        if len(own.orders) >= OPEN_ORDERS_PER_ACCOUNT_MAX:
            return [Rejected(Reject.OPEN_ORDERS_ACCOUNT, OPEN_ORDERS_PER_ACCOUNT_MAX)]
        best = market.book.best(order.side)
        if not best:
            return [Rejected(Reject.NO_LIQUIDITY)]
        match: SpotMatch = Match(order, own.account.self_trade)
        match.walk(within_band(order.side, best, instrument.market_band_ppm), RULES)
        if order.side == BUY:
            cost = sum([maker.price * lots for maker, lots in match.fills])
            short = own.account.spot[market.quote].free < cost * market.unit_atoms
        else:
            short = own.account.spot[market.base].free < match.lots * market.lot_atoms
        if short:
            return [Rejected(Reject.FUNDS)]
        return self._take(order, market, match, shown)

    def _take(
        self, order: SpotOrder, market: SpotMarket, match: SpotMatch, shown: ShownMatch | None
    ) -> list[Event]:
        """Execute the match of an accepted order, then rest or close its remainder. Where
        `shown` is given, only put the order and its match there."""
        if shown is not None:
            shown.order = order
            shown.match = match
            return []
        self.counters.order = order.order_id + 1
        events: list[Event] = []
        for maker, lots in match.fills:
            if lots:
                events.append(self._fill(order, market, maker, lots))
                market.book.take(maker, lots, order.time)
                if maker.remaining == 0:
                    self._forget(maker, market)
            else:
                events.append(self._close(maker, market, EXPIRED, order.time))
        rests = match.conclude()
        left = order.remaining
        tif = order.time_in_force
        if rests:
            buy = order.side == BUY
            need = left * (order.price * market.unit_atoms if buy else market.lot_atoms)
            balance = order.terms.account.spot[market.quote if buy else market.base]
            self._rest(order, market, balance, need)
        elif order.client_id:
            order.terms.clients[order.client_id] = order
            self.client_ids.keep(order)
        placed = OrderPlaced(
            order.order_id, order.uid, market.symbol, order.side, order.type, tif,
            order.quantity, order.price, order.client_id, left if rests else 0,
        )  # fmt: skip
        if left > 0 and not rests:
            events.append(
                OrderClosed(
                    order.order_id, order.uid, market.symbol, order.side, order.price,
                    order.status, 0,
                )
            )  # fmt: skip
        events.insert(0, placed)
        return events

    def _fill(
        self, order: SpotOrder, market: SpotMarket, maker_order: SpotOrder, lots: int
    ) -> Trade:
        """Settle one fill in the ledger and append its event."""
        taker = order.terms.account
        maker = maker_order.terms.account
        buy = order.side == BUY
        price = maker_order.price
        base_amount = lots * market.lot_atoms
        notional = price * lots * market.unit_atoms
        taker_ppm = taker.taker_ppm if taker.taker_ppm >= 0 else market.taker_ppm
        maker_ppm = maker.maker_ppm if maker.maker_ppm >= 0 else market.maker_ppm
        if maker_ppm > maker_order.fee_ppm:
            maker_ppm = maker_order.fee_ppm  # it came before the rate was raised
        base, quote = market.base, market.quote
        if buy:
            buyer, seller, side = taker, maker, BUY
            base_fee, quote_fee = fee_on(base_amount, taker_ppm), fee_on(notional, maker_ppm)
        else:
            buyer, seller, side = maker, taker, SELL
            base_fee, quote_fee = fee_on(base_amount, maker_ppm), fee_on(notional, taker_ppm)
        buyer_base, buyer_quote = buyer.spot[base], buyer.spot[quote]
        seller_base, seller_quote = seller.spot[base], seller.spot[quote]
        if buy:
            self.ledger.settle(
                buyer_quote, buyer_base, seller_base, seller_quote, quote, base, notional,
                base_amount, base_fee, quote_fee,
            )  # fmt: skip
        else:
            self.ledger.settle(
                seller_base, seller_quote, buyer_quote, buyer_base, base, quote, base_amount,
                notional, quote_fee, base_fee,
            )  # fmt: skip
        counters = self.counters
        trade_id = counters.trade
        counters.trade = trade_id + 1
        bill_id = counters.bill
        counters.bill = bill_id + 4
        if buyer.benefits is not None and buyer.benefits.inviter:
            self._share(buyer.benefits, base, base_fee, amount=base_amount,
                        maker=not buy, time=order.time)  # fmt: skip
        if seller.benefits is not None and seller.benefits.inviter:
            self._share(seller.benefits, quote, quote_fee, amount=notional,
                        maker=buy, time=order.time)  # fmt: skip
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
        self, benefits: Benefits, asset: int, fee: int, *, amount: int, maker: bool, time: int
    ) -> None:
        """Record the inviter's share of the fee of one side of a fill."""
        ppm = self.ledger.share_of(benefits.inviter, PRODUCT_SPOT)
        benefits.accrue(
            (PRODUCT_SPOT, asset), rebate_ppm=0, ppm=ppm, fee=fee, amount=amount, maker=maker,
            time=time,
        )  # fmt: skip

    def _rest(self, order: SpotOrder, market: SpotMarket, balance: Balance, need: int) -> None:
        own = order.terms
        order.fee_ppm = most_ppm(own.account, market)
        self.ledger.hold(balance, need)
        own.orders[order.order_id] = order
        own.open_count[market.ordinal] += 1
        if order.client_id:
            own.clients[order.client_id] = order
        market.book.rest(order)

    # -- ending ----------------------------------------------------------------------------------

    def cancel(self, command: CancelOrder) -> list[Event]:
        """End one open order of the owner."""
        own = self.accounts.get(command.uid) or self.account(command.uid)
        if own is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        order_id: int = command.order_id
        if not order_id:
            named = own.clients.get(command.client_id)
            order_id = named.order_id if named is not None else 0
        order = own.orders.get(order_id)
        if order is None:
            return [Rejected(Reject.ORDER_UNKNOWN)]
        return [self._close(order, order.market, CANCELED, command.time)]

    def cancel_all(self, command: CancelOrders) -> list[Event]:
        """End every open order of the owner in one symbol, oldest first."""
        own = self.account(command.uid)
        if own is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        market = self.markets.get(command.symbol)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        orders = [order for order in own.orders.values() if order.market is market]
        return [self._close(order, market, CANCELED, command.time) for order in orders]

    def _close(self, order: SpotOrder, market: SpotMarket, status: int, time: int) -> OrderClosed:
        """End a resting order: remove it from the book and release its hold."""
        balances = order.terms.account.spot
        market.book.remove(order)
        if order.side == BUY:
            need = order.price * order.remaining * market.unit_atoms
            self.ledger.release(balances[market.quote], need)
        else:
            need = order.remaining * market.lot_atoms
            self.ledger.release(balances[market.base], need)
        order.become(status)
        order.update_time = time
        self._forget(order, market)
        return OrderClosed(
            order.order_id, order.uid, market.symbol, order.side, order.price, status,
            order.remaining,
        )  # fmt: skip

    def _forget(self, order: SpotOrder, market: SpotMarket) -> None:
        """Remove an order that no longer rests from its owner's records."""
        own = order.terms
        del own.orders[order.order_id]
        own.open_count[market.ordinal] -= 1
        if order.client_id:
            self.client_ids.keep(order)


def _clients(order: SpotOrder) -> dict[str, SpotOrder]:
    return order.terms.clients


def _repeat(earlier: SpotOrder, command: PlaceOrder) -> list[Event]:
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
