"""Contract stories: the acts that a line can name, and their outcome in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from support.contract_world import CONTRACT, DAY_START, HOUR, SECOND, SYMBOL, ContractWorld
from venue.core.book.book import Half
from venue.core.contract.collateral import available
from venue.core.contract.position import equity, liquidation_mark, wallet
from venue.core.contract.records import Position
from venue.core.messages import commands, contract_events
from venue.core.messages.commands import Command, Exit
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.units import PPM
from venue.vocabulary import (
    BUY,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    SELL,
    SHORT,
    AdlPolicy,
    AlgoStatus,
    AlgoType,
    Cause,
    IncomeType,
    MarginMode,
    OrderStatus,
    PriceSource,
    Product,
    Reject,
    SelfTrade,
    SeparatedMode,
    TimeInForce,
)

# An order's effect on a position: its side and its position's side.
KINDS = {
    "long": (BUY, LONG),
    "close_long": (SELL, LONG),
    "short": (SELL, SHORT),
    "close_short": (BUY, SHORT),
}
SIDES = {"long": LONG, "short": SHORT}
MODES = {
    "cross": (MarginMode.CROSSED, -1),
    "isolated": (MarginMode.ISOLATED, -1),
    "combined": (MarginMode.CROSSED, SeparatedMode.COMBINED),
    "separated": (MarginMode.CROSSED, SeparatedMode.SEPARATED),
}
EXITS = {AlgoType.TAKE_PROFIT_MARKET: "tp", AlgoType.STOP_MARKET: "sl"}
OWN_ITEMS = {
    IncomeType.POSITION_FUNDING: "funding",
    IncomeType.ORDER_FIX_MARGIN_AMOUNT: "fix",
}


class Names:
    """The story's names of owners, orders and conditional orders; the account of the events."""

    def __init__(self) -> None:
        self.owners: dict[int, str] = {}
        self.orders: dict[int, str] = {}
        self.algos: dict[int, str] = {}
        self.said: list[str] = []
        self.own = 0  # the order that is being told of
        self.left = 0
        self.rests = ""

    def told(self, events: list[Event]) -> str:
        """The events in their order, as the stories tell them; `ok` where nothing is worth it."""
        self.said, self.own, self.rests = [], 0, ""
        for event in events:
            self._tell(event)
        return ", ".join([*self.said, self.rests] if self.rests else self.said) or "ok"

    def _tell(self, event: Event) -> None:
        if isinstance(event, Rejected):
            self.said.append(f"refused {Reject(event.reason).name}")
        elif isinstance(event, OrderRepeated):
            self.said.append("repeated")
        elif isinstance(event, contract_events.ContractOrderPlaced):
            self._placed(event)
        elif isinstance(event, contract_events.ContractTrade):
            self._trade(event)
        elif isinstance(event, contract_events.ContractOrderClosed):
            self._closed(event)
        elif isinstance(event, contract_events.ContractOrderReduced):
            self.said.append(f"reduced {self.orders[event.order_id]} {event.quantity}")
        else:
            self._tell_rest(event)

    def _tell_rest(self, event: Event) -> None:
        """Tell the events of conditional orders and of pools."""
        if isinstance(event, contract_events.AlgoPlaced):
            parent = self.orders.get(event.parent_id)
            name = f"{parent}.{EXITS[AlgoType(event.type)]}" if parent else event.client_id
            self.algos[event.algo_id] = name
            self.said.append(f"waits {name}")
        elif isinstance(event, contract_events.AlgoTriggered):
            reason = f" refused {Reject(event.reason).name}" if event.reason else ""
            self.said.append(f"triggered {self.algos[event.algo_id]}{reason}")
        elif isinstance(event, contract_events.AlgoClosed):
            status = AlgoStatus(event.status).name.lower()
            self.said.append(f"{status} {self.algos[event.algo_id]}")
        elif isinstance(event, contract_events.LiquidationStarted):
            name = self.owners[event.uid]
            self.said.append(f"liquidate {name} {event.equity} of {event.maintenance}")
        elif isinstance(event, contract_events.LiquidationFinished):
            self.said.append(f"top up {event.topped_up}" if event.topped_up else "end")
        elif isinstance(event, contract_events.Income) and event.kind in OWN_ITEMS:
            what = OWN_ITEMS[IncomeType(event.kind)]
            self.said.append(f"{what} {self.owners[event.uid]} {event.amount}")

    def _placed(self, event: contract_events.ContractOrderPlaced) -> None:
        self.own, self.left = event.order_id, event.quantity
        self.orders[event.order_id] = event.client_id
        self.rests = f"open {event.resting}" if event.resting else ""

    def _trade(self, event: contract_events.ContractTrade) -> None:
        at = f"{event.quantity} @ {event.price}"
        self.left = event.taker_remaining
        if event.cause in (Cause.TAKEOVER, Cause.DELEVERAGE):
            what = "take over" if event.cause == Cause.TAKEOVER else "deleverage"
            self.said.append(f"{what} {self.owners[event.maker.uid]} {at}")
        else:
            self.said.append(f"fill {at}")

    def _closed(self, event: contract_events.ContractOrderClosed) -> None:
        status = OrderStatus(event.status).name.lower()
        if event.order_id == self.own:
            self.said.append(f"{status} {self.left}")
        else:
            self.said.append(f"{status} {self.orders[event.order_id]} {event.resting}")


class ContractStory:
    """One venue with one contract at mark 1,000, and the acts that a line can name."""

    def __init__(self) -> None:
        self.world = ContractWorld()
        self.names = Names()
        self.names.owners[self.world.uids["fund"]] = "fund"
        self.acts: dict[str, Callable[[list[str]], str]] = {
            **{kind: partial(self.order, kind) for kind in KINDS},
            "stop": lambda words: self.algo(AlgoType.STOP_MARKET, AlgoType.STOP, words),
            "profit": lambda words: self.algo(
                AlgoType.TAKE_PROFIT_MARKET, AlgoType.TAKE_PROFIT, words
            ),
            "trail": self.trail,
            "cancel": self.cancel,
            "cancel_all": self.cancel_all,
            "close_all": self.close_all,
            "fund": self.fund,
            "owner": self.owner,
            "deposit": self.deposit,
            "withdraw": self.withdraw,
            "freeze": lambda words: self.freeze(words, frozen=True),
            "unfreeze": lambda words: self.freeze(words, frozen=False),
            "halt": lambda words: self.halt(halted=True),
            "resume": lambda words: self.halt(halted=False),
            "leverage": self.leverage,
            "mode": self.mode,
            "margin": self.margin,
            "auto_margin": self.auto_margin,
            "mark": lambda words: self.names.told(self.world.post(int(words[0]))),
            "source": lambda words: self.names.told(self.world.tell(int(words[0]))),
            "wait": self.wait,
            "funding": self.funding,
            "book": self.book,
            "position": self.position,
            "cross": self.cross,
            "pool": self.pool,
        }

    def act(self, line: str) -> str:
        """Do what a line says; return the outcome. Every invariant holds afterwards."""
        act, *words = line.split()
        return self.acts[act](words)

    def uid(self, name: str) -> int:
        """An owner's uid; a name that is new makes an owner, without money."""
        if name not in self.world.uids:
            self.world.owner(name, 0)
        self.names.owners[self.world.uids[name]] = name
        return self.world.uids[name]

    def done(self, command: Command) -> str:
        return self.names.told(self.world.apply(command))

    def order(self, kind: str, words: list[str]) -> str:
        name, order_name, quantity, *terms = words
        price = 0 if terms.pop(0) == "market" else int(terms.pop(0))
        tif = int(TimeInForce.GTC) if price else IOC
        command = commands.PlaceContractOrder(
            self.uid(name), SYMBOL, *KINDS[kind], LIMIT if price else MARKET, tif, int(quantity),
            price, order_name,
        )  # fmt: skip
        while terms:
            word = terms.pop(0)
            if word == "tp":
                command.take_profit = Exit(int(terms.pop(0)))
            elif word == "sl":
                command.stop_loss = Exit(int(terms.pop(0)))
            elif word == "of":
                command.position_id = self.opened_by(name, terms.pop(0)).position_id
            else:
                command.time_in_force = int(TimeInForce[word.upper()])
        return self.done(command)

    def opened_by(self, name: str, order_name: str) -> Position:
        """The position that an order of the owner opened."""
        (found,) = [
            position
            for side in SIDES.values()
            for position in self.world.positions(name, side)
            if self.names.orders[position.open_order_id] == order_name
        ]
        return found

    def algo(self, at_market: AlgoType, at_limit: AlgoType, words: list[str]) -> str:
        name, algo_name, kind, quantity, at, trigger, *terms = words
        assert at == "at"
        source = PriceSource.MARK_PRICE if "mark" in terms else PriceSource.CONTRACT_PRICE
        price = int(terms[1]) if terms[:1] == ["@"] else 0
        command = commands.PlaceAlgo(
            self.uid(name), SYMBOL, *KINDS[kind], int(at_limit if price else at_market),
            lots(quantity), int(trigger), price, int(source), algo_name,
        )  # fmt: skip
        return self.done(command)

    def trail(self, words: list[str]) -> str:
        name, algo_name, kind, quantity, by, rate = words
        assert by == "by"
        assert rate.endswith("%")
        command = commands.PlaceAlgo(
            self.uid(name), SYMBOL, *KINDS[kind], int(AlgoType.TRAILING_STOP_MARKET),
            lots(quantity), 0, 0, int(PriceSource.CONTRACT_PRICE), algo_name,
        )  # fmt: skip
        command.callback_ppm = int(rate[:-1]) * PPM // 100
        return self.done(command)

    def cancel(self, words: list[str]) -> str:
        name, order_name = words
        if order_name in self.names.algos.values():
            (algo_id,) = [one for one, said in self.names.algos.items() if said == order_name]
            return self.done(commands.CancelAlgo(self.uid(name), algo_id))
        return self.done(commands.CancelContractOrder(self.uid(name), 0, order_name))

    def cancel_all(self, words: list[str]) -> str:
        (name,) = words
        return self.done(commands.CancelContractOrders(self.uid(name), SYMBOL))

    def close_all(self, words: list[str]) -> str:
        (name,) = words
        return self.done(commands.ClosePositions(self.uid(name), SYMBOL))

    # -- owners and money --------------------------------------------------------------------------

    def fund(self, words: list[str]) -> str:
        """Begin with so much in the insurance fund, and with a policy of deleveraging."""
        assert not self.names.orders
        assert len(self.world.uids) == 1
        policy = AdlPolicy[(*words, "queue")[1].upper()]
        self.world = ContractWorld(
            fund=int(words[0]), contract=replace(CONTRACT, adl_policy=int(policy))
        )
        return "ok"

    def owner(self, words: list[str]) -> str:
        name, mode = words
        assert name not in self.world.uids
        self.world.owner(name, 0, int(SelfTrade[mode.upper()]))
        self.uid(name)
        return "ok"

    def deposit(self, words: list[str]) -> str:
        name, amount = words
        self.uid(name)
        return self.names.told(self.world.deposit(name, int(amount)))

    def withdraw(self, words: list[str]) -> str:
        name, amount = words
        return self.names.told(self.world.withdraw(name, int(amount)))

    def freeze(self, words: list[str], *, frozen: bool) -> str:
        return self.done(commands.FreezeOwner(self.uid(words[0]), frozen))

    def halt(self, *, halted: bool) -> str:
        return self.done(commands.HaltInstrument(SYMBOL, halted, product=int(Product.CONTRACT)))

    # -- leverage and margin -----------------------------------------------------------------------

    def leverage(self, words: list[str]) -> str:
        """Of the cross pool and of isolated positions alike."""
        name, text = words
        new = int(text)
        return self.done(commands.SetLeverage(self.uid(name), SYMBOL, new, new, new))

    def mode(self, words: list[str]) -> str:
        name, mode = words
        margin, separated = MODES[mode]
        return self.done(commands.SetMarginMode(self.uid(name), SYMBOL, int(margin), separated))

    def margin(self, words: list[str]) -> str:
        name, side, amount = words
        held = self.world.position(name, SIDES[side])
        return self.done(commands.MoveMargin(self.uid(name), held.position_id, int(amount)))

    def auto_margin(self, words: list[str]) -> str:
        name, side = words
        held = self.world.position(name, SIDES[side])
        return self.done(commands.SetAutoMargin(self.uid(name), held.position_id, True))

    # -- time --------------------------------------------------------------------------------------

    def wait(self, words: list[str]) -> str:
        self.world.wait(int(words[0].removesuffix("s")))
        return self.names.told(self.world.tick())

    def funding(self, _words: list[str]) -> str:
        """The next funding time (16:00, or eight hours after the last one), the index current and
        the book through the whole interval as it is now."""
        hours = (self.world.time - DAY_START) // HOUR
        due = DAY_START + (hours // 8 + 1) * 8 * HOUR
        said: list[Event] = []
        for time in (due - 5 * SECOND, due):
            self.world.time = time
            said += self.world.post(self.world.perp.index_price)
            said += self.world.tick()
            if time < due:
                self.world.premium(self.world.perp.premium_sum // self.world.perp.premium_count)
        return self.names.told(said)

    # -- what there is -----------------------------------------------------------------------------

    def book(self, _words: list[str]) -> str:
        book = self.world.perp.market.book
        bids, asks = levels(book.bids), levels(book.asks)
        return f"{bids} | {asks}".strip() if bids or asks else "empty"

    def position(self, words: list[str]) -> str:
        """Lots and open value of the positions of a side, oldest first."""
        name, side = words
        held = self.world.positions(name, SIDES[side])
        return ", ".join(f"{one.quantity} value {one.value}" for one in held) or "none"

    def cross(self, words: list[str]) -> str:
        """The cross pool: wallet and equity of rule 5.3, available of rule 5.6."""
        holding = self.world.holding(words[0])
        pool = holding.cross(0)
        return f"wallet {wallet(pool)} equity {equity(pool)} available {available(holding, 0)}"

    def pool(self, words: list[str]) -> str:
        """The pool of an isolated position, and the first mark that endangers it (rule 5.9)."""
        name, side = words
        held = self.world.position(name, SIDES[side])
        found = f"wallet {wallet(held.pool)} equity {equity(held.pool)}"
        return f"{found} liquidation {liquidation_mark(held)}"


def levels(half: Half[Any]) -> str:
    """One side as a trader sees it: quantity @ price, best first."""
    found = [half.levels[key] for key in reversed(half.keys)]
    return ", ".join(f"{level.quantity} @ {level.price}" for level in found)


def lots(text: str) -> int:
    """So many, or `all` of the position."""
    return 0 if text == "all" else int(text)
