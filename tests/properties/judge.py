"""A judge of contract trading: out of commands and events alone it says what must not be.

It keeps its own sums (`sums`) and its own book, compares them with the ledger, and asks after every
command whether an order met whom it had to meet, whether anybody has less than nothing by what an
owner did (rule 5.13), and whether the insurance fund lost more than the prices took from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from properties.agreement import compare, in_doubt
from properties.hearing import NOTHING, OUTSIDE, Hearing, check_fee, must, touched
from properties.liquidity import held_back, meets_enough
from properties.sums import MILLION, Market, Order, Owner, Position
from properties.unsettled import Unsettled
from venue.core.engine import Engine
from venue.core.instruments import Asset
from venue.core.messages import commands as c
from venue.core.messages import contract_events as t
from venue.core.messages import events as e
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.vocabulary import BUY, EXPIRED, Cause, SelfTrade, TimeInForce

FEES, FUND, COMMISSION = 1, 2, 3
UNWIND_PPM = 1_000  # how far from the mark the fund may give back what it holds
AGREED = (Cause.USER, Cause.CLOSE, Cause.TRIGGER)
CANCELS = (c.CancelContractOrder, c.CancelContractOrders, c.SetCancelAfter)
OUTER = ("deposit", "withdraw", "transfer_in", "transfer_out")

# A position when its pool was last safe: side, lots, the mark then, its market.
Stood = tuple[int, int, int, Market]


class Judge:
    """Judges one engine from its first command on.

    `group` are the uids that may be one person; the others are honest. `still` says that the index
    source never moves: then the fund never loses, and the group gains nothing but what others lost
    in trades. `bound` says that the index moves in steps: the fund's cost of a liquidation is bound
    by the mark's moves.
    """

    def __init__(self, group: tuple[int, ...] = (), *, still: bool = False, bound: bool = False):
        self.group = group
        self.still = still
        self.bound = bound
        self.assets: dict[str, Asset] = {}
        self.markets: dict[str, Market] = {}
        self.owners = {uid: Owner(uid, 0) for uid in (FEES, FUND, COMMISSION)}
        self.unsettled = Unsettled()
        self.spared = 0  # the fund's possible cost of unwinding and funding
        self.apart = 0  # its possible cost of liquidations at mark, at the index
        self.safe: dict[tuple[int, int], dict[int, Stood]] = {}
        self.passed: dict[tuple[int, int], int] = {}  # the fund's gain by passes since then
        self.doubt = False  # a price is in doubt: orders that open may be left out (rule 5.14)
        self.trades = self.liquidations = self.late = 0
        self.said = NOTHING

    # -- one command -----------------------------------------------------------------------------

    def judge(self, engine: Engine, command: Command, events: list[Event]) -> None:
        """Take in one command and what the engine said to it; `Wrong` names the broken rule."""
        if not events or type(events[0]) is e.Rejected:
            return
        ending = [event.order_id for event in events if type(event) is t.ContractOrderClosed]
        said = self.said = Hearing(command, ending)
        self.doubt = in_doubt(engine)
        moved = False
        for event in events:
            if type(event) is t.MarkSet:
                market = self.markets[event.symbol]
                market.index, market.mark = event.index, event.mark
                moved = True
        for uid in touched(events, FOLDS):
            owner = self.owners.get(uid)
            if owner is not None:
                said.before[uid] = said.stand(owner)
        for event in events:
            fold = FOLDS.get(type(event))
            if fold is not None:
                fold(self, event)
        self._finish(engine, moved)

    def _finish(self, engine: Engine, moved: bool) -> None:
        said = self.said
        must(said.total == 0, "money of the items is", said.total, "and not 0")
        for order in said.flight.values():
            must(order.left == 0, "order", order.order_id, "was left in the air")
        for order in said.placed:
            self._placed_well(order)
        for order, lots in said.ended:
            owner = self.owners[order.uid]
            said.freed[order.uid] -= order.holds()
            must(
                not said.can_bear(owner, order, lots),
                "order", order.order_id, "of", order.uid, "was ended and could have been borne",
            )  # fmt: skip
        for uid in said.before:
            compare(engine, self.owners[uid])
        if not said.traded and not said.items and not moved:
            said.available_stands(self.owners)
            return
        said.nobody_below_zero(self.owners)
        self._note_safe(moved)
        if self.still and (said.traded or moved):
            self._nobody_earns()

    def _placed_well(self, order: Order) -> None:
        filled = order.filled
        if order.tif == TimeInForce.FOK:
            must(filled in (0, order.quantity), "a FOK order was cut to", filled, order.quantity)
            must(filled or order not in self.said.sure, "a FOK order could have been filled")
        if order.tif == TimeInForce.POST_ONLY:
            must(filled == 0, "a POST_ONLY order traded")
        market = order.market
        if market.bids and market.asks and -market.bids[0][0] >= market.asks[0][0]:
            best = market.bids[0][2], market.asks[0][2]
            left_out = self.doubt or any(held_back(number, self.owners) for number in best)
            must(left_out, "the book of", market.name, "is crossed")

    # -- the two settings ------------------------------------------------------------------------

    def _nobody_earns(self) -> None:
        """With a still index neither the fund nor an honest owner pays the group (setting i)."""
        fund = self.owners[FUND]
        left = fund.equity(0, at_index=True) + self.spared + self.apart - fund.brought
        must(left >= 0, "the fund has lost", -left)
        gain, lost = self.gain()
        must(gain <= lost + self.apart, "the group gained", gain, "others lost", lost, "in trades")

    def gain(self) -> tuple[int, int]:
        """The money that the group could take home beyond its own, and the losses that the others
        agreed to, both at the index."""
        gain = lost = 0
        for uid, owner in self.owners.items():
            if uid in self.group:
                gain += owner.wealth() + self.unsettled.of(uid) - owner.brought
            elif uid > FUND:
                lost += owner.lost - self.unsettled.of(uid)
        return gain, lost

    def _note_safe(self, moved: bool) -> None:
        """Remember of each pool above its maintenance margin its marks and sizes."""
        for uid in self.owners if moved else self.said.before:
            owner = self.owners[uid]
            if uid <= FUND or not owner.positions:
                continue
            for pool in owner.pools:
                own = owner.in_pool(pool)
                if own and owner.equity(pool) > owner.maintenance(pool):
                    self.passed.pop((uid, pool), None)
                    self.safe[uid, pool] = {
                        one.position_id: (one.side, one.lots, one.market.mark, one.market)
                        for one in own
                    }

    # -- owners and money ------------------------------------------------------------------------

    def asset(self, event: e.AssetRegistered) -> None:
        self.assets[event.asset.name] = event.asset

    def listed(self, event: t.ContractListed) -> None:
        quote = self.assets[event.contract.instrument.quote]
        self.markets[event.contract.instrument.symbol] = Market(event.contract, quote)

    def created(self, event: e.OwnerCreated) -> None:
        command = self.said.command
        if isinstance(command, c.CreateOwner):  # fees and fund come with the first contract
            self.owners[event.uid] = Owner(event.uid, command.self_trade)

    def moved(self, event: e.WalletMoved) -> None:
        owner = self.owners[event.uid]
        owner.elsewhere += event.amount
        if event.kind in ("deposit", "withdraw"):
            owner.brought += event.amount

    def item(self, event: t.Income) -> None:
        said = self.said
        owner = self.owners[event.uid]
        pool = event.position_id
        balance = owner.pools.get(pool, 0) + event.amount
        must(balance == event.balance, "item", event.bill_id, "ends at", event.balance)
        owner.pools[pool] = balance
        said.items = True
        kind = event.kind
        if kind == "position_funding":
            said.excused[event.uid] = True
            owner.lost -= event.amount
            self.unsettled.move(event)
            if event.uid == FUND:
                self.spared += max(0, -event.amount)
        elif kind in OUTER:
            if kind in ("deposit", "withdraw"):
                owner.brought += event.amount
        else:
            said.total += event.amount
        if kind == "order_fix_margin_amount" and event.uid != FUND:
            said.fixed[event.uid, pool] = event.amount
        if event.uid == FUND and kind != "position_funding":  # its own payments are apart
            said.fund_gain += event.amount

    def funding_due(self, event: t.FundingDue) -> None:
        self.unsettled.begin(event, self.owners.values())

    def levered(self, event: t.LeverageSet) -> None:
        owner = self.owners[event.uid]
        market = self.markets[event.symbol]
        modes = owner.modes_in(market)
        modes.mode, modes.separated = event.margin_mode, event.separated_mode
        modes.cross, modes.long, modes.short = event.cross, event.long, event.short
        for position in owner.positions.values():
            if position.market is market:
                sided = modes.long if position.side > 0 else modes.short
                position.leverage = sided if position.pool else modes.cross
        if isinstance(self.said.command, c.SetLeverage):
            for order in owner.orders.values():
                if order.market is market:
                    self._hold(order)

    def _hold(self, order: Order) -> None:
        if order.opens:
            market = order.market
            leverage = self.owners[order.uid].modes_in(market).leverage(order.way)
            order.held_lots = order.left
            order.held = market.need(order.way, order.left, order.price, leverage, market.taker)

    # -- orders ----------------------------------------------------------------------------------

    def placed(self, event: t.ContractOrderPlaced) -> None:
        market = self.markets[event.symbol]
        order = Order(
            event.order_id, event.uid, market, event.side, event.position_side, event.price,
            event.quantity,
        )  # fmt: skip
        order.type, order.tif = event.type, event.time_in_force
        order.resting, order.closing = event.resting, event.position_id
        self.said.taking = order
        self.said.first_price = 0
        self.said.flight[order.order_id] = order
        self.said.placed.append(order)
        if (
            order.tif == TimeInForce.FOK
            and order.opens
            and not self.doubt
            and meets_enough(order, self.owners)
        ):
            self.said.sure.append(order)
        self._may_rest(order)

    def halt(self, event: e.InstrumentHalted) -> None:
        self.markets[event.symbol].halted = event.halted

    def _may_rest(self, order: Order) -> None:
        if order.resting and order.left == order.resting:
            order.enter()
            self._hold(order)
            del self.said.flight[order.order_id]
            self.owners[order.uid].orders[order.order_id] = order

    def ended(self, event: t.ContractOrderClosed) -> None:
        said = self.said
        flying = said.flight.get(event.order_id)
        if flying is not None:
            must(flying.left > 0, "a filled order ended", event.order_id)
            flying.left = 0
            return
        order = self.owners[event.uid].orders.pop(event.order_id)
        must(order.left == event.resting, "order", event.order_id, "ended with", event.resting)
        taking = said.taking
        own = isinstance(said.command, CANCELS)
        own = own or event.cause == Cause.LIQUIDATION
        if taking is not None and not own and order.side != taking.side:
            self._ended_by(taking, order, event.status)
        order.leave()

    def _ended_by(self, taking: Order, order: Order, status: int) -> None:
        """A resting order may be ended by another only where it is its owner's own, or cannot be
        borne (rules 3.7, 5.10), and where it would be met."""
        said = self.said
        mode = self.owners[taking.uid].self_trade
        prevented = mode in (SelfTrade.EXPIRE_MAKER, SelfTrade.EXPIRE_BOTH)
        if order.uid == taking.uid and status == EXPIRED and prevented:
            must(taking.reaches(order.price), "an own order out of reach was ended")
            return
        if order.opens and order.uid != taking.uid and order.uid not in said.excused:
            owner = self.owners[order.uid]
            lots = min(order.left, taking.left) or order.left
            if said.can_bear(owner, order, lots):
                said.ended.append((order, lots))
            said.freed[order.uid] = said.freed.get(order.uid, 0) + order.holds()

    def parked(self, event: t.ContractOrderParked) -> None:
        order = self.owners[event.uid].orders[event.order_id]
        must(order.left == event.quantity, "order", event.order_id, "parked with", event.quantity)
        order.park()

    def returned(self, event: t.ContractOrderReturned) -> None:
        order = self.owners[event.uid].orders[event.order_id]
        must(order.left == event.quantity, "order", event.order_id, "is back with", event.quantity)
        if event.late:  # after all that are there
            last = max(number for owner in self.owners.values() for number in owner.orders)
            self.late += 1
            order.turn = last, self.late
        order.unpark()

    def reduced(self, event: t.ContractOrderReduced) -> None:
        order = self.owners[event.uid].orders[event.order_id]
        must(not order.opens, "an opening order was trimmed")
        order.left -= event.quantity
        must(order.left > 0, "an order was trimmed to nothing")

    # -- trades ----------------------------------------------------------------------------------

    def trade(self, event: t.ContractTrade) -> None:
        said = self.said
        said.traded = True
        self.trades += 1
        market = self.markets[event.symbol]
        must(event.notional == event.price * event.quantity * market.unit, "notional of a trade")
        if event.cause not in OUTSIDE:
            self._matched(event)
        bought = event.taker_side == BUY
        self._leg(market, event, event.taker, buys=bought, taker=True)
        self._leg(market, event, event.maker, buys=not bought, taker=False)

    def _matched(self, event: t.ContractTrade) -> None:
        """Price-time priority, the taker's limit, and self-trade prevention."""
        said = self.said
        taker = said.flight[event.taker.order_id]
        orders = self.owners[event.maker.uid].orders
        maker = orders[event.maker.order_id]
        must(taker.side != maker.side, "two orders of one side traded")
        for key, _, number in maker.market.half(maker.side):
            if number == maker.order_id:
                break
            left_out = self.doubt or number in said.ending or held_back(number, self.owners)
            must(left_out, "order", number, "at", key, "was passed over")
        must(event.price == maker.price, "not the maker's price")
        must(taker.reaches(event.price), "a trade at", event.price, "beyond", taker.price)
        said.first_price = said.first_price or event.price
        if taker.type == 1:
            band = said.first_price * taker.market.contract.instrument.market_band_ppm
            away = abs(event.price - said.first_price) * MILLION
            must(away <= band, "a MARKET order traded at", event.price, "from", said.first_price)
        if taker.uid == maker.uid and event.cause != Cause.LIQUIDATION:
            must(self.owners[taker.uid].self_trade == 0, "an owner traded with itself")
        for order, left in ((maker, event.maker_remaining), (taker, event.taker_remaining)):
            order.left -= event.quantity
            order.filled += event.quantity
            must(order.left == left >= 0, "order", order.order_id, "has", left, "left")
        if maker.left == 0:
            maker.leave()
            del orders[maker.order_id]
        self._may_rest(taker)

    def _leg(
        self, market: Market, trade: t.ContractTrade, leg: t.Leg, *, buys: bool,
        taker: bool,
    ) -> None:  # fmt: skip
        said = self.said
        owner = self.owners[leg.uid]
        must(leg.opens == (buys == (leg.position_side > 0)), "opening and closing are confused")
        cash = -trade.notional if buys else trade.notional
        must(leg.amount == cash - leg.fee, "a leg moved", leg.amount)
        check_fee(market, trade, leg.fee, taker=taker)
        position = owner.positions.get(leg.position_id)
        if position is None:
            position = self._new_position(owner, market, leg)
        must(position.side == leg.position_side, "a position changed its side")
        lots = trade.quantity
        if leg.opens:
            must(leg.open_value == trade.notional, "open value of what was opened")
            position.base = owner.beside(position)
            position.lots += lots
            position.value += trade.notional
            said.openers[leg.uid] = True
        else:
            must(lots <= position.lots, "more was closed than there was")
            whole = lots == position.lots
            value = position.value if whole else position.value * lots // position.lots
            must(leg.open_value == value, "open value of what was closed")
            must(leg.realized == position.side * (trade.notional - value), "realized profit")
            position.lots -= lots
            position.value -= value
            said.closers[leg.uid] = True
        balance = owner.pools.get(position.pool, 0) + leg.amount
        must(balance == leg.balance, "item", leg.bill_id, "ends at", leg.balance)
        owner.pools[position.pool] = balance
        said.total += leg.amount
        self._count(market, trade, owner, cash, leg.fee, buys=buys, taker=taker)

    def _count(
        self, market: Market, trade: t.ContractTrade, owner: Owner, cash: int, fee: int, *,
        buys: bool, taker: bool,
    ) -> None:  # fmt: skip
        """Count the cost of a trade against the index to an owner that agreed to the price."""
        size = trade.quantity * market.unit
        cost = fee - cash + (-size if buys else size) * market.index
        agreed = trade.cause in AGREED or (not taker and trade.cause not in OUTSIDE)
        if agreed:
            owner.lost += cost
        if owner.uid == FUND:
            self.said.fund_gain += cash - fee + (size if buys else -size) * market.mark
            if trade.cause == Cause.UNWIND:
                away = size * market.index * UNWIND_PPM // MILLION + market.apart(trade.quantity)
                self.spared += max(0, min(cost - fee, away)) + fee
        if taker and trade.cause in (Cause.LIQUIDATION, *OUTSIDE):
            self.apart += market.apart(trade.quantity)

    def _new_position(self, owner: Owner, market: Market, leg: t.Leg) -> Position:
        must(leg.opens, "a position that is not there was closed")
        modes = owner.modes_in(market)
        number = leg.position_id
        pool = number if modes.mode else 0
        leverage = 1 if leg.uid == FUND else modes.leverage(leg.position_side)
        position = Position(number, owner.uid, market, leg.position_side, pool, leverage)
        owner.positions[number] = position
        return position

    def emptied(self, event: t.PositionClosed) -> None:
        position = self.owners[event.uid].positions.pop(event.position_id)
        must(position.lots == 0, "a position of", position.lots, "lots was ended")

    # -- liquidations ----------------------------------------------------------------------------

    def liquidated(self, event: t.LiquidationStarted) -> None:
        said = self.said
        self.liquidations += 1
        said.excused[event.uid] = True
        said.fund_gain = 0
        said.pool = event.uid, event.position_id
        owner = self.owners[event.uid]
        own = owner.equity(event.position_id)
        must(own == event.equity, "equity of", event.uid, "is", own, "and not", event.equity)
        said.in_liquidation = [
            (p.position_id, p.side, p.lots, p.market) for p in owner.in_pool(event.position_id)
        ]

    def deleveraged(self, event: t.Deleveraged) -> None:
        self.said.excused[event.uid] = True

    def restored(self, event: t.LiquidationFinished) -> None:
        """The fund pays at most what the mark moved since the pool was safe, and roundings."""
        said = self.said
        if not self.bound or event.uid == FUND:
            return
        gain = self.passed[said.pool] = self.passed.get(said.pool, 0) + said.fund_gain
        if gain >= 0:
            return
        stood = dict(self.safe.get(said.pool, {}))  # with those that an earlier pass has closed
        for number, side, lots, market in said.in_liquidation:
            mark = stood[number][2] if number in stood else market.mark
            once = stood[number][1] if number in stood else lots
            stood[number] = (side, max(lots, once), mark, market)
        allowed = 0
        for side, lots, mark, market in stood.values():
            size = lots * market.unit
            allowed += size * max(0, side * (mark - market.mark)) + size + 10
        must(-gain <= allowed, "a liquidation cost the fund", -gain, allowed)


FOLDS: dict[type, Callable[[Judge, Any], None]] = {
    e.AssetRegistered: Judge.asset,
    t.ContractListed: Judge.listed,
    e.OwnerCreated: Judge.created,
    e.WalletMoved: Judge.moved,
    e.InstrumentHalted: Judge.halt,
    t.Income: Judge.item,
    t.FundingDue: Judge.funding_due,
    t.FundingSettled: lambda judge, event: judge.unsettled.end(event),
    t.LeverageSet: Judge.levered,
    t.ContractOrderPlaced: Judge.placed,
    t.ContractOrderClosed: Judge.ended,
    t.ContractOrderReduced: Judge.reduced,
    t.ContractOrderParked: Judge.parked,
    t.ContractOrderReturned: Judge.returned,
    t.ContractTrade: Judge.trade,
    t.PositionClosed: Judge.emptied,
    t.LiquidationStarted: Judge.liquidated,
    t.LiquidationFinished: Judge.restored,
    t.Deleveraged: Judge.deleveraged,
}
