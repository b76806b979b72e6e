"""The venue: its engine, the journal, the followers and the clock, and the questions that others
ask it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, Final

from venue.api import errors
from venue.api.names import API_CLOSED
from venue.api.nearest import alternatives
from venue.api.profile import Profile
from venue.core.contract.records import Perpetual
from venue.core.engine import Engine
from venue.core.instruments import Asset, Instrument
from venue.core.ledger.accounts import Account
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, PlaceAlgo, PlaceContractOrder, PlaceOrder
from venue.core.messages.quote_commands import MoveQuotes
from venue.core.ranges import OutOfBounds
from venue.core.spot.account import SpotMarket
from venue.helpers.link import HelperFailed
from venue.history.kept_events import leaves_rows
from venue.history.process.client import History
from venue.journal.journal import Journal
from venue.node.fair_queue import VENUE
from venue.node.market_data.views import MarketData
from venue.node.outbox import Outbox
from venue.node.replies import OutcomeReceiver
from venue.node.reverting import Reverts
from venue.node.sequencer import Overloaded, Sequencer, Stopped
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.recording.recorder import Recorder

DEMO_ASSET: Final = "SUSDT"  # demo contracts settle in it
NEW_WORK: Final = (PlaceOrder, PlaceContractOrder, PlaceAlgo, MoveQuotes)  # refused when overloaded
UID_LENGTH_MAX: Final = 20  # digits
NO_ROWS: Final = (
    "history keeps no orders, fills, bills or income of the venue's own agents until somebody acts"
    " as one; their open orders, balances and positions can be asked for"
)
READ_YOUR_WRITE_S: Final = 2.0  # how long a history read waits for the projector


class Node:
    """A venue without the door for callers. With `practice`, nobody's own money is at stake."""

    __slots__ = (
        "agents",
        "clock",
        "data",
        "engine",
        "history",
        "history_told",
        "journal",
        "market_data",
        "outbox",
        "practice",
        "profile",
        "recorder",
        "saving",
        "sequencer",
        "spot_changes",
        "timekeeper",
    )

    def __init__(
        self,
        *,
        engine: Engine,
        sequencer: Sequencer,
        market_data: MarketData,
        history: History,
        clock: VenueClock,
        timekeeper: Timekeeper,
        data: str,
        journal: Journal,
        outbox: Outbox,
        recorder: Recorder,
        spot_changes: SpotChanges,
        practice: bool,
        profile: Profile = Profile.DOCUMENT,
    ) -> None:
        self.engine = engine
        self.sequencer = sequencer
        self.market_data = market_data
        self.history = history
        self.history_told: Callable[[], str] = _behind  # why a question of it is not answered yet
        self.clock = clock
        self.timekeeper = timekeeper
        self.data = data
        self.journal = journal
        self.outbox = outbox
        self.recorder = recorder
        self.spot_changes = spot_changes
        self.practice = practice
        self.profile = profile
        self.agents = False  # whether liquidity agents quote
        self.saving = asyncio.Lock()  # held while a state is kept or dropped, and answered for
        outbox.reverts.restore("spot_changes", spot_changes)
        outbox.reverts.tell("timekeeper", timekeeper.go_back)

    @property
    def reverts(self) -> Reverts:
        """The registry of what goes back with the state."""
        return self.outbox.reverts

    def submit(
        self, commands: Sequence[Command], *, owner: int = VENUE, patient: bool = False
    ) -> asyncio.Future[list[Applied]]:
        """Make commands durable and apply them. When this raises, nothing was done."""
        answer: asyncio.Future[list[Applied]] = asyncio.get_running_loop().create_future()
        self.enter(commands, answer, owner=owner, patient=patient)
        return answer

    def enter(
        self,
        commands: Sequence[Command],
        answer: OutcomeReceiver,
        *,
        owner: int = VENUE,
        patient: bool = False,
    ) -> None:
        """Make commands durable and apply them, as `submit` does. `owner` is their owner, and
        `answer` receives the outcome."""
        for command in commands:
            if type(command) in NEW_WORK:  # ending orders and steering the venue are let in
                self.check_room(owner)
                break
        try:
            self.sequencer.enter(commands, answer, owner=owner, patient=patient)
        except OutOfBounds as fault:
            raise errors.out_of_range(_wire_name(fault.name), fault.rule) from None
        except Overloaded:
            raise errors.busy("too many commands are waiting; nothing was done") from None
        except Stopped:
            raise errors.busy("the venue is stopping; nothing was done") from None

    def check_room(self, owner: int) -> None:
        """Raise ApiError 503 while the venue takes no new orders of this owner; nothing was
        done."""
        if self.history.behind:
            raise errors.busy("history is behind; nothing was done")
        if self.sequencer.is_crowded(owner):
            raise errors.busy("too many commands are waiting; nothing was done")

    def is_agent(self, uid: int) -> bool:
        """Return whether an owner is an agent of the venue under whose account nobody has acted
        yet: history stores no rows of its trading."""
        account = self.engine.accounts.get(uid)
        return account is not None and account.agent and not leaves_rows(account)

    def check_rows(self, uid: int) -> None:
        """Raise ApiError -1142 for an agent whose orders, fills, bills or income history does not
        store."""
        if self.is_agent(uid):
            raise errors.invalid("owner", NO_ROWS)

    async def ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Ask history, after it has stored all that was acknowledged before this call."""
        try:
            await self.history.reach(self.engine.sequence, READ_YOUR_WRITE_S)
            return await self.history.ask(question, *arguments)
        except TimeoutError:
            raise errors.busy(self.history_told()) from None
        except HelperFailed:
            raise errors.busy("history is not available") from None

    def setting(self, name: str, default: str) -> str:
        """Return a venue setting's value."""
        return self.engine.settings.get(name, default)

    def api_closed(self) -> Collection[str]:
        """Return the contracts that take no orders over the interface, by the setting."""
        return _symbols_of(self.setting(API_CLOSED, ""))

    def batch_cancel_wording(self) -> str:
        """Return the words of a batch cancel for unknown orders: those of the setting, otherwise
        the profile's."""
        return self.setting("batchCancelWording", self.profile.value)

    def owner(self, owner: str, name: str = "owner") -> Account:
        """Return an owner by name or uid. ApiError -1142 naming the parameter when there is
        none."""
        ledger = self.engine.ledger
        uid = ledger.names.get(owner, 0)
        if not uid and owner.isascii() and owner.isdigit() and len(owner) <= UID_LENGTH_MAX:
            uid = int(owner)
        account = ledger.accounts.get(uid)
        if account is None:
            raise errors.invalid(name, "no such owner")
        return account

    def market(self, symbol: str, name: str = "symbol") -> SpotMarket:
        """Return a listed market. ApiError -2007 naming the parameter when there is none."""
        market = self.engine.spot_markets.get(symbol)
        if market is None:
            told = alternatives(symbol, self.engine.spot_markets)
            raise errors.spot_symbol_unknown(name, told)
        return market

    def perp(self, symbol: str, name: str = "symbol") -> Perpetual:
        """Return a listed contract. ApiError -1121 naming the parameter when there is none."""
        perp = self.engine.perps.get(symbol)
        if perp is None:
            told = alternatives(symbol, self.engine.perps)
            raise errors.symbol_unknown(name, told)
        return perp

    def perps(self, *, demo: bool) -> list[Perpetual]:
        """Return the contracts that settle in demo money, or all others, in the order of
        listing."""
        markets = self.engine.perps.values()
        return [perp for perp in markets if (perp.contract.instrument.quote == DEMO_ASSET) == demo]

    def instrument(self, symbol: str) -> Instrument:
        """Return a listed instrument's specification."""
        return self.engine.spot_markets[symbol].instrument

    def asset(self, name: str) -> Asset:
        """Return a registered asset."""
        ledger = self.engine.ledger
        return ledger.assets[ledger.ordinals[name]]

    def asset_by_coin(self, coin_id: int | None) -> Asset | None:
        """Return the asset of a `coinId`; None for None, -1142 for an unknown one."""
        if coin_id is None:
            return None
        assets = self.engine.assets
        if coin_id > len(assets):
            raise errors.invalid("coinId", f"no such asset; allowed: 1 to {len(assets)}")
        return assets[coin_id - 1]


def _wire_name(field: str) -> str:
    """Return the interface's name of a command's field."""
    first, *others = field.split("_")
    return first + "".join([other.title() for other in others])


def _behind() -> str:
    return "history is behind; try again"


@lru_cache(maxsize=16)
def _symbols_of(symbols: str) -> Collection[str]:
    """Return the symbols of a setting. Each order asks, and an exchange may have closed
    hundreds."""
    return dict.fromkeys(symbols.split(",")) if symbols else {}
