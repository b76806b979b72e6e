"""Copy trading (rule 9.4): its commands, its slices and its daily settlement."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from venue.core.contract.leverage import Margins
from venue.core.contract.orders import ASKED_MAX, Contracts
from venue.core.copying.books import Books
from venue.core.copying.people import Following, Lead, Track, Trader
from venue.core.copying.repeating import Repeating
from venue.core.copying.terms import idle, lead_refused, lead_to_follow
from venue.core.messages.copy_commands import CloseCopy, Follow, SetLead, StopCopying
from venue.core.messages.copy_events import Followed, FollowStopped, LeadSet
from venue.core.messages.events import Event, Rejected
from venue.core.units import DAY_US, PPM
from venue.vocabulary import CAUSE_COPY, MARKET, Reject

SETTLED_MAX: Final = 20  # pairs settled in one slice
RETRIES_MAX: Final = 20  # closes that could not be done before and are done at one tick
TRIED_MAX: Final = 200  # of them, tried again at one tick


class Copying:
    """Copy trading over the contracts.

    `day` is the UTC day of the last settlement. While one is running, `settling` is the number of
    the next pair and `settle_last` that of the last; otherwise 0.
    """

    __slots__ = ("books", "contracts", "day", "repeating", "settle_last", "settling")

    def __init__(self, contracts: Contracts, margins: Margins) -> None:
        self.contracts = contracts
        self.books = Books(contracts)
        self.repeating = Repeating(self.books, margins)
        self.day = 0
        self.settling = 0
        self.settle_last = 0

    # -- commands --------------------------------------------------------------------------------

    def set_lead(self, command: SetLead) -> list[Event]:
        """Make an owner a lead, or change a lead's terms; present followers keep their share."""
        trader = self.books.traders.get(command.uid)
        refused = lead_refused(self.contracts, command, trader)
        if refused is not None:
            return [refused]
        ledger = self.contracts.ledger
        events = self.books.shares.open_account()
        if trader is None:
            trader = self.books.traders[command.uid] = Trader()
        lead = trader.lead
        if lead is None:
            holding = self.contracts.collateral.holding_of(ledger.accounts[command.uid])
            holding.account.copies = True
            lead = trader.lead = Lead(holding, ledger.ordinals[command.asset])
        lead.active = command.active
        lead.share_ppm = command.share_ppm
        lead.third_uid = command.third_uid
        lead.third_ppm = command.third_ppm
        lead.symbols = list(command.symbols)
        if not self.day:
            self.day = command.time // DAY_US
        for position in lead.holding.positions.values():
            number = position.position_id
            if lead.covers(position.perp) and number not in lead.tracks:
                track = Track(number, position.perp, position.side, position)
                track.quantity = position.quantity
                lead.tracks[number] = track
        events.append(
            LeadSet(
                command.uid, command.asset, command.active, command.share_ppm, command.third_uid,
                command.third_ppm, lead.symbols,
            )
        )  # fmt: skip
        return events

    def follow(self, command: Follow) -> list[Event]:
        """Start to follow, or change how; an agreed share stays while the owner follows."""
        trader = self.books.traders.get(command.uid)
        found = self.books.traders.get(command.lead_uid)
        lead = lead_to_follow(
            self.contracts, command, trader, None if found is None else found.lead
        )
        if isinstance(lead, Rejected):
            return [lead]
        account = self.contracts.ledger.accounts[command.uid]
        holding = self.contracts.collateral.holding_of(account)
        account.copies = True
        if trader is None:
            trader = self.books.traders[command.uid] = Trader()
        following = trader.followings.get(command.lead_uid)
        if following is None:
            following = Following(self.books.next_number, holding, lead, command.time)
            self.books.next_number += 1
            self.books.followings[following.number] = following
            trader.followings[command.lead_uid] = following
        events: list[Event] = []
        if not following.active:
            events = self._agree(following)
            following.active = True
            insort(lead.followers, following.number)
        following.unified = command.unified
        following.configs = command.configs
        followed = Followed(
            command.uid, command.lead_uid, following.number, command.unified, command.configs
        )
        return [followed, *events]

    def _agree(self, following: Following) -> list[Event]:
        """Apply the lead's present share to a pair. Earlier gains are settled first at the share
        that applied to them; while a part of that is owed, the old share stays."""
        share_ppm = following.lead.share_ppm
        if share_ppm == following.share_ppm:
            return []
        today = following.today
        events = self.books.shares.settle(following)
        following.today = today  # the bound on a day's loss goes on
        if max(0, following.net - following.high) * following.share_ppm < PPM:
            following.high = max(following.high, following.net)  # less than an atom is due of it
            following.share_ppm = share_ppm
        return events

    def stop(self, command: StopCopying) -> list[Event]:
        """Stop copying a lead's openings. Open copies are still closed with the lead's position,
        and their profit is still shared."""
        trader = self.books.traders.get(command.uid)
        following = None if trader is None else trader.followings.get(command.lead_uid)
        if following is None or not following.active:
            return [Rejected(Reject.NOT_FOLLOWING)]
        following.active = False
        following.lead.followers.remove(following.number)
        copies = len(following.copies)
        self._forget(following)
        return [FollowStopped(command.uid, command.lead_uid, copies)]

    def close(self, command: CloseCopy) -> list[Event]:
        """Close one copy at market at its owner's request."""
        trader = self.books.traders.get(command.uid)
        found = None
        if trader is not None:
            for following in trader.followings.values():
                found = found or following.copies.get(command.copy_no)
        if found is None or found.track.perp.symbol != command.symbol:
            return [Rejected(Reject.COPY_UNKNOWN)]
        perp = found.track.perp
        if perp.market.halted:
            return [Rejected(Reject.HALTED, 0, perp.market.halt_reason)]
        lots = min(found.lots, perp.market.instrument.market_quantity_max)
        order = self.contracts.closing_order(
            found.tracked.position, MARKET, lots, 0, CAUSE_COPY, command.time
        )
        said = self.repeating.enter(order, found, command.time)
        if order.terms.bounded and found.lots:
            found.due = max(found.due, min(found.lots, order.remaining))
            self.books.behind.add(found)  # the rest, near the mark, with each tick
        return said

    # -- slices ----------------------------------------------------------------------------------

    def work(self, time: int) -> list[Event]:
        """Run the next slice: of the daily settlement, and of the leads' acts to repeat."""
        events = self._settle() if self.settling else []
        return events + self.repeating.work(time) if self.books.echoes else events

    def pass_time(self, time: int) -> list[Event]:
        """Start the daily settlement, and try again to close copies that could not be closed."""
        today = time // DAY_US
        if self.day and today > self.day and not self.settling:
            self.day = today
            self.settling = 1
            self.settle_last = self.books.next_number - 1
        events: list[Event] = []
        most = self.contracts.looked + ASKED_MAX
        behind = self.books.behind
        behind.wake(time)
        done = 0
        for _ in range(TRIED_MAX):
            copy = None if self.contracts.looked >= most or done == RETRIES_MAX else behind.next()
            if copy is None:
                break
            due = copy.due
            self.repeating.close_due(copy, time, events)
            closed = copy.due < due
            done += closed
            if copy.due:
                behind.retry_later(copy, time, closed=closed)
        return events

    def _settle(self) -> list[Event]:
        """Settle the next pairs, in the order of following."""
        events: list[Event] = []
        numbers = list(self.books.followings)
        place = bisect_left(numbers, self.settling)
        for number in numbers[place : place + SETTLED_MAX]:
            if number > self.settle_last:
                break
            self.settling = number + 1
            following = self.books.followings[number]
            events += self.books.shares.settle(following)
            self._forget(following)
        if place + SETTLED_MAX >= len(numbers) or self.settling > self.settle_last:
            self.settling = self.settle_last = 0
        return events

    def _forget(self, following: Following) -> None:
        """Remove a pair that is over."""
        if not idle(following):
            return
        del self.books.followings[following.number]
        del self.books.traders[following.account.uid].followings[following.lead.account.uid]
