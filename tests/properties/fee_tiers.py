"""Fee tiers as rule 9.5 says, told by events alone."""

from __future__ import annotations

from typing import Final

from support.contract_walk import FIRST_UID, SECOND
from venue.core.engine import Engine
from venue.core.messages.benefit_commands import FeeTier, SetFeeTiers
from venue.core.messages.commands import Command, Proceed, SetFees, Tick
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Event, Rejected
from venue.core.units import PPM
from venue.vocabulary import Cause

DAY: Final = 86_400 * SECOND
NONE: Final = (-1, -1)
CONTRACT: Final = 1

Rates = tuple[int, int]


class TierModel:
    """`volumes` is uid -> day -> atoms; `tiers` and `own` are the rates that owners have."""

    def __init__(self) -> None:
        self.table: list[FeeTier] = []
        self.volumes: dict[int, dict[int, int]] = {}
        self.tiers: dict[int, Rates] = {}
        self.own: dict[int, Rates] = {}
        self.day = 0
        self.changes = 0

    def hear(self, engine: Engine, command: Command, events: list[Event]) -> None:
        """Take one command's events; `engine` is after it, and tells who gives and gets shares."""
        refused = bool(events) and isinstance(events[0], Rejected)
        if isinstance(command, SetFeeTiers) and not refused:
            self.table = command.tiers
        if isinstance(command, SetFees) and command.product == CONTRACT and not refused:
            self.own[command.uid] = (command.maker_ppm, command.taker_ppm)
        today = command.time // DAY
        if isinstance(command, Tick | Proceed) and today != self.day:
            self.day = today
            for uid in self.volumes:
                self._judge(uid, today)
        for event in events:
            if self.table and isinstance(event, ContractTrade):
                self._count(engine, event, today)

    def _count(self, engine: Engine, event: ContractTrade, today: int) -> None:
        sides = (event.maker, event.taker)
        free = sum(side.fee for side in sides) == 0
        outside = event.cause in (Cause.TAKEOVER, Cause.DELEVERAGE)
        if free or outside or event.maker.uid == event.taker.uid:
            return
        rates = [one for tier in self.table for one in (tier.maker_ppm, tier.taker_ppm) if one]
        kept = sum(_kept(engine, side.uid, side.fee) for side in sides)
        amount = min([event.notional, *(kept * PPM // min(rates) for _ in rates[:1])])
        for side in sides:
            if side.uid >= FIRST_UID and kept:
                days = self.volumes.setdefault(side.uid, {})
                days[today] = days.get(today, 0) + amount

    def _judge(self, uid: int, today: int) -> None:
        days = self.volumes[uid]
        volume = sum(amount for day, amount in days.items() if today - 30 <= day < today)
        found = NONE
        for tier in self.table:
            if tier.volume <= volume:
                found = (tier.maker_ppm, tier.taker_ppm)
        self.changes += found != self.tiers.get(uid, NONE)
        self.tiers[uid] = found

    def check(self, engine: Engine) -> None:
        """Every owner has the rates that it should have."""
        for uid in engine.ledger.accounts:
            holding = engine.holding(uid)
            rates = (holding.maker_ppm, holding.taker_ppm)
            own = self.own.get(uid, NONE)
            assert rates == (own if own != NONE else self.tiers.get(uid, NONE)), uid


def _kept(engine: Engine, uid: int, fee: int) -> int:
    """The part of a contract fee left after discount and share, each rounded down."""
    ledger = engine.ledger
    benefits = ledger.accounts[uid].benefits
    if benefits is None:
        return fee
    rest = fee - fee * ledger.rebate_ppm(ledger.accounts[uid]) // PPM
    return rest - rest * ledger.share_of(benefits.inviter, CONTRACT) // PPM
