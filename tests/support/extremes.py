"""A random walk with numbers at their bounds, in assets of 0 to 18 decimals (rule 1.5)."""

from __future__ import annotations

from random import Random
from typing import Final

from venue.core import wide
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands as c
from venue.core.messages.benefit_commands import ChangeGift, InternalWithdraw, Invite, SetAffiliate
from venue.core.messages.commands import Command
from venue.core.messages.copy_commands import CopyConfig, Follow, SetLead
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit, snapshot
from venue.core.units import AMOUNT_MAX, FIRST_ID, PRICE_MAX

SCALES: Final = {"A0": 0, "B6": 6, "C18": 18, "D18": 18}
PAIRS: Final = (("A0", "C18"), ("B6", "C18"), ("A0", "D18"), ("D18", "C18"), ("C18", "B6"))
UIDS: Final = [10_000_001 + number for number in range(5)]
FUND: Final = 2
BIG: Final = [0, 1, 2, 10**6, 2**31, 2**53, 10**17, 10**18, 2**60, 2**61, AMOUNT_MAX]
STEPS_US: Final = (1_000, 10**6, 10**6, 2 * 10**6, 5 * 10**6, 8 * 3_600 * 10**6, 10**12)
SLICES_MAX: Final = 200


class Extremes:
    """One walk; `kinds` counts what was accepted. An exception of the engine is a defect."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.engine = snapshot.begin()
        self.time = 1_790_000_000_000_000
        self.kinds: dict[type, int] = {}
        self.prices: dict[str, int] = {}
        for asset, scale in SCALES.items():
            self.apply(c.RegisterAsset(asset, scale))
        for number in range(len(UIDS)):
            self.apply(c.CreateOwner(f"o{number}"))
        for base, quote in PAIRS:
            self._list(base, quote)
        for uid in [*UIDS, FUND]:
            for asset in SCALES:
                for wallet in (0, 1):
                    amount = self.random.choice([2**58, 10**18, 2**59])
                    self.apply(c.Deposit(uid, wallet, asset, amount))
        self._post(jump=True)

    def apply(self, command: Command) -> list[Event]:
        """Apply a command and all slices that it leaves; its events can be written."""
        command.time = self.time
        events = self.engine.apply(command)
        wide.encode(events)
        if not (events and isinstance(events[0], Rejected)):
            self.kinds[type(command)] = self.kinds.get(type(command), 0) + 1
        for _ in range(SLICES_MAX):
            if not self.engine.pending():
                return events
            wide.encode(self.engine.apply(c.Proceed(self.time)))
        return events

    def step(self) -> None:
        """One more command."""
        draw = self.random.randrange(14)
        if draw < 4:
            self.apply(self._spot())
        elif draw < 9:
            self.apply(self._contract())
        elif draw < 11:
            self._pass()
        else:
            self.apply(self._other())

    def check(self) -> None:
        """The invariants hold, and the state comes back as it was written."""
        found = [one for one in audit.problems(self.engine) if "insurance fund's" not in one]
        assert found == []
        data = snapshot.dump(self.engine)
        loaded: Engine = snapshot.load(data)
        assert snapshot.dump(loaded) == data

    # -- commands --------------------------------------------------------------------------------

    def _list(self, base: str, quote: str) -> None:
        random = self.random
        decimals = random.choice([0, min(2, SCALES[base])])
        leverage = random.choice([1, 20, 100])
        rate = 500_000 // leverage  # of maintenance; the terms are as unsafe as they may be (1.6)
        price_scale = random.randrange(SCALES[quote] - decimals + 1)
        market = Instrument(
            base + quote, base, quote, 1, price_scale, 1, decimals, 1, 10**17, 10**17, 0,
            min(random.choice([0, 600, 100_000]), rate // 2), 10**6, 10**6, 10**6,
        )  # fmt: skip
        self.apply(c.ListInstrument(market))
        price = random.choice([5_000_000 // rate, 10**6, 10**12])  # the first: just safe
        unit = 10 ** (SCALES[quote] - price_scale - decimals)
        most = max(1, min(10**17, 2 ** random.choice([61, 58, 50]) // (unit * price)))
        tier = Tier(random.choice([2**60, AMOUNT_MAX]), leverage, rate)
        self.apply(c.ListContract(
            Contract(market, leverage, most, 10**17, [tier], 5_000, (0, 480, 960), 1_000, 100_000,
                     ("f",), random.choice([0, 1]), index_step_ppm=min(50_000, rate * 3 // 4),
                     index_notional=tier.notional_max, impact_notional=tier.notional_max)
        ))  # fmt: skip
        self.prices[market.symbol] = price

    def _number(self) -> int:
        return max(0, min(AMOUNT_MAX, self.random.choice(BIG) + self.random.choice([-1, 0, 0, 1])))

    def _lots(self, price: int, unit: int) -> int:
        if self.random.random() < 0.2:
            return self._number()
        notional = self.random.choice([2**61, 2**60, 2**58, 10**17, 10**12])
        return max(1, min(10**17, notional // (price * unit)))

    def _near(self, price: int) -> int:
        if self.random.random() < 0.05:
            return self._number()
        return max(
            1, min(PRICE_MAX, price * self.random.choice([90, 99, 100, 100, 101, 110]) // 100)
        )

    def _spot(self) -> Command:
        random = self.random
        market = random.choice(list(self.engine.spot.markets.values()))
        price = self._near(market.last_price or self.prices[market.symbol])
        uid, side, lots = (
            random.choice(UIDS),
            random.randrange(2),
            self._lots(price or 1, market.unit_atoms),
        )
        if random.random() < 0.2:
            return c.PlaceOrder(uid, market.symbol, side, 1, 1, lots, 0)
        return c.PlaceOrder(uid, market.symbol, side, 0, random.randrange(4), lots, price)

    def _contract(self) -> Command:
        random = self.random
        perp = random.choice(list(self.engine.contracts.markets.values()))
        uid, side = random.choice(UIDS), random.randrange(2)
        position_side = (1 - 2 * side) * random.choice([1, 1, 1, -1])
        price = self._near(perp.mark or self.prices[perp.symbol])
        lots = self._lots(price or 1, perp.unit)
        draw = random.randrange(12)
        if draw < 7:
            return c.PlaceContractOrder(
                uid, perp.symbol, side, position_side, 0, random.choice([0, 0, 1, 3]), lots, price
            )
        if draw < 9:
            return c.PlaceContractOrder(uid, perp.symbol, side, position_side, 1, 1, lots, 0)
        if draw < 10:
            callback = random.choice([1_000, 10**5, 10**6])
            return c.PlaceAlgo(
                uid, perp.symbol, side, position_side, random.randrange(5), lots, price,
                self._near(price or 1), random.randrange(2), callback_ppm=callback,
            )  # fmt: skip
        choices: list[Command] = [
            c.ClosePositions(uid, perp.symbol), c.SetMarginMode(uid, perp.symbol, side, draw % 2),
            c.SetLeverage(uid, perp.symbol, random.choice([1, 20, 100]), 1, 100),
            c.MoveMargin(uid, random.choice([*perp.positions, FIRST_ID]), self._number() or 1),
        ]  # fmt: skip
        return random.choice(choices)

    def _other(self) -> Command:
        random = self.random
        uid, to, asset = random.choice(UIDS), random.choice(UIDS), random.choice(list(SCALES))
        amount = self._number()
        choices: list[Command] = [
            c.Transfer(uid, random.randrange(3), random.randrange(3), asset, amount),
            c.Deposit(random.choice([*UIDS, 1, 2]), random.randrange(3), asset, amount),
            c.Withdraw(uid, random.randrange(3), asset, amount),
            ChangeGift(uid, asset, random.choice([1, -1]) * amount),
            SetAffiliate(uid, f"C{uid}", 500_000, 500_000), Invite(uid, to),
            InternalWithdraw(uid, to, random.choice([0, 2]), random.choice([0, 2]), asset, amount),
            c.SetFees(uid, *random.choice([(-1, -1), (0, 0), (999_999, 999_999)]), product=uid % 2),
            SetLead(uid, asset, True, 10**5),
            Follow(uid, to, True, [CopyConfig("", True, amount or 1, AMOUNT_MAX)]),
            c.SetCancelAfter(uid, uid % 2, 5 * 10**6), c.CancelContractOrders(uid),
        ]  # fmt: skip
        return random.choice(choices)

    def _pass(self) -> None:
        """Time passes, and now and then prices jump."""
        if self.random.random() < 0.2:
            symbol = self.random.choice(list(self.prices))
            factor = self.random.choice([2, 10, 1_000])
            changed = self.random.choice(
                [self.prices[symbol] * factor, self.prices[symbol] // factor, self._number()]
            )
            self.prices[symbol] = max(1, min(PRICE_MAX, changed))
        self._post(jump=self.random.random() < 0.3)
        self.time += self.random.choice(STEPS_US)
        self.apply(c.Tick())

    def _post(self, *, jump: bool) -> None:
        for symbol, price in self.prices.items():
            self.apply(c.PostIndex(symbol, "f", price, jump=jump))
