"""Callers at random before a slow disk: all are answered, and the journal gives the state again.

Enemies: a revert between commands that are under way, a close of many positions before it, a clock
that stood still for long and one that goes back with the state, a stop in the middle.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from support.sequencing import Clock, Desk, Gate, run
from venue.core.contract.closing import CLOSED_MAX
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    ClosePositions,
    Command,
    CreateOwner,
    Deposit,
    ListContract,
    PlaceContractOrder,
    PostIndex,
    RegisterAsset,
    SetMarginMode,
    Tick,
)
from venue.core.messages.events import OwnerCreated
from venue.core.messages.savepoints import KeepState, RevertState, StateReverted
from venue.core.state.snapshot import state_hash
from venue.core.units import AMOUNT_MAX
from venue.journal.recovery import recover
from venue.node.sequencer import LATE_US, TOGETHER_MAX
from venue.vocabulary import BUY, GTC, LIMIT, LONG, SELL, SHORT, SeparatedMode, Wallet

SYMBOL = "BTCUSDT"
PRICE = 1_000
MONEY = 10**12
POSITIONS = 2 * CLOSED_MAX + 3  # closed by three commands
STEPS = 120
GRID = Instrument(SYMBOL, "BTC", "USDT", 1, 0, 1, 0, 1, 10**6, 10**6, 0, 0)
CONTRACT = Contract(
    GRID, 50, 10**7, 10**8, [Tier(AMOUNT_MAX, 50, 5_000)], index_sources=("desk",),
    index_step_ppm=3_750,
)  # fmt: skip


class Nothing:
    """No views: the engine alone is recovered."""

    def restore(self, parts: dict[str, bytes], engine: Any) -> None: ...

    def note(self, applied: Applied) -> None: ...

    def follow(self, batch: list[Applied]) -> None: ...


class Walk:
    """One random story of callers, disk and clock."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.journal = Gate()
        self.clock = Clock(1)
        self.desk = Desk(self.journal, self.clock)
        self.asked: list[tuple[list[Command], asyncio.Future[list[Applied]]]] = []
        self.published: list[Applied] = []
        self.told: list[list[Applied]] = []
        self.desk.outbox.follow(self.published.extend)
        self.desk.outbox.follow(self._follow)
        self.alice = self.bob = 0

    def _follow(self, batch: list[Applied]) -> None:
        if type(batch[0].command) is RevertState:
            self.told.append(batch)
            self.clock.times = [self.desk.engine.time]

    def ask(self, *commands: Command, patient: bool = False) -> None:
        """Have commands applied together, and go on."""
        answer = self.desk.sequencer.submit(list(commands), patient=patient)
        self.asked.append((list(commands), answer))

    async def found(self) -> None:
        """One contract, Alice with separated positions against Bob, and a kept state."""
        self.journal.open.set()
        self.ask(RegisterAsset("USDT", 0), RegisterAsset("BTC", 0), ListContract(CONTRACT))
        self.ask(PostIndex(SYMBOL, "desk", PRICE, jump=True))
        self.ask(CreateOwner("alice"), CreateOwner("bob"))
        await self.asked[-1][1]
        self.alice, self.bob = [
            done.events[0].uid
            for done in self.published
            if isinstance(done.events[0], OwnerCreated)
        ][-2:]
        for uid in (self.alice, self.bob):
            self.ask(Deposit(uid, int(Wallet.CONTRACT), "USDT", MONEY))
        self.ask(SetMarginMode(self.alice, SYMBOL, 0, int(SeparatedMode.SEPARATED)))
        self.ask(*self._opening())
        self.ask(KeepState("then"))
        await self.asked[-1][1]
        assert len(self.desk.engine.holding(self.alice).positions) == POSITIONS

    def _opening(self) -> list[Command]:
        """Alice opens her positions with Bob, who then bids for all of them."""
        sale = self._order(self.bob, SELL, SHORT, POSITIONS)
        buys = [self._order(self.alice, BUY, LONG, 1) for _ in range(POSITIONS)]
        return [sale, *buys, self._order(self.bob, BUY, SHORT, POSITIONS)]

    def _order(self, uid: int, side: int, position_side: int, lots: int) -> Command:
        return PlaceContractOrder(uid, SYMBOL, side, position_side, LIMIT, GTC, lots, PRICE)

    async def step(self) -> None:
        """Something happens."""
        chance = self.random.random()
        if chance < 0.35:
            self.ask(*[Tick()] * self.random.randint(1, 4), patient=self.random.random() < 0.2)
        elif chance < 0.45:
            self.ask(RevertState(self.random.choice(["then", "then", "never"])))
        elif chance < 0.5:
            self.ask(KeepState(self.random.choice(["then", "now"])))
        elif chance < 0.58:
            self.ask(ClosePositions(self.alice, SYMBOL))
        elif chance < 0.6:
            self.ask(*self._opening())
        elif chance < 0.63:  # more than go together: they take turns
            for _ in range(TOGETHER_MAX + 20):
                self.ask(Tick())
        elif chance < 0.7:
            passed = self.random.choice([1, 1_000, LATE_US - 1, 3 * LATE_US])
            self.clock.times = [self.clock.times[-1] + passed]
        elif chance < 0.8:
            self.journal.open.clear()
        elif chance < 0.9:
            self.journal.open.set()
        else:
            for _ in range(self.random.randint(1, 5)):
                await asyncio.sleep(0)

    async def end(self) -> None:
        """Let the disk go on, and stop: at rest, or with whatever waits."""
        self.journal.open.set()
        if self.random.random() < 0.5:
            for _, answer in self.asked:
                await answer
        await self.desk.sequencer.stop()
        self.desk.sequencer.close()

    def check(self) -> None:
        """All were answered in order, followers heard all, and a replay comes to the same state."""
        assert self.desk.failures == []
        for commands, answer in self.asked:
            applied = answer.result()
            assert [done.command for done in applied] == commands
            numbers = [done.sequence for done in applied]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert [done.sequence for done in self.published] == [
            number + 1 for number in range(self.desk.engine.sequence)
        ]
        self._check_reverts()
        again = recover(self.journal, 2**63, Nothing())
        assert state_hash(again) == state_hash(self.desk.engine)

    def _check_reverts(self) -> None:
        """Each stood alone and was told; time went back with it, and nothing was under way."""
        assert all(len(batch) == 1 for batch in self.told)
        reverts = [done for done in self.published if type(done.command) is RevertState]
        assert [batch[0].sequence for batch in self.told] == [done.sequence for done in reverts]
        time = 0
        for done in self.published:
            assert done.time >= time
            time = done.time
            event = done.events[0] if done.events else None
            if isinstance(event, StateReverted):
                time = event.time


@pytest.mark.parametrize("seed", range(30))
def test_everybody_is_answered_and_the_journal_gives_the_state(seed: int) -> None:
    async def story() -> None:
        walk = Walk(seed)
        await walk.found()
        for _ in range(STEPS):
            await walk.step()
        await walk.end()
        walk.check()

    run(story)
