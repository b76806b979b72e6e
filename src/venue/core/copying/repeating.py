"""Places the orders by which followers repeat their leads' fills, in bounded slices (rule 9.4)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from venue.core.book.book import Order
from venue.core.contract.conditional.waiting import caps_refused
from venue.core.contract.leverage import Margins
from venue.core.contract.margin import initial
from venue.core.contract.orders import ASKED_MAX, Contracts, closing_side
from venue.core.contract.records import Terms
from venue.core.copying.books import TRADE, Books
from venue.core.copying.people import CopiedPosition, Copy, Echo, Following, Track
from venue.core.copying.sizing import (
    SLIPPAGE_PPM,
    closing_slippage,
    daily_loss,
    exits,
    lots_of,
    most_value,
    opening_slippage,
    reachable,
    share_ppb,
    wanted_modes,
    worst_price,
)
from venue.core.messages.commands import NO_EXIT
from venue.core.messages.copy_commands import CopyConfig
from venue.core.messages.copy_events import CopyOpened, CopyRefused
from venue.core.messages.events import Event, Rejected
from venue.core.units import ceil_div, part_down
from venue.vocabulary import BUY, CAUSE_COPY, IOC, LIMIT, LONG, SELL, Reject

COPYING_UNITS: Final = 250  # events of one slice; the follower it reaches is done
COPIES_MAX: Final = 20  # followers of one slice for whom anything happened
LOOKED_MAX: Final = 200  # followers looked at in one slice


class Repeating:
    """Places followers' orders."""

    __slots__ = ("books", "contracts", "margins")

    def __init__(self, books: Books, margins: Margins) -> None:
        self.books = books
        self.contracts: Contracts = books.contracts
        self.margins = margins

    def work(self, time: int) -> list[Event]:
        """Run the next slice: the acts of one lead, oldest first, each for its followers in the
        order of following."""
        events: list[Event] = []
        for uid, echoes in self.books.echoes.items():
            self._repeat(echoes, time, events)
            del self.books.echoes[uid]
            if echoes:
                self.books.echoes[uid] = echoes  # after the other leads
            break
        return events

    def _repeat(self, echoes: list[Echo], time: int, events: list[Event]) -> None:
        most = self.contracts.looked + ASKED_MAX
        looked = copied = 0
        while echoes and looked < LOOKED_MAX and copied < COPIES_MAX:
            if len(events) >= COPYING_UNITS or self.contracts.looked >= most:
                break
            looked += 1
            echo = echoes[0]
            before = len(events)
            if echo.opens:
                more = self._open_next(echo, time, events)
            else:
                more = self._close_next(echo, time, events)
            if not more:
                del echoes[0]
            copied += len(events) > before

    def _open_next(self, echo: Echo, time: int, events: list[Event]) -> bool:
        """Open the copy of the next follower; False when there is none."""
        position = echo.track.position
        if position is None:  # the lead has closed it again
            return False
        number = echo.lead.next_follower(echo.number + 1)
        if not number or number > echo.last:
            return False
        if not echo.number:
            margin = initial(echo.amount, position.leverage)
            echo.share_ppb = share_ppb(echo.lead.holding, echo.lead.asset, margin)
        echo.number = number
        following = self.books.followings[number]
        config = following.config(echo.track.perp.symbol)
        if config is not None and (echo.first or not config.by_amount):
            reason = self._open(echo, following, config, time, events)
            if reason:
                events.append(_refusal(following, echo.track, reason, opens=True))
        return True

    def _open(
        self, echo: Echo, following: Following, config: CopyConfig, time: int, events: list[Event]
    ) -> int:
        """Open a copy; return 0 when an order was placed, otherwise the reason why not."""
        perp = echo.track.perp
        holding = following.holding
        if following.account.frozen:
            return int(Reject.ACCOUNT_FROZEN)
        if perp.market.halted:
            return int(Reject.HALTED)
        if not perp.mark:
            return int(Reject.NO_MARK)
        taker_ppm = holding.taker_rate(perp.market)
        means = daily_loss(self.books.traders[following.account.uid], holding, perp.asset)
        most = most_value(means, taker_ppm)
        if not most and means.has_losses():
            return int(Reject.COPY_LOSS)
        change = wanted_modes(following, config, echo)
        if change is not None:
            said = self.margins.set_leverage(change)
            if not isinstance(said[0], Rejected):
                events += said
        side = BUY if echo.track.side == LONG else SELL
        price = echo.amount // (echo.lots * perp.unit)
        worst = worst_price(perp, side, price, config.slippage_ppm or SLIPPAGE_PPM)
        lots = lots_of(following, config, echo, worst, most)
        if lots < perp.market.instrument.quantity_min:
            return int(Reject.COPY_SMALL)
        value = lots * perp.mark * perp.unit
        slippage = opening_slippage(means, value, config.slippage_ppm, taker_ppm)
        worst = worst_price(perp, side, price, slippage)
        if not reachable(perp, side, worst):
            return int(Reject.NO_LIQUIDITY)
        order = self.contracts.new_order(
            holding, perp, side, echo.track.side, LIMIT, IOC, lots, worst, CAUSE_COPY, time
        )
        refused = _attach(order, config, worst)
        said = [refused] if refused is not None else self.contracts.enter(order)
        first = said[0]
        if isinstance(first, Rejected):
            return first.reason
        events += said
        events += self.books.note(said, time)
        self._add(echo, following, order, said, events)
        return 0

    def _add(
        self, echo: Echo, following: Following, order: Order[Terms], said: list[Event],
        events: list[Event],
    ) -> None:  # fmt: skip
        """Add the lots that a follower's order opened to its copy of the lead's position."""
        lots = amount = fee = position_id = 0
        for event in said:
            if type(event) is TRADE and event.taker.order_id == order.order_id:
                lots += event.quantity
                amount += event.notional
                fee += event.taker.fee
                position_id = event.taker.position_id
        trader = self.books.traders[following.account.uid]
        position = following.holding.positions.get(position_id)
        if position is None:
            return
        tracked = trader.tracked.get(position_id)
        if tracked is None:
            tracked = CopiedPosition(position)
        kept = min(lots, tracked.quantity - tracked.lots)  # it may have met its owner's own close
        if kept <= 0:
            return
        trader.tracked[position_id] = tracked
        value = part_down(amount, kept, lots)
        fee = ceil_div(fee * kept, lots)
        copy = self._copy(echo, following, tracked, order)
        copy.lots += kept
        tracked.lots += kept
        copy.value += value
        copy.fee += fee
        copy.open_size += kept
        copy.open_value += value
        copy.open_fee += fee
        copy.updated = order.time
        following.hold(echo.track, kept, value, fee)
        events.append(
            CopyOpened(
                copy.number, following.account.uid, following.lead.account.uid, echo.track.number,
                echo.track.perp.symbol, echo.track.side, position_id, order.order_id, kept, value,
                fee,
            )
        )  # fmt: skip

    def _copy(
        self, echo: Echo, following: Following, tracked: CopiedPosition, order: Order[Terms]
    ) -> Copy:
        """Return the copy that an opening adds to, or a new one."""
        for copy in tracked.copies:
            if copy.track is echo.track and copy.following is following:
                return copy
        number = self.contracts.counters.order
        self.contracts.counters.order = number + 1
        copy = Copy(number, following, echo.track, tracked, order.time)
        copy.order_id = order.order_id
        copy.know()
        echo.track.followers += 1
        return copy

    def _close_next(self, echo: Echo, time: int, events: list[Event]) -> bool:
        """Close the part of the next copy that the lead closed; False when there is none."""
        rows = echo.track.rows
        place = bisect_left(rows, (echo.number, echo.copy_no + 1))
        if place == len(rows):
            return False
        echo.number, echo.copy_no = rows[place]
        copy = echo.track.copies[echo.copy_no]
        kept = copy.lots - copy.due
        copy.due += kept - kept * echo.after // echo.before
        if copy.due:
            self.books.behind.add(copy)
            reason = self.close_due(copy, time, events)
            if reason:
                events.append(_refusal(copy.following, copy.track, reason, opens=False))
        return True

    def close_due(self, copy: Copy, time: int, events: list[Event]) -> int:
        """Close the due lots of a copy, near the mark; return the reason if none is closed: they
        stay due."""
        perp = copy.track.perp
        if copy.following.account.frozen:
            return int(Reject.ACCOUNT_FROZEN)
        if perp.market.halted:
            return int(Reject.HALTED)
        if not perp.mark:
            return int(Reject.NO_MARK)
        following = copy.following
        config = following.config(perp.symbol)
        slippage = 0 if config is None else config.slippage_ppm
        side = closing_side(copy.track.side)
        if not reachable(perp, side, worst_price(perp, side, 0, slippage or SLIPPAGE_PPM)):
            return int(Reject.NO_LIQUIDITY)
        position = copy.tracked.position
        holding = following.holding
        means = daily_loss(self.books.traders[following.account.uid], holding, perp.asset)
        slippage = closing_slippage(means, slippage, holding.taker_rate(perp.market))
        worst = worst_price(perp, side, 0, slippage)
        if not reachable(perp, side, worst):
            return int(Reject.NO_LIQUIDITY)
        lots = min(copy.due, perp.market.instrument.quantity_max)
        order = self.contracts.closing_order(position, LIMIT, lots, worst, CAUSE_COPY, time)
        said = self.enter(order, copy, time)
        first = said[0]
        if isinstance(first, Rejected):
            return first.reason
        events += said
        return 0

    def enter(self, order: Order[Terms], copy: Copy, time: int) -> list[Event]:
        """Place a copy's closing order, and process its trades."""
        said = self.contracts.enter(order)
        if isinstance(said[0], Rejected):
            return said
        self.books.closing_copy, self.books.closing_id = copy, order.order_id
        said += self.books.note(said, time)
        self.books.closing_copy = None
        return said


def _attach(order: Order[Terms], config: CopyConfig, worst: int) -> Rejected | None:
    """Attach the exits that a follower's settings ask for."""
    terms = order.terms
    leverage = terms.modes.leverage(terms.position_side)
    take_profit, stop_loss = exits(config, terms.position_side, worst, leverage)
    more = (take_profit is not NO_EXIT) + (stop_loss is not NO_EXIT)
    if not more:
        return None
    terms.take_profit, terms.stop_loss = take_profit, stop_loss
    return caps_refused(terms.holding, terms.perp, more)


def _refusal(following: Following, track: Track, reason: int, *, opens: bool) -> CopyRefused:
    return CopyRefused(
        following.account.uid, following.lead.account.uid, track.number, track.perp.symbol, opens,
        reason,
    )  # fmt: skip
