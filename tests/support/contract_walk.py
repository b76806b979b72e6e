"""A random contract venue: owners, orders, modes, prices that crash, funding; all by one seed."""

from __future__ import annotations

from random import Random
from typing import Final

from venue.core.contract.records import Position
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands
from venue.core.messages.commands import Command, Exit
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import AdlPolicy, Side

SECOND: Final = 1_000_000
FIRST_UID: Final = 10_000_001
OWNERS: Final = 8
FUND_UID: Final = 2
UNIT: Final = 100  # atoms of one tick x lot
START: Final = 10_000
SYMBOLS: Final = ("AAAQQQ", "BBBQQQ")


def contract(base: str, policy: AdlPolicy) -> Contract:
    """A small contract with three tiers; tick and step are 1, an asset has scale 2."""
    symbol = f"{base}QQQ"
    instrument = Instrument(symbol, base, "QQQ", 1, 0, 1, 0, 1, 10_000, 10_000, 200, 600)
    tiers = [
        Tier(60 * START * UNIT, 50, 8_000),
        Tier(240 * START * UNIT, 25, 16_000),
        Tier(AMOUNT_MAX, 10, 40_000),
    ]
    ten_lots = 10 * START * UNIT
    return Contract(
        instrument, 50, 20_000, 100_000, tiers, index_sources=("desk",), adl_policy=int(policy),
        funding_minutes=tuple(range(0, 1440, 60)), funding_cap_ppb=3_000_000,
        index_notional=ten_lots, impact_notional=ten_lots,
    )  # fmt: skip


class Walk:
    """Commands for one engine, each chosen by looking at it."""

    def __init__(self, seed: int, fund: int) -> None:
        self.random = Random(seed)
        self.time = 1_700_000_000 * SECOND
        self.index = dict.fromkeys(SYMBOLS, START)
        self.silent = dict.fromkeys(SYMBOLS, 0)  # ticks for which the source says nothing
        self.drift = dict.fromkeys(SYMBOLS, 0)
        self.fund = fund

    def opening(self) -> list[Command]:
        """Assets, contracts, owners and their money."""
        found: list[Command] = [commands.RegisterAsset(name, 2) for name in ("QQQ", "AAA", "BBB")]
        found.append(commands.ListContract(contract("AAA", AdlPolicy.QUEUE)))
        found.append(commands.ListContract(contract("BBB", AdlPolicy.PRO_RATA)))
        for number in range(OWNERS):
            found.append(commands.CreateOwner(f"owner {number}", number % 4))
            money = self.random.choice([3, 10, 40]) * START * UNIT
            found.append(commands.Deposit(FIRST_UID + number, 1, "QQQ", money))
        if self.fund:
            found.append(commands.Deposit(FUND_UID, 1, "QQQ", self.fund))
        for symbol in SYMBOLS:
            found.append(commands.PostIndex(symbol, "desk", START, jump=True))
        return found

    def step(self, engine: Engine) -> Command:
        """The next command, stamped."""
        chance = self.random.random()
        symbol = self.random.choice(SYMBOLS)
        uid = FIRST_UID + self.random.randrange(OWNERS)
        if chance < 0.60:
            command = self._order(engine, uid, symbol)
        elif chance < 0.80:
            self.time += self.random.choice([1, 1, 1, 5, 5, 60, 600]) * SECOND
            command = self._price(symbol)
        elif chance < 0.92:
            self.time += SECOND
            command = commands.Tick()
        else:
            command = self._other(engine, uid, symbol)
        command.time = self.time
        return command

    def _price(self, symbol: str) -> Command:
        """Mostly small moves; now and then a crash or a rally over several posts, or silence."""
        random = self.random
        if self.drift[symbol] == 0 and random.random() < 0.06:
            self.drift[symbol] = random.choice([-1, 1]) * random.randint(3, 9)
        if self.drift[symbol]:
            sign = 1 if self.drift[symbol] > 0 else -1
            self.drift[symbol] -= sign
            move = sign * random.choice([1, 1, 2, 3, 6, 12]) * self.index[symbol] // 100
        else:
            move = random.randint(-40, 40)
        self.index[symbol] = min(max(self.index[symbol] + move, START // 3), START * 3)
        price = 0 if random.random() < 0.05 else self.index[symbol]
        return commands.PostIndex(symbol, "desk", price, jump=True)

    def _order(self, engine: Engine, uid: int, symbol: str) -> Command:
        random = self.random
        perp = engine.contracts.markets[symbol]
        around = perp.mark or START
        position = self._held(engine, uid, symbol)
        side = random.choice([0, 1])
        price = max(1, around + random.randint(-60, 60) * around // 4000)
        kind = 1 if random.random() < 0.2 else 0
        tif = 1 if kind else random.choice([0, 0, 0, 0, 1, 2, 3])
        if position is not None and random.random() < 0.4:
            closing = Side.SELL if position.side > 0 else Side.BUY
            lots = random.randint(1, max(1, position.quantity))
            named = position.position_id if position.separated else 0
            return commands.PlaceContractOrder(
                uid, symbol, int(closing), position.side, kind, tif, lots, 0 if kind else price,
                self._name(), position_id=named,
            )  # fmt: skip
        long = 1 if side == 0 else -1
        lots = random.choice([1, 5, 20, 60, 150, 400])
        exits = self._exits(around, long) if random.random() < 0.15 else (Exit(), Exit())
        return commands.PlaceContractOrder(
            uid, symbol, side, long, kind, tif, lots, 0 if kind else price, self._name(),
            take_profit=exits[0], stop_loss=exits[1],
        )  # fmt: skip

    def _exits(self, around: int, side: int) -> tuple[Exit, Exit]:
        away = around // 25
        source = self.random.randint(0, 1)
        return Exit(around + side * away, source), Exit(around - side * away, source)

    def _name(self) -> str:
        return f"c{self.random.randrange(400)}" if self.random.random() < 0.3 else ""

    def _held(self, engine: Engine, uid: int, symbol: str) -> Position | None:
        holding = engine.holding(uid)
        own = [found for found in holding.positions.values() if found.perp.symbol == symbol]
        return self.random.choice(own) if own else None

    def _other(self, engine: Engine, uid: int, symbol: str) -> Command:
        random = self.random
        position = self._held(engine, uid, symbol)
        number = position.position_id if position is not None else 1
        around = engine.contracts.markets[symbol].mark or START
        amount = random.randint(1, 3 * START * UNIT)
        side = position.side if position is not None else 1
        away = random.randint(-300, 300)

        def lever() -> int:
            return random.choice([0, 2, 10, 25, 50])

        choices: list[Command] = [
            commands.SetLeverage(uid, symbol, lever(), lever(), lever()),
            commands.SetMarginMode(uid, symbol, random.randint(0, 1), random.choice([-1, 0, 0, 1])),
            commands.MoveMargin(uid, number, random.choice([-1, 1]) * amount),
            commands.SetAutoMargin(uid, number, random.random() < 0.5),
            commands.ClosePositions(uid, random.choice(["", symbol])),
            commands.CancelContractOrders(uid, random.choice(["", symbol])),
            commands.CancelAlgos(uid, symbol),
            commands.SetCancelAfter(uid, 1, random.choice([0, 5, 30]) * SECOND),
            commands.Deposit(uid, 1, "QQQ", amount),
            commands.Withdraw(uid, 1, "QQQ", amount),
            commands.Transfer(uid, 1, 2, "QQQ", amount),
            commands.PlaceAlgo(
                uid, symbol, 1 if side > 0 else 0, side, random.randint(0, 3),
                random.choice([0, 1, 50]), max(1, around + away), around, random.randint(0, 1),
            ),
            commands.PlaceAlgo(
                uid, symbol, 1 if side > 0 else 0, side, 4, 0, 0, 0, random.randint(0, 1),
                callback_ppm=random.choice([5_000, 20_000]),
            ),
            commands.PlaceAlgo(
                uid, symbol, random.randint(0, 1), random.choice([-1, 1]), random.randint(0, 3),
                random.choice([1, 50]), max(1, around + away), around, random.randint(0, 1),
                self._name(),
            ),
        ]  # fmt: skip
        return random.choice(choices)
