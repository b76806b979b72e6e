"""Settles contract trades: positions, collateral, fees, margin of isolated pools (rule 5)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Order
from venue.core.contract.collateral import Collateral
from venue.core.contract.conditional.waiting import end, update_exits
from venue.core.contract.margin import freed_margin, initial
from venue.core.contract.position import equity, follow, increase, notional, reduce, wallet
from venue.core.contract.records import Holding, Perpetual, Pool, Position, Terms
from venue.core.contract.reference.funding import before_change, settle_position
from venue.core.ledger.benefits import Benefits
from venue.core.ledger.ledger import fee_on
from venue.core.messages.contract_events import ContractTrade, Leg, PositionClosed
from venue.core.messages.events import Event
from venue.core.units import part_down
from venue.vocabulary import (
    ALGO_EXPIRED,
    BUY,
    CAUSE_DELISTING,
    CAUSE_LIQUIDATION,
    CAUSE_TAKEOVER,
    CAUSE_USER,
    CROSSED,
    INCOME_ORDER_FILL_FEE_INCOME,
    INCOME_ORDER_FIX_MARGIN_AMOUNT,
    ISOLATED,
    LONG,
    NEW,
    PRODUCT_CONTRACT,
    SELL,
)

# Compiled, a name of another module is looked up at every use, a constant of this one is not.
TRADE: Final = ContractTrade
LEG: Final = Leg


class Fill:
    """One planned match with a resting order: `lots` traded for `amount` atoms, each side's fee,
    and the margin that moves into an isolated position; `released` is what the resting order held
    for it. With 0 lots the resting order ends with `status` and `cause`."""

    __slots__ = ("amount", "cause", "lots", "maker", "maker_fee", "maker_margin", "released",
                 "status", "taker_fee", "taker_margin")  # fmt: skip

    def __init__(
        self, maker: Order[Terms], lots: int, amount: int, taker_fee: int, maker_fee: int
    ) -> None:
        self.maker = maker
        self.lots = lots
        self.amount = amount
        self.taker_fee = taker_fee
        self.maker_fee = maker_fee
        self.taker_margin = 0
        self.maker_margin = 0
        self.released = 0
        self.status = NEW
        self.cause = CAUSE_USER


def closing_fill(maker: Order[Terms], status: int, cause: int = CAUSE_USER) -> Fill:
    """Return the entry for a resting order that ends without a trade."""
    fill = Fill(maker, 0, 0, 0, 0)
    fill.status = status
    fill.cause = cause
    return fill


class Part:
    """One side of a trade while it is being settled.

    `opens` follows from the side of its order. `wallet` is the wallet of a closing isolated pool
    before the trade, `size` the position's size before it.
    """

    __slots__ = ("fee", "opens", "order_id", "position", "realized", "size", "value",
                 "wallet")  # fmt: skip

    def __init__(self, position: Position, order_id: int, fee: int, side: int) -> None:
        opens = (side == BUY) == (position.side == LONG)
        self.position = position
        self.opens = opens
        self.order_id = order_id
        self.fee = fee
        self.value = 0
        self.realized = 0
        self.size = position.quantity
        self.wallet = 0
        if not opens and position.pool.position_id:
            self.wallet = wallet(position.pool)


class Fills:
    """Settles trades over the contract side of the ledger."""

    __slots__ = ("collateral",)

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral

    def fill(self, order: Order[Terms], planned: Fill, events: list[Event]) -> None:
        """Settle one planned fill of a taker with a resting order, whose lots were already reduced
        by it. Append the events."""
        maker, lots, amount = planned.maker, planned.lots, planned.amount
        taker_terms, maker_terms = order.terms, maker.terms
        perp = taker_terms.perp
        time = order.update_time
        if time >= perp.due:
            events += before_change(perp, time)
        taking = self._part(order, planned.taker_fee, planned.taker_margin, events)
        making = self._part(maker, planned.maker_fee, planned.maker_margin, events)
        order.remaining -= lots
        order.quote += amount
        maker.quote += amount
        perp.market.last_price = maker.price
        liquidation_fee = 0
        self._book(taking, lots, amount, time)
        if taker_terms.cause == CAUSE_LIQUIDATION:
            # At most the equity that the trade and its fee have left (rule 7.3).
            left = _equity_after(taking, amount)
            liquidation_fee = min(fee_on(amount, perp.contract.liquidation_ppm), left)
            taking.fee += liquidation_fee
            taking.position.close_fee += liquidation_fee
            taking.position.liquidate_fee += liquidation_fee
        if taking.opens and making.position is taking.position:
            making.size += lots  # in a trade with itself an owner closes a part of old and new
            making.wallet -= taking.fee
        self._book(making, lots, amount, time)
        self._event(
            perp, taking, making, maker.price, lots, amount, liquidation_fee, order.side,
            maker.remaining, order.remaining, taker_terms.cause, time, events,
        )  # fmt: skip
        if not taking.opens:
            self._after_close(taking, taker_terms, time, lots, events)
        elif taker_terms.take_profit is not None:
            events += update_exits(order, taking.position, lots, self.collateral.counters)
        if not making.opens:
            self._after_close(making, maker_terms, time, lots, events)
        elif maker_terms.take_profit is not None:
            events += update_exits(maker, making.position, lots, self.collateral.counters)

    def outside(
        self, perp: Perpetual, victim: Position, other: Position, *, lots: int, price: int,
        cause: int, liquidation_id: int, fee: int, time: int, events: list[Event],
    ) -> None:  # fmt: skip
        """Settle a trade outside the book (rules 7.2, 7.5). `victim` closes; `other` opens
        (TAKEOVER) or closes (DELEVERAGE) at a bankruptcy price; the victim pays at most a
        liquidation fee. When a contract settles (DELISTING) both close at its price (rule 1.8)."""
        amount = price * lots * perp.unit
        events += before_change(perp, time)
        for position in (victim, other):
            events += settle_position(self.collateral, position)
        # The maker's order is on the other side: it opens a position like the victim's.
        closing, making_side = (BUY, SELL) if victim.side < 0 else (SELL, BUY)
        taking = Part(victim, liquidation_id, 0, closing)
        making = Part(other, liquidation_id, 0, making_side)
        assert making.opens == (cause == CAUSE_TAKEOVER), f"cause {cause} of a trade"
        self._book(taking, lots, amount, time)
        liquidation_fee = min(fee, _equity_after(taking, amount))
        taking.fee = liquidation_fee
        victim.close_fee += liquidation_fee
        victim.liquidate_fee += liquidation_fee
        self._book(making, lots, amount, time)
        self._event(
            perp, taking, making, price, lots, amount, liquidation_fee,
            closing, 0, 0, cause, time, events,
        )  # fmt: skip
        self._isolated_out(making, lots, events)
        # A liquidation goes on with its pool.
        if cause == CAUSE_DELISTING:
            self._isolated_out(taking, lots, events)
        self._end_when_empty(victim, time, events)
        self._end_when_empty(other, time, events)
        self._fix_when_empty(other, events)
        if cause == CAUSE_DELISTING:
            self._fix_when_empty(victim, events)

    # -- one side --------------------------------------------------------------------------------

    def _part(self, order: Order[Terms], fee: int, margin: int, events: list[Event]) -> Part:
        """Prepare the position of one side for the trade: settle its funding and move its margin
        in."""
        terms = order.terms
        perp = terms.perp
        closes = terms.closes
        position = self._position_to_open(order, terms) if closes is None else closes
        if perp.settlement is not None:
            events += settle_position(self.collateral, position)
        if margin:
            events += self.collateral.move(terms.pool, position.pool, margin, perp.symbol)
        return Part(position, order.order_id, fee, order.side)

    def _position_to_open(self, order: Order[Terms], terms: Terms) -> Position:
        """Return the position that an order opens or adds to."""
        modes = terms.modes
        if not modes.separated:
            held = modes.positions(terms.position_side)
            if held:
                return held[0]
        elif terms.made is not None and terms.made.quantity:
            return terms.made
        made = self.new_position(
            terms.holding, terms.perp, terms.position_side, modes.margin_mode, order.update_time
        )
        made.leverage = modes.leverage(terms.position_side)
        if modes.separated:
            made.separated = True
            made.open_order_id = order.order_id
            terms.made = made
        return made

    def new_position(
        self, holding: Holding, perp: Perpetual, side: int, margin_mode: int, time: int
    ) -> Position:
        """Create an empty position and register it with its owner, its contract and its pool."""
        benefits = holding.account.benefits
        counters = self.collateral.counters
        position_id = counters.order
        counters.order = position_id + 1
        if benefits is not None and not holds_any(holding, perp.asset):
            benefits.begin(perp.asset)
        if margin_mode == CROSSED:
            pool = holding.cross(perp.asset)
        else:
            pool = holding.isolate(perp.asset, position_id)
        position = Position(position_id, perp, side, pool, 1, time)
        if perp.settlement is not None:
            position.funded = perp.settlement.due  # the position was not there when that became due
        pool.positions.append(position)
        holding.positions[position_id] = position
        holding.modes_in(perp).positions(side).append(position)
        perp.add(position)
        return position

    # -- the trade -------------------------------------------------------------------------------

    def _book(self, part: Part, lots: int, amount: int, time: int) -> None:
        """Apply the next trade to the position, and to the open interest for longs."""
        position = part.position
        pool = position.pool
        quantity, value, base = position.quantity, position.value, position.base
        if part.opens:
            increase(position, lots, amount, part.fee)
            part.value = amount
            pool.gross += amount
            change = lots
        else:
            part.value, part.realized = reduce(position, lots, amount, part.fee)
            pool.gross -= part.value
            assert pool.gross >= 0, f"{pool.gross} atoms of open value in a pool"
            change = -lots
        if position.separated:
            _stand(position, quantity, value)
        sums = pool.sums
        if sums is not None:
            follow(sums, position, quantity, value, base)
        if position.side == LONG:
            perp = position.perp
            perp.open_interest += change
            assert perp.open_interest >= 0, "fewer lots are long than none"
        if not pool.dirty:
            self.collateral.touch(pool)
        trade_id = self.collateral.counters.trade
        position.updated = time
        position.updated_sequence = trade_id
        if not position.created_sequence:
            position.created_sequence = trade_id

    def _event(
        self, perp: Perpetual, taking: Part, making: Part, price: int, lots: int, amount: int,
        liquidation_fee: int, taker_side: int, maker_left: int, taker_left: int, cause: int,
        time: int, events: list[Event],
    ) -> None:  # fmt: skip
        """Move the cash and append the trade, then the items of the fee account and the fund."""
        collateral = self.collateral
        taker_pool, maker_pool = taking.position.pool, making.position.pool
        taker_cash, maker_cash = taker_pool.cash, maker_pool.cash
        fees = collateral.fees[perp.asset]
        paid = amount if taker_side == BUY else -amount
        taker_amount, maker_amount = -paid - taking.fee, paid - making.fee
        # The items of one pool chain: the taker's stands first, the fee account's income last.
        taker_balance = taker_cash.collateral + taker_amount
        maker_balance = maker_cash.collateral + maker_amount
        if taker_pool is maker_pool:
            maker_balance += taker_amount
        if taker_side == BUY:
            collateral.ledger.trade(
                taker_cash, maker_cash, amount, taking.fee, making.fee, fees.cash
            )
        else:
            collateral.ledger.trade(
                maker_cash, taker_cash, amount, making.fee, taking.fee, fees.cash
            )
        counters = collateral.counters
        trade_id = counters.trade
        counters.trade = trade_id + 1
        bill_id = counters.bill
        counters.bill = bill_id + 2
        events.append(
            TRADE(
                trade_id, perp.symbol, price, lots, amount, taker_side, maker_left, taker_left,
                cause, _leg(making, maker_amount, maker_balance, bill_id + 1),
                _leg(taking, taker_amount, taker_balance, bill_id),
            )
        )  # fmt: skip
        if taker_pool.account.copies or maker_pool.account.copies:
            collateral.copied = True
        earned = taking.fee + making.fee - liquidation_fee
        if liquidation_fee:
            fund = collateral.fund[perp.asset]
            collateral.ledger.exchange(fees.cash, fund.cash, liquidation_fee)
        if earned:
            kind = INCOME_ORDER_FILL_FEE_INCOME
            events.append(collateral.item(fees, kind, earned, perp.symbol))
        if liquidation_fee:
            events += collateral.fee_items(fees, fund, liquidation_fee, perp.symbol)
        benefits = taker_pool.account.benefits
        if benefits is not None:
            fee = taking.fee - liquidation_fee
            self._benefit(benefits, taking, amount, fee, time, maker=False)
        benefits = maker_pool.account.benefits
        if benefits is not None:
            self._benefit(benefits, making, amount, making.fee, time, maker=True)

    def _benefit(
        self, benefits: Benefits, part: Part, amount: int, fee: int, time: int, *, maker: bool
    ) -> None:
        """Charge a gift with a loss and its fee first. Of the fee that the owner paid itself, a
        part may be refunded, or shared with its inviter. `fee` excludes a liquidation fee."""
        pool = part.position.pool
        fee -= min(fee, benefits.bear(pool.asset, part.realized - part.fee))
        if fee:
            ledger = self.collateral.ledger
            benefits.accrue(
                (PRODUCT_CONTRACT, pool.asset), rebate_ppm=ledger.rebate_ppm(pool.account),
                ppm=ledger.share_of(benefits.inviter, PRODUCT_CONTRACT),
                fee=fee, amount=amount, maker=maker, time=time,
            )  # fmt: skip

    # -- afterwards ------------------------------------------------------------------------------

    def _after_close(
        self, part: Part, terms: Terms, time: int, lots: int, events: list[Event]
    ) -> None:
        """Apply the consequences of a close: free margin, end an empty position."""
        # A liquidation asks again before it empties its pool.
        position = part.position
        pool = position.pool
        if pool.position_id and terms.cause != CAUSE_LIQUIDATION:
            self._isolated_out(part, lots, events)
        if not position.quantity:
            self._end_when_empty(position, time, events)
            if terms.cause != CAUSE_LIQUIDATION:
                self._fix_when_empty(position, events)

    def _isolated_out(self, part: Part, lots: int, events: list[Event]) -> None:
        """Move the money that closing a part of an isolated position frees to the cross pool
        (5.5)."""
        position = part.position
        pool = position.pool
        if part.opens or not pool.position_id:
            return
        if position.quantity:
            own = pool.cash.collateral + position.side * position.value
            spare = own - initial(notional(position), position.leverage)
            amount = freed_margin(
                part_down(part.wallet, lots, part.size) + part.realized - part.fee, spare
            )
            if amount == 0:
                return
        else:
            amount = pool.cash.collateral
            if amount < 0:
                events += self.fix(pool, position.perp.symbol)
                return
            if amount == 0:
                return
        cross = pool.holding.cross(pool.asset)
        events += self.collateral.move(pool, cross, amount, position.perp.symbol)

    def fix(self, pool: Pool, symbol: str) -> list[Event]:
        """Raise a pool without positions from below zero to zero, paid by the fund (rule 7.4)."""
        lots = sum([position.quantity for position in pool.positions])  # emptied ones go last
        assert lots == 0, f"the fund pays for a pool that has {lots} lots"
        fund = self.collateral.fund[pool.asset]
        amount = min(-pool.cash.collateral, max(0, equity(fund)))
        if amount <= 0:
            return []
        self.collateral.ledger.exchange(fund.cash, pool.cash, amount)
        self.collateral.touch(fund)
        if pool.account.benefits is not None:
            pool.account.benefits.bear(pool.asset, amount)
        return [
            self.collateral.item(fund, INCOME_ORDER_FIX_MARGIN_AMOUNT, -amount, symbol),
            self.collateral.item(pool, INCOME_ORDER_FIX_MARGIN_AMOUNT, amount, symbol),
        ]

    def _fix_when_empty(self, position: Position, events: list[Event]) -> None:
        """Repair the debt of a pool whose last position has ended."""
        pool = position.pool
        if pool.cash.collateral < 0 and not pool.positions:
            events += self.fix(pool, position.perp.symbol)

    def _end_when_empty(self, position: Position, time: int, events: list[Event]) -> None:
        """Remove a position without lots; its conditional orders expire (rule 8.3)."""
        if position.quantity:
            return
        pool = position.pool
        holding = pool.holding
        for algo in list(position.algos.values()):
            events.append(end(algo, ALGO_EXPIRED, time))
        assert position.value == 0, f"{position.value} atoms of open value in no lots"
        self.collateral.ranking.leave(position)
        position.perp.drop(position)
        del holding.positions[position.position_id]
        holding.modes_in(position.perp).positions(position.side).remove(position)
        pool.positions.remove(position)
        if pool.position_id and pool.cash.collateral == 0:
            holding.drop(pool)
        events.append(
            PositionClosed(
                position.position_id, pool.account.uid, position.perp.symbol, position.side,
                ISOLATED if pool.position_id else CROSSED, int(position.separated),
                position.leverage, position.open_size, position.open_value, position.open_fee,
                position.close_size, position.close_value, position.close_fee,
                position.funding_fee, position.liquidate_fee, position.realized, position.created,
            )
        )  # fmt: skip


def holds_any(holding: Holding, asset: int) -> bool:
    """Return whether an owner has a position that settles in an asset, or a debt from an ended
    one."""
    cross = holding.cross(asset)
    if cross.positions or cross.cash.collateral < 0:
        return True
    return any(pool.asset == asset for pool in holding.isolated.values())


def _stand(position: Position, quantity: int, value: int) -> None:
    """Count a separated position among its owner's others; its lots and value before are given.
    Added lots are assessed on top of those others (rule 5.8)."""
    perp = position.perp
    totals = position.pool.holding.modes_in(perp).totals(position.side)
    if position.quantity > quantity:
        position.base = perp.mark * ((totals.lots - quantity) * perp.unit)
    totals.lots += position.quantity - quantity
    totals.value += position.value - value


def _equity_after(part: Part, amount: int) -> int:
    """Return the pool's equity at mark after the trade's cash and its fee; not below 0."""
    return max(0, equity(part.position.pool) + part.position.side * amount - part.fee)


def _leg(part: Part, amount: int, balance: int, bill_id: int) -> Leg:
    position = part.position
    return LEG(
        position.pool.account.uid, part.order_id, position.position_id, position.side,
        part.opens, part.value, part.realized, part.fee, amount, balance, bill_id,
    )  # fmt: skip
