"""A practice venue's session: its agents trade, and owners do everything that leaves rows."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Final, cast

from venue.api.streams.channels import KeptFrame
from venue.core.contract.collateral import FUND_UID
from venue.core.messages import benefit_commands, commands, copy_commands
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state.snapshot import begin
from venue.history.kept_events import KeptEvents
from venue.lab import demo
from venue.lab.agents.all_agents import AllAgents
from venue.lab.agents.spot import STEP_US
from venue.node.sequencer import Sequencer
from venue.recording.recorder import Recorder
from venue.vocabulary import (
    ALGO_STOP_MARKET,
    BUY,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    SELL,
    SHORT,
    WALLET_CONTRACT,
    WALLET_FUNDING,
    WALLET_SPOT,
)

BEGIN_US: Final = 1_767_225_600_000_000
HOUR_US: Final = 3_600_000_000
MET: Final = "agent-steady-BTCUSDT"  # somebody acts as it
COPIED: Final = "agent-contract-noise-BTCUSDT"  # a lead
LIVE, DEMO = "ETHUSDT", "BTCSUSDT"
WAYS: Final = ((BUY, LONG), (SELL, SHORT), (SELL, LONG), (BUY, SHORT))
LITTLE: Final = 10**12  # money, in atoms: enough for some positions at high leverage
COPIES: Final = copy_commands.CopyConfig("", False, 1_000_000, 10**15, margin_mode=0)


class Session:
    """Its commands, as the engine answered them (`applied`) and as history keeps them (`kept`)."""

    def __init__(self, count: int, seed: int = 9) -> None:
        self.engine = begin()
        self.recorder = Recorder()
        self.recorder.restore(b"", self.engine)
        self.applied: list[Applied] = []
        self.kept: list[Applied] = []
        self.frames: list[KeptFrame] = []
        self._keeping = KeptEvents(self.engine)
        self._time = BEGIN_US
        self._choice = random.Random(seed)
        uids = {one.name: 10_000_001 + number for number, one in enumerate(demo.ACCOUNTS)}
        self.say(*demo.genesis(), *demo.funding(uids))
        self._agents = AllAgents(self.engine, seed)
        asyncio.run(self._agents.begin(cast(Sequencer, self)))
        self._uids = uids
        self._meet()
        self._live(count)

    def owners(self) -> list[int]:
        """All but the agents of the venue."""
        return [one.uid for one in self.engine.ledger.accounts.values() if not one.agent]

    def uid(self, name: str) -> int:
        return self.engine.ledger.names[name]

    async def submit(self, given: Sequence[Command]) -> None:
        self.say(*given)

    def say(self, *given: Command) -> list[Event]:
        said: list[Event] = []
        for command in given:
            command.time = self._time
            said = self.engine.apply(command)
            self._time = self.engine.time
            self.applied.append(Applied(self.engine.sequence, command.time, command, said))
            self.recorder.note(self.applied[-1])
            self.frames += self.recorder.take()
            self.kept.append(self._keeping.of(self.applied[-1]))
        if type(given[-1]) is not commands.Proceed:
            while self.engine.pending():  # as the sequencer has it go on
                self.say(commands.Proceed())
        return said

    def _meet(self) -> None:
        """Alice invites bob and leads him; carol copies an agent; alice has private frames."""
        alice, bob, carol = (self._uids[name] for name in ("alice", "bob", "carol"))
        for name in (demo.LIVE, demo.DEMO):
            self.say(commands.Deposit(carol, WALLET_CONTRACT, name, 10**13))
        self.say(benefit_commands.SetAffiliate(alice, "ALICE", 300_000, 300_000))
        self.say(benefit_commands.Invite(bob, alice))
        self.say(benefit_commands.Invite(self.uid(MET), alice))  # refused
        self.say(copy_commands.SetLead(alice, demo.LIVE, True, 100_000))
        self.say(copy_commands.Follow(bob, alice, True, [COPIES]))
        self.say(copy_commands.SetLead(self.uid(COPIED), demo.LIVE, True, 100_000))
        self.say(copy_commands.Follow(carol, self.uid(COPIED), True, [COPIES]))
        self.say(commands.RecordStreams(alice))

    def _live(self, count: int) -> None:
        """Agents and owners trade; a state is kept and reverted; hours pass, a price jumps."""
        length = max(count, len(self.applied) + 1)
        acts = self._turns()
        turns = {length * part // len(acts): act for part, act in enumerate(acts)}
        aside = b""
        while len(self.applied) < length:
            self._time += STEP_US
            self.say(*self._agents.step(self._time), *self._owners_step(), commands.Tick())
            due = next((at for at in turns if at <= len(self.applied)), None)
            act = turns.pop(due) if due is not None else ""
            if act == "keep":
                aside = self._agents.dump()
                self.say(KeepState("kept"))
            elif act == "revert":
                self.say(RevertState("kept"))
                self._time = self.engine.time
                self._agents.restore(aside)
            elif act == "act as":
                self.say(commands.RecordStreams(self.uid(MET)))
            elif act == "hours":
                self._time += 9 * HOUR_US
                self.say(commands.Tick())
            elif act == "day":
                self._time += 24 * HOUR_US
                self.say(commands.Tick())
            elif act in ("jump", "take over", "deleverage"):
                self._jump(act)
            elif act == "settle":
                self._settle()

    @staticmethod
    def _turns() -> Sequence[str]:
        return (
            "", "jump", "hours", "keep", "act as", "take over",
            "revert", "act as", "deleverage", "settle", "take over", "day",
        )  # fmt: skip

    def _empty(self, uid: int, name: str) -> None:
        """Take out of an owner's contract wallet what may leave it."""
        account, asset = self.engine.account(uid), self.engine.ledger.ordinals[name]
        free = self.engine.owners.movable(account, WALLET_CONTRACT, asset)
        self.say(commands.Withdraw(uid, WALLET_CONTRACT, name, free))

    def _open_positions(self) -> None:
        """An agent and bob are long with little money, carol is short as the makers are."""
        agent = self.uid(COPIED.replace("BTCUSDT", DEMO))
        bob, carol = self._uids["bob"], self._uids["carol"]
        perp = self.engine.contracts.markets[DEMO]
        lots = LITTLE * 8 // (perp.mark * perp.unit)
        for uid, side, way in ((agent, BUY, LONG), (carol, SELL, SHORT), (bob, BUY, LONG)):
            self._empty(uid, demo.DEMO)
            self.say(commands.Deposit(uid, WALLET_CONTRACT, demo.DEMO, LITTLE))
            self.say(commands.SetLeverage(uid, DEMO, 100))
            for _ in range(4):
                order = (uid, DEMO, side, way, MARKET, IOC, lots, 0)
                self.say(commands.PlaceContractOrder(*order))

    def _jump(self, act: str) -> None:
        """The longs are liquidated: in the book, or by the fund, or others are deleveraged."""
        self._open_positions()
        if act == "deleverage":
            self._empty(FUND_UID, demo.DEMO)
        if act != "jump":
            for uid in self.engine.ledger.accounts:
                self.say(commands.CancelContractOrders(uid, DEMO))
        price = self.engine.contracts.markets[DEMO].index_price
        for drop in (95, 90, 85):
            self._time += STEP_US
            self.say(commands.PostIndex(DEMO, demo.POSTED, price * drop // 100, jump=True))
            self.say(commands.Tick())

    def _settle(self) -> None:
        """A contract ends, in which agents and owners hold positions."""
        for name in ("alice", "bob", "carol"):
            order = (self._uids[name], LIVE, BUY, LONG, MARKET, IOC, 500, 0)
            self.say(commands.PlaceContractOrder(*order))
        self.say(commands.DelistContract(LIVE))
        self.say(commands.SettleContract(LIVE, self.engine.contracts.markets[LIVE].index_price))

    def _owners_step(self) -> list[Command]:
        choice = self._choice
        uid = choice.choice([self._uids["alice"], self._uids["bob"], self._uids["carol"]])
        if self.engine.account(self.uid(MET)).recorded and choice.random() < 0.3:
            uid = self.uid(MET)
        return self._spot(uid) if choice.random() < 0.5 else self._contract(uid)

    def _spot(self, uid: int) -> list[Command]:
        choice, kind = self._choice, self._choice.random()
        symbol = choice.choice(("BTCUSDT", "ETHUSDT"))
        side, last = choice.choice((BUY, SELL)), self.engine.spot.markets[symbol].last_price
        if kind < 0.1:
            return [commands.CancelOrders(uid, symbol)]
        if kind < 0.15:
            moved = commands.Transfer(uid, WALLET_SPOT, WALLET_FUNDING, "USDT", 10**8)
            return [moved, commands.Withdraw(uid, WALLET_SPOT, "USDT", 10**8)]
        if kind < 0.5:
            return [commands.PlaceOrder(uid, symbol, side, MARKET, IOC, choice.randint(10, 900), 0)]
        price = last + choice.randint(-200, 200)
        client = choice.choice(("", f"c{choice.randint(1, 40)}"))
        lots = choice.randint(10, 900)
        return [commands.PlaceOrder(uid, symbol, side, LIMIT, GTC, lots, price, client)]

    def _contract(self, uid: int) -> list[Command]:
        choice, kind = self._choice, self._choice.random()
        symbol = choice.choice(("BTCUSDT", LIVE, DEMO))
        mark = self.engine.contracts.markets[symbol].mark
        if kind < 0.1:
            return [commands.CancelContractOrders(uid)]
        if kind < 0.15:
            return [commands.ClosePositions(uid, symbol)]
        if kind < 0.25:
            lots, below = choice.randint(10, 100), mark * 99 // 100
            stop = (uid, symbol, SELL, LONG, ALGO_STOP_MARKET, lots, below, 0)
            return [commands.PlaceAlgo(*stop)]
        side, position_side = choice.choice(WAYS)
        lots = choice.randint(10, 900)
        if kind < 0.6:
            order = (uid, symbol, side, position_side, MARKET, IOC, lots, 0)
        else:
            price = mark + choice.randint(-100, 100)
            order = (uid, symbol, side, position_side, LIMIT, GTC, lots, price)
        return [commands.PlaceContractOrder(*order)]
