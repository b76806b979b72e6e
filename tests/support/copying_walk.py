"""A random contract venue with copy trading: two leads, and owners that follow, stop and close."""

from __future__ import annotations

from typing import Final

from support.contract_walk import FIRST_UID, OWNERS, SECOND, START, SYMBOLS, UNIT, Walk
from venue.core.copying.people import Copy
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.benefit_commands import FeeTier, SetFeeTiers
from venue.core.messages.commands import Command
from venue.core.messages.copy_commands import (
    CloseCopy,
    CopyConfig,
    Follow,
    SetLead,
    StopCopying,
)

LEADS: Final = (FIRST_UID, FIRST_UID + 1)
DAY: Final = 86_400 * SECOND


class CopyingWalk:
    """Commands for one engine: those of `contract_walk`, and those of copy trading between them."""

    def __init__(self, seed: int, fund: int) -> None:
        self.walk = Walk(seed, fund)
        self.random = self.walk.random

    def opening(self) -> list[Command]:
        """The opening commands of `Walk`, then the leads and their first followers."""
        found = self.walk.opening()
        rich = FIRST_UID + OWNERS - 1
        tiers = [FeeTier(50 * START * UNIT, 100, 300), FeeTier(500 * START * UNIT, 0, 200)]
        found.append(SetFeeTiers(1, "QQQ", tiers))
        found.append(commands.Deposit(rich, 1, "QQQ", 1_000 * START * UNIT))
        for uid in LEADS:
            found.append(self._terms(uid))
        for number in range(2, OWNERS):
            for lead in LEADS:
                if self.random.random() < 0.7:
                    found.append(self._follow(FIRST_UID + number, lead))
        return found

    def step(self, engine: Engine) -> Command:
        """The next command, stamped."""
        if engine.pending() and self.random.random() < 0.8:
            command: Command = commands.Proceed()
        elif self.random.random() < 0.45:
            command = self._copying(engine)
        else:
            return self.walk.step(engine)
        command.time = self.walk.time
        return command

    def _copying(self, engine: Engine) -> Command:
        random = self.random
        uid = FIRST_UID + random.randrange(OWNERS)
        if random.random() < 0.55:
            return self._quote(engine, FIRST_UID + OWNERS - 1)
        if random.random() < 0.4:
            return self._led(engine)
        chance = random.random()
        if chance < 0.30:
            return self._follow(uid, random.choice([*LEADS, uid, FIRST_UID + 3]))
        if chance < 0.42:
            return StopCopying(uid, random.choice(LEADS))
        if chance < 0.50:
            return self._terms(random.choice([*LEADS, uid]))
        if chance < 0.56:  # to a midnight and beyond
            self.walk.time += DAY - self.walk.time % DAY + random.randrange(3) * SECOND
            return commands.Tick()
        if chance < 0.60:
            return commands.FreezeOwner(uid, random.random() < 0.3)
        if chance < 0.66:
            return commands.HaltInstrument(
                random.choice(SYMBOLS), random.random() < 0.3, "rest", product=1
            )
        if chance < 0.72:
            return commands.Withdraw(uid, 1, "QQQ", random.choice([1, 1_000, 100_000]))
        if chance < 0.75:
            return commands.Deposit(uid, 1, "QQQ", 5 * START * UNIT)
        copy = self._copy(engine)
        if copy is None:
            return CloseCopy(uid, random.choice(SYMBOLS), 10**15 + random.randrange(100))
        owner = copy.following.account.uid if random.random() < 0.8 else uid
        return CloseCopy(owner, copy.track.perp.symbol, copy.number)

    def _led(self, engine: Engine) -> Command:
        """A lead opens or closes at market."""
        random = self.random
        uid, symbol = random.choice(LEADS), random.choice(SYMBOLS)
        holding = engine.holding(uid)
        held = list(holding.positions.values())
        if held and random.random() < 0.6:
            found = random.choice(held)
            return commands.ClosePositions(uid, "", found.position_id)
        side = random.choice([0, 1])
        return commands.PlaceContractOrder(
            uid, symbol, side, 1 if side == 0 else -1, 1, 1, random.randint(1, 60), 0
        )

    def _quote(self, engine: Engine, uid: int) -> Command:
        """A rich owner rests lots near the mark, which followers' orders can reach."""
        random = self.random
        symbol = random.choice(SYMBOLS)
        mark = engine.contracts.markets[symbol].mark or START
        side = random.choice([0, 1])
        away = mark * random.randint(0, 12) // 1_000
        price = max(1, mark - away if side == 0 else mark + away)
        lots = random.choice([5, 50, 200])
        if engine.account(uid).contract[0].held > 500 * START * UNIT:
            return commands.CancelContractOrders(uid)
        return commands.PlaceContractOrder(
            uid, symbol, side, 1 if side == 0 else -1, 0, 0, lots, price
        )

    def _terms(self, uid: int) -> Command:
        random = self.random
        third = random.choice([0, 0, FIRST_UID + 2, FIRST_UID + 7])
        symbols = random.choice([[], [], [SYMBOLS[0]], list(SYMBOLS)])
        share = random.choice([0, 100_000, 100_000, 333_333])
        return SetLead(uid, "QQQ", random.random() < 0.9, share, third, 250_001, symbols)

    def _follow(self, uid: int, lead: int) -> Command:
        random = self.random
        if random.random() < 0.3:
            return Follow(uid, lead, False, [self._config(name) for name in SYMBOLS])
        return Follow(uid, lead, True, [self._config("")])

    def _config(self, symbol: str) -> CopyConfig:
        random = self.random
        by_amount = random.random() < 0.3
        value = random.choice([200_000, 2_000_000]) if by_amount else random.choice([10**5, 10**6])
        exit_ = random.choice([0, 0, 100_000, 2_000_000])
        return CopyConfig(
            symbol, by_amount, value, random.choice([10**8, 10**9, 10**12]), exit_,
            random.choice([0, 0, 200_000]), random.choice([0, 0, 1_000, 10_000]),
            random.choice([-1, 0, 1]), random.choice([0, 1, 2]), random.choice([2, 10, 50]),
            random.choice([3, 20]), [(SYMBOLS[0], 7, 8)],
            random.choice([[], [SYMBOLS[1]]]) if not symbol else [],
        )  # fmt: skip

    def _copy(self, engine: Engine) -> Copy | None:
        followings = engine.copying.books.followings.values()
        found = [copy for following in followings for copy in following.copies.values()]
        return self.random.choice(found) if found else None
