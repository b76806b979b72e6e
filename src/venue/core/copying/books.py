"""Leads, followers and copies, and the effect of every trade on them (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.copying.overdue import Overdue
from venue.core.copying.people import CopiedPosition, Copy, Echo, Following, Lead, Track, Trader
from venue.core.copying.shares import Shares
from venue.core.messages.contract_events import ContractTrade, Leg
from venue.core.messages.copy_events import CopyClosed, TrackClosed
from venue.core.messages.events import Event
from venue.core.units import ceil_div, part_down

TRADE: Final = ContractTrade
ECHOES_MAX: Final = 64  # of a lead that wait: openings beyond that are not copied


class Books:
    """Leads, followers and copies. `traders` are by uid, `followings` by number, ascending.

    `echoes` are acts of leads that not all followers have repeated, by the lead's uid: leads are
    served in turn. `behind` are the copies with lots that are due but not closed yet.
    """

    __slots__ = ("behind", "closing_copy", "closing_id", "contracts", "echoes", "followings",
                 "next_number", "shares", "traders")  # fmt: skip

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.shares = Shares(contracts.collateral)
        self.traders: dict[int, Trader] = {}
        self.followings: dict[int, Following] = {}
        self.echoes: dict[int, list[Echo]] = {}
        self.behind = Overdue()
        self.next_number = 1
        # The copy whose closing order is being executed: no state between commands.
        self.closing_copy: Copy | None = None
        self.closing_id = 0

    def note(self, events: list[Event], time: int) -> list[Event]:
        """Process trades. A lead's trades are scheduled for its followers to repeat; when a
        follower closes a copy, the lead's share of its profit is taken."""
        said: list[Event] = []
        traders = self.traders
        for event in events:
            if type(event) is TRADE:
                taker, maker = event.taker, event.maker
                # An owner that trades with itself may close and open one position, which lives
                # on: the opening side counts first.
                for leg in (taker, maker) if taker.opens else (maker, taker):
                    trader = traders.get(leg.uid)
                    if trader is None:
                        continue
                    if trader.lead is not None:
                        self._lead_leg(trader.lead, event, leg, said)
                    else:
                        tracked = trader.tracked.get(leg.position_id)
                        if tracked is not None:
                            self._tracked_leg(tracked, event, leg, time, said)
        return said

    def _lead_leg(self, lead: Lead, event: ContractTrade, leg: Leg, said: list[Event]) -> None:
        """Process one fill of a lead: schedule it for its followers to repeat."""
        track = lead.tracks.get(leg.position_id)
        if track is None:
            perp = self.contracts.markets[event.symbol]
            position = lead.holding.positions.get(leg.position_id)
            if not leg.opens or not lead.covers(perp) or position is None:
                return
            track = Track(leg.position_id, perp, leg.position_side, position)
            track.first_order_id = leg.order_id
            lead.tracks[leg.position_id] = track
        lots = event.quantity
        if leg.opens:
            track.quantity += lots
            if lead.active and lead.followers:
                self._add_opening(lead, track, event, leg)
            track.order_id = leg.order_id
            return
        before = track.quantity
        track.quantity -= lots
        if track.copies or self._has_echo(lead, track):
            echo = self._open_echo(lead, track, opens=False)
            if echo is None:
                echo = self._new_echo(lead, track, opens=False)
            echo.before = echo.before or before
            echo.after = track.quantity
        if not track.quantity:
            self._end_track(lead, track, said)

    def _add_opening(self, lead: Lead, track: Track, event: ContractTrade, leg: Leg) -> None:
        """Schedule an opening for repetition, unless too many acts of the lead are waiting."""
        echo = self._open_echo(lead, track, opens=True)
        if echo is None:
            if len(self.echoes.get(lead.account.uid, ())) >= ECHOES_MAX:
                return
            echo = self._new_echo(lead, track, opens=True)
        echo.lots += event.quantity
        echo.amount += event.notional
        if lead.count(leg.order_id):
            echo.first = True

    def _open_echo(self, lead: Lead, track: Track, *, opens: bool) -> Echo | None:
        """Return the latest echo of the same kind, to which one more fill can be added; None when a
        follower has repeated it already."""
        for last in reversed(self.echoes.get(lead.account.uid, ())):
            if last.track is track:
                return last if last.opens == opens and not last.number else None
        return None

    def _new_echo(self, lead: Lead, track: Track, *, opens: bool) -> Echo:
        """Add an echo: one more act for followers to repeat."""
        echo = Echo(lead, track, self.next_number - 1, opens=opens)
        self.echoes.setdefault(lead.account.uid, []).append(echo)
        return echo

    def _has_echo(self, lead: Lead, track: Track) -> bool:
        """Return whether followers still have to open a position of the lead."""
        return any(echo.track is track for echo in self.echoes.get(lead.account.uid, ()))

    def _end_track(self, lead: Lead, track: Track, said: list[Event]) -> None:
        del lead.tracks[track.number]
        position = track.position
        track.position = None
        if position is not None:
            said.append(
                TrackClosed(
                    track.number, lead.account.uid, track.perp.symbol, track.side,
                    track.first_order_id, position.leverage, position.open_size,
                    position.open_value, position.open_fee, position.close_value,
                    position.close_fee, position.realized, track.followers, position.created,
                )
            )  # fmt: skip

    def _tracked_leg(
        self, tracked: CopiedPosition, event: ContractTrade, leg: Leg, time: int, said: list[Event]
    ) -> None:
        """Process one fill of a position that carries copies. A close takes the owner's own lots
        first, then the newest copies; a copy's own closing order closes that copy."""
        lots = event.quantity
        if leg.opens:
            tracked.quantity += lots
            return
        tracked.quantity -= lots
        copy = self.closing_copy
        if copy is not None and leg.order_id == self.closing_id and copy.tracked is tracked:
            self._reduce(copy, min(copy.lots, lots), event, leg, time, said)
        while tracked.lots > tracked.quantity:
            copy = tracked.copies[-1]
            excess = tracked.lots - tracked.quantity
            self._reduce(copy, min(copy.lots, excess), event, leg, time, said)

    def _reduce(
        self, copy: Copy, lots: int, event: ContractTrade, leg: Leg, time: int, said: list[Event]
    ) -> None:
        """Close a part of a copy, and take the lead's share of its profit."""
        if not lots:
            return
        amount = part_down(event.notional, lots, event.quantity)
        fee = ceil_div(leg.fee * lots, event.quantity)
        value = part_down(copy.value, lots, copy.lots)
        open_fee = ceil_div(copy.fee * lots, copy.lots)
        copy.lots -= lots
        copy.value -= value
        copy.fee -= open_fee
        copy.close_value += amount
        copy.close_fee += fee
        copy.updated = time
        copy.due = max(0, copy.due - lots)
        copy.tracked.lots -= lots
        following = copy.following
        symbol = event.symbol
        following.hold(copy.track, -lots, -value, -open_fee)
        profit = copy.track.side * (amount - value)
        copy.realized += profit
        net = profit - fee - open_fee
        following.net += net
        following.today += net
        if net > 0:
            taken, moved = self.shares.pre_deduct(following, net, symbol)
            copy.paid += taken
            said += moved
        if not copy.due:
            self.behind.drop(copy)
        if not copy.lots:
            self._end_copy(copy, said)

    def _end_copy(self, copy: Copy, said: list[Event]) -> None:
        copy.forget()
        tracked, following = copy.tracked, copy.following
        uid = following.account.uid
        if not tracked.copies:
            del self.traders[uid].tracked[tracked.position.position_id]
        said.append(
            CopyClosed(
                copy.number, uid, following.lead.account.uid, copy.track.number,
                copy.track.perp.symbol, copy.track.side, copy.order_id, copy.leverage,
                copy.open_size, copy.open_value, copy.open_fee, copy.close_value, copy.close_fee,
                copy.realized, copy.paid, copy.created,
            )
        )  # fmt: skip
