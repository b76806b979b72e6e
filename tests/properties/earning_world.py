"""Small venues in which a group of owners tries to earn: its money, and how time passes.

The index source stands still, or moves by at most `STEP_PPM` a second.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Final

from properties.agreement import compare_all
from properties.hearing import Wrong, must
from properties.judge import Judge
from properties.planted import LOAN, Fault, lent_to
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands as c
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.messages.savepoints import KeepState, RevertState, StateKept, StateReverted
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import BUY, LONG, SELL, SHORT

SECOND: Final = 1_000_000
BEGIN: Final = 1_700_000_000 * SECOND // (3600 * SECOND) * 3600 * SECOND + 3_560 * SECOND
PRICE: Final = 10_000
UNIT: Final = 100  # atoms of one tick x lot
LOT: Final = PRICE * UNIT  # the worth of one lot
FUND_UID: Final = 2
FIRST_UID: Final = 10_000_001
CONTRACT_WALLET: Final = 1
FUNDING_WALLET: Final = 2
DAY: Final = 86_400 * SECOND
STEP_PPM: Final = 5_000  # of an outside index, a second
WARM_UP: Final = 12  # seconds until nothing is in doubt


def contract(base: str) -> Contract:
    """Three tiers; tick and step are 1; funding within 0.75 of the least maintenance rate."""
    instrument = Instrument(f"{base}QQQ", base, "QQQ", 1, 0, 1, 0, 1, 10_000, 10_000, 200, 600)
    tiers = [
        Tier(5_000 * LOT, 50, 8_000),
        Tier(20_000 * LOT, 25, 16_000),
        Tier(AMOUNT_MAX, 10, 40_000),
    ]
    return Contract(
        instrument, 50, 20_000, 100_000, tiers, index_sources=("desk",),
        funding_minutes=tuple(range(0, 1440, 60)), funding_cap_ppb=6_000_000,
    )  # fmt: skip


# With a kept state: the judge, the sources' prices and when they were told, the time.
Kept = tuple[bytes, dict[str, int], dict[str, int], int]


@dataclass(frozen=True)
class World:
    """The owners and the contracts. The group's members have `money` lots' worth each and the given
    self-trade modes; `levels` are the honest maker's quotes on each side; `still`: the index never
    moves."""

    still: bool
    modes: tuple[int, ...]
    money: int
    levels: int
    symbols: tuple[str, ...] = ("AAAQQQ",)
    leverage: int = 50
    isolated: bool = False

    @property
    def group(self) -> tuple[int, ...]:
        return tuple(FIRST_UID + number for number in range(len(self.modes)))

    @property
    def honest(self) -> int:
        return FIRST_UID + len(self.modes)

    def opening(self) -> list[Command]:
        """Assets, contracts, owners, money, prices that are past all doubt, and quotes."""
        bases = [symbol[:3] for symbol in self.symbols]
        found: list[Command] = [c.RegisterAsset(name, 2) for name in ("QQQ", *bases)]
        found += [c.ListContract(contract(base)) for base in bases]
        for number, mode in enumerate((*self.modes, 0)):
            found.append(c.CreateOwner(f"owner {number}", mode))
        for uid in self.group:
            found.append(c.Deposit(uid, CONTRACT_WALLET, "QQQ", self.money * LOT))
        found.append(c.Deposit(self.honest, CONTRACT_WALLET, "QQQ", 100_000 * LOT))
        found.append(c.Deposit(FUND_UID, CONTRACT_WALLET, "QQQ", 10_000 * LOT))
        for command in found:
            command.time = BEGIN
        for second in range(WARM_UP + 1):
            for symbol in self.symbols:
                found.append(c.PostIndex(symbol, "desk", PRICE, BEGIN + second * SECOND))
            found.append(c.Tick(BEGIN + second * SECOND))
        for symbol in self.symbols:
            for uid in self.group:
                lever = self.leverage
                mode = int(self.isolated)
                found.append(c.SetLeverage(uid, symbol, lever, lever, lever, margin_mode=mode))
            found += self.quotes(symbol, PRICE)
        for command in found[-len(self.symbols) * (len(self.group) + 2 * self.levels) :]:
            command.time = BEGIN + WARM_UP * SECOND
        return found

    def quotes(self, symbol: str, around: int) -> list[Command]:
        """The honest maker's orders: a quarter of a hundredth apart, 40 lots each."""
        found: list[Command] = []
        for level in range(1, self.levels + 1):
            for side, way, sign in ((BUY, LONG, -1), (SELL, SHORT, 1)):
                price = around + sign * level * around // 400
                found.append(
                    c.PlaceContractOrder(self.honest, symbol, side, way, 0, 0, 40 * level, price)
                )
        return found


class Opened:
    """A world that has been opened once: its engine and judge, to begin again with quickly.

    With a `fault` planted its engine lets some orders overdraw.
    """

    def __init__(self, world: World, fault: Fault | None = None) -> None:
        engine = Engine()
        judge = Judge(world.group, still=world.still, bound=not world.still)
        for command in world.opening():
            judge.judge(engine, command, engine.apply(command))
        compare_all(engine, judge.owners)
        self.world = world
        self.fault = fault
        self.engine = snapshot.dump(engine)
        self.judge = pickle.dumps(judge)
        self.index = dict.fromkeys(world.symbols, PRICE)

    def begin(self) -> Play:
        return Play(self)


class Play:
    """One run in an opened world: commands, each judged; `story` are those that were applied."""

    def __init__(self, opened: Opened) -> None:
        self.world = opened.world
        self.fault = opened.fault
        self.engine = snapshot.load(opened.engine)
        self.judge: Judge = pickle.loads(opened.judge)
        self.index = dict(opened.index)
        self.posted = dict.fromkeys(opened.index, BEGIN + WARM_UP * SECOND)
        self.time = BEGIN + WARM_UP * SECOND
        self.story: list[Command] = []
        self.kept: dict[str, Kept] = {}

    def apply(self, command: Command) -> list[Event]:
        """Apply one command at the play's time; `Wrong` when it must not end as it did."""
        command.time = self.time
        self.story.append(command)
        lent = lent_to(self.fault, self.judge, command)
        pool = self.engine.account(lent).contract[0] if lent else None
        try:
            if pool is not None:
                pool.held -= LOAN
            events = self.engine.apply(command)
        except Exception as error:
            raise Wrong(f"the engine broke: {error!r}") from error
        finally:
            if pool is not None:
                pool.held += LOAN
        self.judge.judge(self.engine, command, events)
        if isinstance(events[0] if events else None, StateKept | StateReverted):
            self._keep_or_revert(command)
        return events

    def _keep_or_revert(self, command: Command) -> None:
        """The judge's own sums, the sources and the time are kept with a state, and come back."""
        if isinstance(command, KeepState):
            self.kept[command.name] = (
                pickle.dumps(self.judge), dict(self.index), dict(self.posted), self.time,
            )  # fmt: skip
        elif isinstance(command, RevertState):
            judge, index, posted, self.time = self.kept[command.name]
            self.judge, self.index, self.posted = pickle.loads(judge), dict(index), dict(posted)
            compare_all(self.engine, self.judge.owners)

    def midnight(self) -> None:
        """The next UTC day begins, with the sources where they were."""
        self.time += DAY - self.time % DAY
        for _ in range(3):  # nothing is opened in the first 10 s with a price again
            for symbol, price in self.index.items():
                self.post(symbol, price)
            self.apply(c.Tick())
            self.time += 6 * SECOND

    def post(self, symbol: str, price: int) -> None:
        """An index price, within the step since the last one."""
        before = self.index[symbol]
        seconds = (self.time - self.posted[symbol]) // SECOND
        most = 0 if self.world.still else before * STEP_PPM * seconds // 1_000_000
        if abs(price - before) > most:
            raise ValueError("no outside index moves like that")
        self.index[symbol] = price
        self.posted[symbol] = self.time
        self.apply(c.PostIndex(symbol, "desk", price))

    def second(self, moves: dict[str, int]) -> None:
        """A second passes: the sources say where they are, in thousandths of a step from before."""
        self.time += SECOND
        for symbol, price in self.index.items():
            pace = 0 if self.world.still else moves.get(symbol, 0)
            move = price * STEP_PPM * abs(pace) // 1_000_000_000
            self.post(symbol, price + move if pace > 0 else price - move)

    def end(self) -> None:
        """Compare everything with the ledger."""
        compare_all(self.engine, self.judge.owners)
        must(not self.engine.ledger.imbalance(), "the ledger does not sum to zero")


def replay(opened: Opened, story: list[Command]) -> Wrong | None:
    """The fault of a story of commands, each at its own time; None when there is none."""
    play = opened.begin()
    try:
        for command in story:
            if command.time < play.time:
                return None  # the state that goes back is left out
            play.time = command.time
            if isinstance(command, c.PostIndex):
                play.post(command.symbol, command.price)
            else:
                play.apply(command)
        play.end()
    except Wrong as wrong:
        return wrong
    except ValueError:
        return None
    return None
