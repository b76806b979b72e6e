"""A handler's context: the parts of the venue it may ask, and the caller."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Generator, Sequence
from functools import lru_cache
from typing import Any, Final

from venue.api import errors
from venue.api.names import API_CLOSED
from venue.api.operator.wire import WireEntry
from venue.api.profile import Profile
from venue.core.contract.records import Perpetual
from venue.core.engine import Engine
from venue.core.instruments import Asset, Instrument
from venue.core.ledger.accounts import Account
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    Command,
    PlaceAlgo,
    PlaceContractOrder,
    PlaceOrder,
    RecordStreams,
)
from venue.core.messages.quote_commands import MoveQuotes
from venue.core.ranges import OutOfBounds
from venue.core.spot.account import SpotMarket
from venue.gateway.access.keys import KeyStore
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.answers.kept import Answers
from venue.gateway.answers.premiums import MinutePremiums
from venue.gateway.defects import Defects
from venue.gateway.dispatch.wire_log import WireLog
from venue.gateway.faults.rules import FaultRules
from venue.gateway.nearest import alternatives
from venue.gateway.transport.request import Request
from venue.gateway.worlds import Worlds
from venue.helpers.link import HistoryFailed
from venue.history.kept_events import leaves_rows
from venue.history.process.client import History
from venue.journal.journal import Journal, Snapshot
from venue.node.aside import Aside, reverted
from venue.node.disk_use import DiskWatch
from venue.node.explainer import Explainer, Queue
from venue.node.fair_queue import VENUE
from venue.node.market_data.views import MarketData
from venue.node.outbox import Outbox
from venue.node.replies import OutcomeReceiver
from venue.node.sequencer import Overloaded, Sequencer, Stopped
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.recording.recorder import Recorder

KEY_REWRITES: Final = "keyRewrites"  # the setting that counts rewrites of the key store
DEMO_ASSET: Final = "SUSDT"  # demo contracts settle in it
NEW_WORK: Final = (PlaceOrder, PlaceContractOrder, PlaceAlgo, MoveQuotes)  # refused when overloaded
UID_LENGTH_MAX: Final = 20  # digits
NO_ROWS: Final = (
    "history keeps no orders, fills, bills or income of the venue's own agents until somebody acts"
    " as one; their open orders, balances and positions can be asked for"
)
READ_YOUR_WRITE_S: Final = 2.0  # how long a history read waits for the projector

Finish = Callable[[Any, Exception | None], None]
log = logging.getLogger("venue.gateway")


class Node:
    """The wired parts of a venue, for handlers. `practice`: nobody's own money is at stake."""

    __slots__ = (
        "agents",
        "answers",
        "aside",
        "clock",
        "data",
        "disk",
        "engine",
        "epoch_line",
        "explainer",
        "faults",
        "handed_out",
        "history",
        "history_told",
        "journal",
        "keys",
        "market_data",
        "outbox",
        "past_wire",
        "practice",
        "premiums",
        "profile",
        "recorder",
        "replays",
        "saving",
        "sequencer",
        "spot_changes",
        "stop",
        "stream_defects",
        "timekeeper",
        "warnings",
        "weight_limit",
        "wire",
        "worlds",
    )

    def __init__(
        self,
        *,
        engine: Engine,
        sequencer: Sequencer,
        market_data: MarketData,
        history: History,
        keys: KeyStore,
        clock: VenueClock,
        timekeeper: Timekeeper,
        data: str,
        weight_limit: int,
        replays: ReplayGuard,
        journal: Journal,
        outbox: Outbox,
        recorder: Recorder,
        spot_changes: SpotChanges,
        practice: bool,
        faults: FaultRules,
        profile: Profile = Profile.DOCUMENT,
    ) -> None:
        self.engine = engine
        self.sequencer = sequencer
        self.market_data = market_data
        self.history = history
        self.history_told: Callable[[], str] = _behind  # why a question of it is not answered yet
        self.keys = keys
        self.clock = clock
        self.timekeeper = timekeeper
        self.data = data
        self.weight_limit = weight_limit
        self.replays = replays
        self.journal = journal
        self.outbox = outbox
        self.recorder = recorder
        self.spot_changes = spot_changes
        self.stream_defects = Defects()
        self.warnings: list[str] = []  # of the start, for health
        self.disk: DiskWatch | None = None  # a world has no files of its own
        self.practice = practice
        self.profile = profile
        self.stop: Callable[[], None] | None = None  # ends the process; not of a part of one
        self.agents = False  # whether liquidity agents quote
        self.faults = faults
        self.explainer: Explainer | None = None  # of a practice venue
        self.wire: WireLog | None = None  # where one is kept
        self.handed_out: Snapshot | None = None  # the end of the run that was bundled last
        self.past_wire: list[WireEntry] | None = None  # of a run that is over
        self.answers = Answers()
        self.worlds: Worlds | None = None  # a world itself has none
        self.saving = asyncio.Lock()  # held while a state is kept or dropped, and answered for
        self.premiums = _premiums(self)
        self.aside = Aside()
        self.aside.add("faults", faults)
        self.aside.add("spot changes", spot_changes)
        self.aside.add("requests", replays)
        self.epoch_line = _epoch_line(engine.epoch)  # of each answer's head

    def observe(self, wire_log: int, queue: Queue | None = None) -> None:
        """Have a practice venue keep its last `wire_log` requests and frames, and explain what
        happened; explanations wait in a `queue` with those of this process's other venues."""
        if not self.practice:
            return
        if wire_log:
            self.wire = WireLog(wire_log, self.clock, self.engine)
        on_disk = self.sequencer.on_disk_thread
        self.explainer = Explainer(self.journal, on_disk, queue=queue)

    def noted(self, serve: Callable[[Request], None]) -> Callable[[Request], None]:
        """As `serve`, with requests noted where the wire log is kept."""
        return self.wire.serving(serve) if self.wire is not None else serve

    def follow(self, batch: list[Applied]) -> None:
        """Follow reverts: forget answers made of a state that is gone, and have random agents go
        back too. Keys of owners that are gone end before an owner can come who gets their uid."""
        self.aside.follow(batch)
        event = reverted(batch)
        if event is not None:
            self.answers.clear()
            self.keys.withdraw(self.engine.accounts)
            self.replays.go_back(self.clock.wall(), self.clock.oldest())
            self.epoch_line = _epoch_line(event.epoch)

    def submit(
        self, commands: Sequence[Command], *, owner: int = VENUE, patient: bool = False
    ) -> asyncio.Future[list[Applied]]:
        """Have commands made durable and applied; a refusal here means nothing was done."""
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
        """As `submit`; `answer` hears of the outcome, and `owner` is the commands' owner."""
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
        """ApiError 503 while no new orders of this owner are taken; nothing was done."""
        if self.history.behind:
            raise errors.busy("history is behind; nothing was done")
        if self.sequencer.crowded(owner):
            raise errors.busy("too many commands are waiting; nothing was done")

    def is_agent(self, uid: int) -> bool:
        """Whether an owner is an agent of the venue as which nobody has acted yet: history keeps no
        rows of its trading."""
        account = self.engine.accounts.get(uid)
        return account is not None and account.agent and not leaves_rows(account)

    def check_rows(self, uid: int) -> None:
        """ApiError -1142 for an agent whose orders, fills, bills or income history does not
        keep."""
        if self.is_agent(uid):
            raise errors.invalid("owner", NO_ROWS)

    async def ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """A history question that sees everything acknowledged before it was asked."""
        try:
            await self.history.reach(self.engine.sequence, READ_YOUR_WRITE_S)
            return await self.history.ask(question, *arguments)
        except TimeoutError:
            raise errors.busy(self.history_told()) from None
        except HistoryFailed:
            raise errors.busy("history is not available") from None

    def setting(self, name: str, default: str) -> str:
        """A venue setting's value."""
        return self.engine.settings.get(name, default)

    def api_closed(self) -> Collection[str]:
        """The contracts that take no orders over the interface, as they were set."""
        return _symbols_of(self.setting(API_CLOSED, ""))

    def batch_cancel_wording(self) -> str:
        """The words of a batch cancel for unknown orders: the profile's, until they are set."""
        return self.setting("batchCancelWording", self.profile.value)

    def owner(self, owner: str, name: str = "owner") -> Account:
        """An owner by name or uid; -1142 naming the parameter when there is none."""
        ledger = self.engine.ledger
        uid = ledger.names.get(owner, 0)
        if not uid and owner.isascii() and owner.isdigit() and len(owner) <= UID_LENGTH_MAX:
            uid = int(owner)
        account = ledger.accounts.get(uid)
        if account is None:
            raise errors.invalid(name, "no such owner")
        return account

    def market(self, symbol: str, name: str = "symbol") -> SpotMarket:
        """A listed market; -2007 naming the parameter when there is none."""
        market = self.engine.spot_markets.get(symbol)
        if market is None:
            told = alternatives(symbol, self.engine.spot_markets)
            raise errors.spot_symbol_unknown(name, told)
        return market

    def perp(self, symbol: str, name: str = "symbol") -> Perpetual:
        """A listed contract; -1121 naming the parameter when there is none."""
        perp = self.engine.perps.get(symbol)
        if perp is None:
            told = alternatives(symbol, self.engine.perps)
            raise errors.symbol_unknown(name, told)
        return perp

    def perps(self, *, demo: bool) -> list[Perpetual]:
        """The contracts that settle in demo money, or all others, in the order of listing."""
        markets = self.engine.perps.values()
        return [perp for perp in markets if (perp.contract.instrument.quote == DEMO_ASSET) == demo]

    def instrument(self, symbol: str) -> Instrument:
        """A listed instrument's specification."""
        return self.engine.spot_markets[symbol].instrument

    def asset(self, name: str) -> Asset:
        """A registered asset."""
        ledger = self.engine.ledger
        return ledger.assets[ledger.ordinals[name]]

    def asset_by_coin(self, coin_id: int | None) -> Asset | None:
        """The asset of a `coinId`; None for None, -1142 for an unknown one."""
        if coin_id is None:
            return None
        assets = self.engine.assets
        if coin_id > len(assets):
            raise errors.invalid("coinId", f"no such asset; allowed: 1 to {len(assets)}")
        return assets[coin_id - 1]


class Call:
    """One authenticated call: `uid` is 0 for public and operator operations.

    The handler of a row that trades runs until it submits, and goes on when its commands are
    applied: the sequencer calls back, so that an order needs neither a task nor a future. Such a
    handler waits for its commands only, for one group at a time.

    `placed` takes the ids of the orders that the call placed, for a door that answers for them;
    `connection` is the number of the connection that they end with, 0 for none.
    """

    __slots__ = (
        "_finish",
        "_handler",
        "_placed",
        "_waits",
        "connection",
        "node",
        "request_id",
        "uid",
    )

    def __init__(
        self,
        node: Node,
        uid: int,
        request_id: bytes,
        placed: dict[int, None] | None = None,
        connection: int = 0,
    ) -> None:
        self.connection = connection
        self.node = node
        self.uid = uid
        self.request_id = request_id
        self._placed = placed
        self._waits = False  # for what comes of commands
        self._handler: Coroutine[Call, list[Applied] | None, Any] | None = None
        self._finish: Finish | None = None

    def begin(self, handler: Coroutine[Call, Any, Any], finish: Finish) -> None:
        """Run a handler; its first commands are submitted before this returns. `finish` gets
        its reply or what it raised, at once or later."""
        assert self._finish is None, "a call is one handler's turn"
        self._handler, self._finish = handler, finish
        self._go_on(None, None)

    def submit(self, commands: Sequence[Command]) -> Call:
        """As `Node.submit`; the handler awaits what is returned, and nothing else."""
        assert not self._waits, "one group of commands at a time"
        if self.node.is_agent(self.uid):  # from now on its rows are somebody's
            commands = [RecordStreams(self.uid), *commands]
        self.node.enter(commands, self, owner=self.uid)
        self._waits = True
        return self

    def __await__(self) -> Generator[Call, list[Applied], list[Applied]]:
        return (yield self)

    def note_placed(self, order_id: int) -> None:
        """A new order was accepted; one that a repeated client id found again is not new."""
        if self._placed is not None:
            self._placed[order_id] = None

    # -- what the sequencer calls -----------------------------------------------------------------

    def done(self) -> bool:
        """Whether nothing is waited for."""
        return not self._waits

    def set_result(self, applied: list[Applied], /) -> None:
        """The commands are applied: the handler goes on at once."""
        self._waits = False
        if type(applied[0].command) is RecordStreams:  # the handler knows nothing of it
            applied = applied[1:]
        self._go_on(applied, None)

    def set_exception(self, problem: BaseException, /) -> None:
        """It will never be known what came of them: the handler hears why."""
        self._waits = False
        self._go_on(None, problem)

    def _go_on(self, applied: list[Applied] | None, problem: BaseException | None) -> None:
        """Run to the next submission, or to the end."""
        handler = self._handler
        if handler is None:
            return  # it ended without waiting for what it submitted
        try:
            waits_for = handler.send(applied) if problem is None else handler.throw(problem)
            assert waits_for is self, "a handler of orders waits for its commands only"
        except StopIteration as stop:
            self._end(stop.value, None)
        except Exception as raised:  # noqa: BLE001 - handed on, whatever it is
            self._end(None, raised)

    def _end(self, reply: Any, problem: Exception | None) -> None:
        """A defect in the answer to one order must not reach the sequencer, which calls this."""
        finish, self._handler, self._finish = self._finish, None, None
        assert finish is not None
        try:
            finish(reply, problem)
        except Exception:
            log.exception("defect while answering")


def _wire_name(field: str) -> str:
    """The interface's name of a command's field."""
    first, *others = field.split("_")
    return first + "".join([other.title() for other in others])


def _behind() -> str:
    return "history is behind; try again"


@lru_cache(maxsize=16)
def _symbols_of(symbols: str) -> Collection[str]:
    """The symbols of a setting. Each order asks, and an exchange may have closed hundreds."""
    return dict.fromkeys(symbols.split(",")) if symbols else {}


def _premiums(node: Node) -> MinutePremiums | None:
    """The prices that stand for a minute, where the profile has them so."""
    if node.profile is not Profile.LIVE:
        return None
    found = MinutePremiums(node.engine, node.market_data.contract_data)
    node.outbox.follow(found.follow)
    return found


def _epoch_line(epoch: int) -> bytes:
    """The header that says how often the state went back; none before the first time."""
    return b"x-venue-epoch: %d\r\n" % epoch if epoch else b""
