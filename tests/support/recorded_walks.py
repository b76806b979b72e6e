"""The walks of the recording: between them each kind of command, and what can happen to money.

Each is a life of its own: spot, contracts, copying, benefits, prices in doubt, agents on the
practice venue, the operator's commands that no random walk gives, an order that is cut, and a
contract that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from msgspec.structs import replace

from support.benefit_walk import benefit
from support.contract_walk import FIRST_UID, OWNERS, SECOND, START, SYMBOLS, UNIT, Walk, contract
from support.copying_walk import CopyingWalk
from support.recording import contract_commands, spot_commands
from venue import Venue
from venue.core.engine import Engine
from venue.core.messages import benefit_commands, commands, savepoints
from venue.core.messages.benefit_events import ContentPosted
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import AlgoPlaced, ContractOrderReduced
from venue.core.messages.events import Event, Rejected
from venue.core.state.snapshot import begin
from venue.journal.opening import open_readonly
from venue.vocabulary import AdlPolicy

SOURCES: Final = ("spot", "desk", "wire")
DAY: Final = 86_400 * SECOND
BEGIN: Final = 1_700_000_000 * SECOND


class Steps(Protocol):
    """Gives commands by looking at an engine."""

    def opening(self) -> list[Command]: ...

    def step(self, engine: Engine) -> Command: ...


def walks(count: int) -> Iterator[tuple[str, list[Command]]]:
    """Each walk by name; the random ones together have about `count` commands."""
    each = count // 7
    yield "spot", spot_commands(each)
    for seed in (0, 6):  # in the latter closing orders are cut to their position
        yield f"contracts {seed}", contract_commands(seed, each)
    yield "copying", _walked(_Stamped(CopyingWalk(3, 2 * START * UNIT)), each)
    yield "benefits", _walked(BenefitWalk(4), each)
    for seed in range(2):
        yield f"doubt {seed}", _walked(DoubtWalk(seed), each)
    yield "agents", agents()
    yield "operator", operator()
    yield "cut", cut()
    yield "ended", ended()


def _walked(steps: Steps, count: int) -> list[Command]:
    engine = begin()
    found = []

    def say(command: Command) -> None:
        engine.apply(command)
        found.append(command)

    for command in steps.opening():
        say(command)
    for _ in range(count):
        say(steps.step(engine))
    return found


class _Stamped:
    """The walk of copying, its opening stamped as the rest."""

    def __init__(self, walk: CopyingWalk) -> None:
        self._walk = walk

    def opening(self) -> list[Command]:
        return _stamped(self._walk.opening(), self._walk.walk.time)

    def step(self, engine: Engine) -> Command:
        return self._walk.step(engine)


class BenefitWalk:
    """Contract traders with gifts, discounts, invitations, fee tiers and internal withdrawals."""

    def __init__(self, seed: int) -> None:
        self._walk = Walk(seed, 50 * START * UNIT)
        self._random = Random(seed)
        self._count = 0

    def opening(self) -> list[Command]:
        found = self._walk.opening()
        found.append(benefit_commands.SetDiscount("AAA", 5, 200_000))
        for uid in (FIRST_UID, FIRST_UID + 1):
            found.append(benefit_commands.SetAffiliate(uid, f"code{uid}", 100_000, 500_000))
        return _stamped(found, self._walk.time)

    def step(self, engine: Engine) -> Command:
        self._count += 1
        if self._random.random() < 0.2:
            command = benefit(self._random, FIRST_UID + self._random.randrange(OWNERS))
            command.time = self._walk.time
            return command
        if self._count % 150 == 149:
            self._walk.time += DAY
        return self._walk.step(engine)


class DoubtWalk:
    """A contract whose index comes from its spot book and two posted sources: they fall silent,
    disagree, run ahead of the index and are halted, while owners trade, stop and withdraw."""

    def __init__(self, seed: int) -> None:
        self._walk = Walk(100 + seed, 3 * START * UNIT)
        self._random = self._walk.random

    def opening(self) -> list[Command]:
        found = self._walk.opening()
        for name, policy in zip(SYMBOLS, AdlPolicy, strict=True):
            found.append(commands.ListInstrument(contract(name[:3], policy).instrument))
            for number in range(OWNERS):
                uid = FIRST_UID + number
                found.append(commands.Deposit(uid, 0, name[:3], 5_000))
                found.append(commands.Deposit(uid, 0, "QQQ", 50 * START * UNIT))
            changed = replace(
                contract(name[:3], policy), index_sources=SOURCES, index_notional=4 * START * UNIT
            )
            found.append(commands.ChangeContract(changed))
        return _stamped(found, self._walk.time)

    def step(self, engine: Engine) -> Command:
        random, walk = self._random, self._walk
        if engine.pending() and random.random() < 0.7:
            command: Command = commands.Proceed()
        elif random.random() < 0.45:
            command = self._evidence(engine)
        else:
            return walk.step(engine)
        command.time = walk.time
        return command

    def _evidence(self, engine: Engine) -> Command:
        """Something that the index is made of, time without it, or an operator's hand."""
        random, walk = self._random, self._walk
        symbol = random.choice(SYMBOLS)
        uid = FIRST_UID + random.randrange(OWNERS)
        around = walk.index[symbol]
        chance = random.random()
        if chance < 0.35:
            side, away = random.randrange(2), random.randint(-20, 60)
            price = around - away if side == 0 else around + away
            return commands.PlaceOrder(uid, symbol, side, 0, 0, random.choice([9, 30, 90]), price)
        if chance < 0.45:
            return commands.CancelOrders(uid, symbol)
        if chance < 0.65:
            apart = random.choice([0, 0, 0, 1, -1, 8, -20]) * around // 100
            source = random.choice(SOURCES[1:])
            return commands.PostIndex(symbol, source, max(0, around + apart))
        if chance < 0.85:
            walk.time += random.choice([1, 2, 5, 15, 61]) * SECOND
            return commands.Tick()
        if chance < 0.90:
            halted = random.random() < 0.4
            return commands.HaltInstrument(symbol, halted, "rest", product=random.randrange(2))
        if chance < 0.94:
            return commands.FreezeOwner(uid, random.random() < 0.3)
        if chance < 0.96:
            orders = list(engine.spot_account(uid).orders)
            return commands.GuardOrders(uid, 0, random.randint(1, 3), True, orders)
        if chance < 0.98:
            return commands.EndConnection(random.randint(1, 3))
        return commands.Withdraw(uid, 1, "QQQ", random.randint(1, 2 * START * UNIT))


def agents() -> list[Command]:
    """A minute and a half of the practice venue, on which alice and bob trade among the agents."""
    with TemporaryDirectory(prefix="venue-recorded-") as folder:
        path = str(Path(folder) / "venue.db")
        with Venue(seed=5, state=path) as v:
            alice, bob = v.account("alice"), v.account("bob")
            for number in range(3):
                v.run("20s")
                alice.buy("BTCUSDT", "0.02")
                bob.sell("ETHUSDT", "0.5")
                if number == 1:
                    v.call("halt", symbol="SOLUSDT", reason="rest")
        journal = open_readonly(path)
        try:
            return [command for _, piece in journal.read(0) for command in piece]
        finally:
            journal.close()


def operator() -> list[Command]:
    """The commands that change what is listed, told and kept, those that the state goes back by,
    and an owner's that no walk sends."""
    engine = begin()
    found: list[Command] = []
    uid, other, symbol = FIRST_UID, FIRST_UID + 1, SYMBOLS[0]
    perp = contract("AAA", AdlPolicy.QUEUE)

    def say(*told: Command) -> list[Event]:
        for command in told:
            command.time = BEGIN + len(found) // 4 * SECOND
            events = engine.apply(command)
            assert not any(isinstance(event, Rejected) for event in events), (command, events)
            found.append(command)
        return events

    say(
        commands.RegisterAsset("AAA", 2), commands.RegisterAsset("QQQ", 2),
        commands.ListInstrument(perp.instrument), commands.ListContract(perp),
        commands.CreateOwner("first"), commands.CreateOwner("second", 2),
        *(commands.Deposit(one, wallet, asset, 10**9)
          for one in (uid, other) for wallet, asset in ((0, "AAA"), (0, "QQQ"), (1, "QQQ"))),
        savepoints.KeepState("before", b"aside"), commands.RecordStreams(uid),
        commands.SetFees(uid, 100, 300), commands.SetFees(other, -1, -1, product=1),
        commands.ChangeInstrument(replace(perp.instrument, maker_ppm=0, buy_band_ppm=40_000)),
        commands.ChangeSetting("batchPlace", "true"), commands.Transfer(uid, 0, 2, "QQQ", 77),
        commands.PostIndex(symbol, "desk", START, jump=True),
        commands.PlaceContractOrder(uid, symbol, 0, 1, 0, 0, 10, START),
        commands.PlaceContractOrder(other, symbol, 1, -1, 0, 0, 10, START),
        commands.PlaceContractOrder(uid, symbol, 0, 1, 0, 0, 10, START - 100, "rests"),
        commands.CancelContractOrder(uid, 0, "rests"),
        commands.PlaceAlgo(uid, symbol, 1, 1, 0, 5, START - 900, START - 910, 1, "more"),
        commands.CancelAlgo(uid, 0, "more"),
    )  # fmt: skip
    stop = commands.PlaceAlgo(uid, symbol, 1, 1, 0, 5, START - 500, START - 510, 1, "stop")
    (placed,) = say(stop)
    assert isinstance(placed, AlgoPlaced)
    say(
        commands.ChangeAlgo(uid, placed.algo_id, START - 400, START - 420, 0),
        commands.PlaceOrder(uid, symbol, 0, 0, 0, 5, START), commands.CancelOrders(uid, symbol),
        commands.PlaceOrder(uid, symbol, 0, 0, 0, 5, START),
        commands.SetCancelAfter(uid, 0, 5 * SECOND),
        *(commands.PlaceOrder(uid, symbol, 0, 0, 0, 5, START, "again") for _ in range(2)),
        benefit_commands.SetAffiliate(uid, "code", 0, 0),
        *(benefit_commands.InternalWithdraw(uid, other, 0, 0, "QQQ", 9, "send") for _ in range(2)),
        benefit_commands.PostBanner("Look", "https://a.example/b.png", "https://a.example/"),
    )  # fmt: skip
    (posted,) = say(benefit_commands.PostArticle("News", "A text.", ["AAA"]))
    assert isinstance(posted, ContentPosted)
    say(benefit_commands.RemoveContent(posted.content_id))
    for most in (25, 10):  # positions at leverage 20 take the first tiers, and keep them
        fewer = [replace(tier, leverage_max=min(most, tier.leverage_max)) for tier in perp.tiers]
        say(commands.ChangeContract(replace(perp, leverage_max=most, tiers=fewer)))
    say(
        *(commands.Tick() for _ in range(30)), savepoints.RevertState("before"),
        savepoints.DropState("before"),
    )  # fmt: skip
    return found


def cut() -> list[Command]:
    """An isolated short, topped up by itself; deleveraging cuts its closing order to what is left.

    The other's long is bankrupt below 9,000, nobody buys, and the fund has nothing.
    """
    engine = begin()
    found: list[Command] = []
    uid, other, third, symbol = FIRST_UID, FIRST_UID + 1, FIRST_UID + 2, SYMBOLS[0]

    def say(*told: Command) -> list[Event]:
        for command in told:
            command.time = BEGIN
            events = engine.apply(command)
            assert not any(isinstance(event, Rejected) for event in events), (command, events)
            found.append(command)
        return events

    def pair(long: int, lots: int) -> None:
        say(
            commands.PlaceContractOrder(long, symbol, 0, 1, 0, 0, lots, START),
            commands.PlaceContractOrder(uid, symbol, 1, -1, 0, 0, lots, START),
        )

    say(
        commands.RegisterAsset("AAA", 2), commands.RegisterAsset("QQQ", 2),
        commands.ListContract(contract("AAA", AdlPolicy.QUEUE)),
        *(commands.CreateOwner(name) for name in ("first", "second", "third")),
        *(commands.Deposit(one, 1, "QQQ", lots * START * UNIT)
          for one, lots in ((uid, 50), (other, 2), (third, 50))),
        commands.PostIndex(symbol, "desk", START, jump=True),
        commands.SetMarginMode(uid, symbol, 1),
    )  # fmt: skip
    pair(other, 20)
    pair(third, 10)
    (held,) = engine.holding(uid).positions
    events = say(
        commands.SetAutoMargin(uid, held, True),
        commands.PlaceContractOrder(uid, symbol, 0, -1, 0, 0, 15, 7_000),
        commands.PostIndex(symbol, "desk", 8_900, jump=True),
    )
    assert any(isinstance(event, ContractOrderReduced) for event in events)
    return found


def ended() -> list[Command]:
    """A contract is delisted, and settles with its positions, an order and a conditional one."""
    engine = begin()
    found: list[Command] = []
    uid, other, symbol = FIRST_UID, FIRST_UID + 1, SYMBOLS[0]

    def say(*told: Command) -> None:
        for command in told:
            command.time = BEGIN
            events = engine.apply(command)
            assert not any(isinstance(event, Rejected) for event in events), (command, events)
            found.append(command)

    say(
        commands.RegisterAsset("AAA", 2), commands.RegisterAsset("QQQ", 2),
        commands.ListContract(contract("AAA", AdlPolicy.QUEUE)),
        *(commands.CreateOwner(name) for name in ("first", "second")),
        *(commands.Deposit(one, 1, "QQQ", 50 * START * UNIT) for one in (uid, other)),
        commands.PostIndex(symbol, "desk", START, jump=True),
        commands.PlaceContractOrder(uid, symbol, 0, 1, 0, 0, 10, START),
        commands.PlaceContractOrder(other, symbol, 1, -1, 0, 0, 10, START),
        commands.PlaceContractOrder(other, symbol, 1, -1, 0, 0, 10, START + 100),
        commands.PlaceContractOrder(uid, symbol, 1, 1, 0, 0, 5, START + 200),
        commands.PlaceAlgo(uid, symbol, 1, 1, 0, 5, START - 900, START - 910, 1),
        commands.DelistContract(symbol),
        commands.SettleContract(symbol, START + 7),
    )  # fmt: skip
    while engine.pending():
        say(commands.Proceed())
    return found


def _stamped(told: list[Command], time: int) -> list[Command]:
    for command in told:
        command.time = time
    return told
