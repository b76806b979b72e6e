"""The door to a venue: what stands between it and whoever asks it, and one call through it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any, Final

from venue.api.operator.wire import WireEntry
from venue.api.profile import Profile
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, RecordStreams
from venue.core.messages.savepoints import StateReverted
from venue.gateway.access.keys import KeyStore
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.answers.kept import Answers
from venue.gateway.answers.premiums import MinutePremiums
from venue.gateway.defects import Defects
from venue.gateway.dispatch.wire_log import WireLog
from venue.gateway.faults.rules import FaultRules
from venue.gateway.health import HealthFacts
from venue.gateway.transport.request import Request
from venue.gateway.worlds import Worlds
from venue.journal.journal import Snapshot
from venue.node.explainer import Explainer, Turns
from venue.node.node import Node

KEY_REWRITES: Final = "keyRewrites"  # the setting that counts rewrites of the key store

Finish = Callable[[Any, Exception | None], None]
log = logging.getLogger("venue.gateway")


class Door:
    """Keys, faults, kept answers and the wire log: callers pass them on the way to the engine."""

    __slots__ = (
        "answers",
        "epoch_line",
        "explainer",
        "faults",
        "handed_out",
        "health",
        "keys",
        "node",
        "past_wire",
        "premiums",
        "replays",
        "stop",
        "stream_defects",
        "weight_limit",
        "wire",
        "worlds",
    )

    def __init__(
        self,
        node: Node,
        *,
        keys: KeyStore,
        replays: ReplayGuard,
        faults: FaultRules,
        weight_limit: int,
    ) -> None:
        self.node = node
        self.keys = keys
        self.replays = replays
        self.faults = faults
        self.weight_limit = weight_limit
        self.answers = Answers()
        self.premiums = _premiums(node)
        self.stream_defects = Defects()
        self.health = HealthFacts()
        self.stop: Callable[[], None] | None = None  # ends the process; not of a part of one
        self.explainer: Explainer | None = None  # of a practice venue
        self.wire: WireLog | None = None  # where one is kept
        self.past_wire: list[WireEntry] | None = None  # of a run that is over
        self.handed_out: Snapshot | None = None  # the end of the run that was bundled last
        self.worlds: Worlds | None = None  # a world itself has none
        self.epoch_line = _epoch_line(node.engine.epoch)  # of each answer's head
        node.reverts.restore("faults", faults)
        node.reverts.restore("replays", replays)
        node.reverts.tell("door", self.go_back)

    def observe(self, wire_log: int, turns: Turns | None = None) -> None:
        """Keep the last `wire_log` requests and frames of a practice venue, and explain what
        happened; explanations take `turns` with those of this process's other venues."""
        node = self.node
        if not node.practice:
            return
        if wire_log:
            self.wire = WireLog(wire_log, node.clock, node.engine)
        self.explainer = Explainer(node.journal, node.sequencer.on_disk_thread, turns=turns)

    def with_wire_log(self, serve: Callable[[Request], None]) -> Callable[[Request], None]:
        """As `serve`, with requests noted where the wire log is kept."""
        return self.wire.serving(serve) if self.wire is not None else serve

    def go_back(self, event: StateReverted) -> None:
        """Follow a revert: forget answers made of a state that is gone. Owners that are gone lose
        their keys and entries of the wire log before an owner can come who gets their uid."""
        node = self.node
        self.answers.clear()
        self.keys.withdraw(node.engine.accounts)
        if self.wire is not None:
            self.wire.withdraw(node.engine.accounts)
        self.replays.go_back(node.clock.wall(), node.clock.oldest())
        self.epoch_line = _epoch_line(event.epoch)


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
        "door",
        "node",
        "request_id",
        "uid",
    )

    def __init__(
        self,
        door: Door,
        uid: int,
        request_id: bytes,
        placed: dict[int, None] | None = None,
        connection: int = 0,
    ) -> None:
        self.connection = connection
        self.door = door
        self.node = door.node
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
        """Return whether nothing is waited for."""
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


def _premiums(node: Node) -> MinutePremiums | None:
    """Return the prices that stand for a minute, where the profile has them so."""
    if node.profile is not Profile.LIVE:
        return None
    found = MinutePremiums(node.engine, node.market_data.contract_data)
    node.outbox.follow(found.follow)
    node.reverts.tell("premiums", found.go_back)
    return found


def _epoch_line(epoch: int) -> bytes:
    """Return the header that says how often the state went back; none before the first time."""
    return b"x-venue-epoch: %d\r\n" % epoch if epoch else b""
