"""The single writer: it gathers, stamps, journals, applies, publishes and answers commands.

Commands that arrive while a batch is being made durable form the next batch, so all commands that
wait for a sync share its cost. Nothing is applied, answered or published before its batch is
durable.

When more commands wait than a batch may take, batches are small and owners are served in turn
(`FairQueue`): an owner that floods the venue delays only its own commands, and gets a refusal
(`is_crowded`).

A revert is the only command of its batch, and the next batch is made after it was applied, because
it sets time back.

While the engine has more work than one command may do, each batch ends with a slice of that work
(`Proceed`), and a batch without other commands is a slice alone. So there is at most one slice
between two new commands, and a cancel never waits for a slice that is not in its own batch.

Commands are stamped with venue time. The time that they wait, and the time that this thread works
on them, is measured with the machine's clock: callers wait in that time, and overload is the
machine's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic, thread_time
from typing import Final, get_args

import msgspec

from venue.core import ranges
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import ClosePositions, Command, Proceed, Tick
from venue.core.messages.savepoints import RevertState
from venue.journal.journal import Journal
from venue.node.capacity import Pace
from venue.node.clock import Clock
from venue.node.fair_queue import VENUE, FairQueue, Group
from venue.node.journal_thread import DiskThread
from venue.node.outbox import Outbox
from venue.node.replies import OutcomeReceiver, Replies, Reply

BATCH_MAX: Final = 1_000  # commands in one batch
TOGETHER_MAX: Final = 100  # requests that go in one batch as they came; more wait in turns
BATCH_LEAST: Final = 8  # commands in a batch while more wait; fewer are not measured
BATCH_FIRST: Final = 32  # as long as it is not known how many are worked off in the time
SHORTEST_S: Final = 0.0001  # of work; less says nothing
BATCH_S: Final = 0.002  # of work between two such batches: soon the others have their turn
PENDING_MAX: Final = 20_000  # commands waiting; more is overload, for all that have some among them
NEW_MAX: Final = PENDING_MAX // 2  # beyond that no new orders of these: the rest is for ending them
RESERVE: Final = PENDING_MAX // 4  # beyond `PENDING_MAX`, for owners for whom nothing waits
OWN_MAX: Final = PENDING_MAX // 8  # of one owner
WAIT_MAX_S: Final = 0.05  # an owner whose commands have waited longer gets no new orders in
RECONSIDER_S: Final = 0.05  # how long a pace is trusted that lets nothing go
TIMER_S: Final = 0.001  # the loop's timers count these: less would be no wait, again and again
PATIENCE_S: Final = 0.05  # how long a batch of agents alone may wait for company
BUSY: Final = 8  # a batch of this many says that more are coming
# Without a batch for so long nobody has looked at the prices: the process was held up or slept. A
# tick goes first, so that nothing is traded at prices that have become stale (10 s, rule 6.1).
LATE_US: Final = 5_000_000
LINGER_S: Final = 0.001  # how long the next batch waits for them at most: fewer syncs, more orders

_encode: Final = msgspec.msgpack.Encoder().encode
_READERS: Final = {kind: msgspec.msgpack.Decoder(kind).decode for kind in get_args(Command)}


class Overloaded(Exception):
    """Too many commands wait; this one had no effect."""


class Stopped(Exception):
    """The sequencer takes no more commands; this one had no effect."""


class Sequencer:
    """Orders all commands. Belongs to one event loop; the journal writes on its own thread.

    `capacity`: the largest number of commands a second that it takes; None for no limit.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        outbox: Outbox,
        clock: Clock,
        on_failure: Callable[[BaseException], None],
        *,
        capacity: int | None = None,
    ) -> None:
        self._engine = engine
        self._journal = journal
        self._outbox = outbox
        self._clock = clock
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._disk = DiskThread(self._loop)
        self._pending: list[Group] = []  # as they came; groups beyond the next batch are
        self._queue = FairQueue()  # here then
        self._waiting = 0  # commands in both
        self._capacity = capacity
        self._pace = Pace(capacity, monotonic()) if capacity is not None else None
        self._most = BATCH_FIRST  # commands in a batch while more wait
        self._handed_over = (0.0, 0.0)  # when the last batch went to the disk; this thread's time
        self._time = engine.time
        self._writing = False
        self._flush_at: asyncio.Handle | None = None
        self._flush_is_patient = False
        self._flush_is_held = False  # by the pace
        self._busy = False  # the last batch said that more are coming
        self._seen = 0  # commands that waited when it was last looked whether more come,
        self._until = 0.0  # and how long they may
        self._stopped: BaseException | None = None
        self._reverts = 0  # that were entered and are not applied yet
        self._idle: asyncio.Future[None] | None = None
        self._slice: asyncio.Future[None] | None = None  # a caller waits for the end of the slices
        self._replies = Replies()
        self._slices = engine.pending()  # slices are due: asked once after each batch
        if self._slices:  # left when the venue went down
            self._schedule(patient=False)

    def submit(
        self, commands: Sequence[Command], *, patient: bool = False
    ) -> asyncio.Future[list[Applied]]:
        """Apply commands together, in order. The future returns their outcome, with the results of
        later slices for positions that they close. See `enter`."""
        future: asyncio.Future[list[Applied]] = self._loop.create_future()
        self.enter(commands, future, patient=patient)
        return future

    def enter(
        self,
        commands: Sequence[Command],
        answer: OutcomeReceiver,
        *,
        owner: int = VENUE,
        patient: bool = False,
    ) -> None:
        """Apply commands together, in order; call `answer` with the outcome, never before this
        returns.

        Commands of different `owner`s are served in turn. `patient` commands (agents') may wait a
        moment so that more share their batch. Raises Overloaded, Stopped, or OutOfBounds for
        commands that cannot be written.
        """
        assert commands, "a group holds at least one command"
        for command in commands:
            try:  # to write and read it takes less time than to compare its numbers here
                _READERS[type(command)](_encode(command))
            except ranges.WRONG as problem:
                raise ranges.fault(command) or problem from None
        if self._stopped is not None:
            raise Stopped(str(self._stopped)) from self._stopped
        if self._waiting + len(commands) > OWN_MAX:
            self._check_room(owner, len(commands))
        if type(commands[0]) is RevertState:
            assert len(commands) == 1, "a revert stands alone"
            self._reverts += 1
        self._pending.append((commands, answer, owner))
        self._waiting += len(commands)
        if not self._writing and (
            self._flush_at is None
            or self._flush_is_patient
            or (self._flush_is_held and not self._queue.waiting(owner))
        ):
            self._schedule(patient=patient)

    def is_crowded(self, owner: int) -> bool:
        """Return whether to refuse new orders of an owner, because they could not be served
        soon."""
        if not self._queue.commands:
            return False
        since = self._queue.since(owner)
        if since is None:
            return self._waiting >= PENDING_MAX
        return self._waiting >= NEW_MAX or monotonic() - since > WAIT_MAX_S

    def _check_room(self, owner: int, more: int) -> None:
        """Raise Overloaded when so many more commands are too many for this owner or for the whole
        queue."""
        self._queue_up()
        own = self._queue.waiting(owner)
        if own and owner != VENUE and own + more > OWN_MAX:
            raise Overloaded(f"{own} of its commands wait")
        if self._waiting + more > (PENDING_MAX if own else PENDING_MAX + RESERVE):
            raise Overloaded(f"{self._waiting} commands wait")

    def quiet(self) -> bool:
        """Return whether no command waits, no batch is being written and no slice is due."""
        return not (self._waiting or self._writing or self._goes_on())

    async def worked_off(self) -> None:
        """Wait until no slices are due; Stopped when there will be no more slices."""
        while self._goes_on():
            if self._slice is None:
                self._slice = self._loop.create_future()
            await self._slice
        if self._stopped is not None:
            raise Stopped(str(self._stopped))

    def has_failed(self) -> bool:
        """Return whether the journal or the engine failed: the sequencer writes and applies nothing
        more."""
        return self._stopped is not None and not isinstance(self._stopped, Stopped)

    async def on_disk_thread(self, function: Callable[[], None]) -> None:
        """Run a journal call that must not overlap with the write of a batch."""
        answer: asyncio.Future[None] = self._loop.create_future()

        def finish(problem: BaseException | None) -> None:
            if answer.done():
                return  # the caller has gone
            if problem is None:
                answer.set_result(None)
            else:
                answer.set_exception(problem)

        self._disk.submit(function, finish)
        await answer

    async def stop(self) -> None:
        """Refuse new commands and finish those that wait. All other unfinished work is part of the
        state, and continues at the next start."""
        self._stopped = self._stopped or Stopped("the venue is stopping")
        if self._waiting or self._writing or self._replies.waiting:
            idle = self._idle = self._loop.create_future()
            if not self._writing:
                self._flush()
            await idle
        if self._flush_at is not None:
            self._flush_at.cancel()

    def close(self) -> None:
        """End the journal's thread; nothing may be submitted any more."""
        self._disk.close()

    def _schedule(self, *, patient: bool) -> None:
        if self._flush_at is not None:
            if patient:
                return
            self._flush_at.cancel()
        self._flush_is_patient = patient
        self._flush_is_held = False
        if patient:
            self._flush_at = self._loop.call_later(PATIENCE_S, self._flush)
        elif self._busy and not self._queue.commands:
            self._linger()
        else:
            self._flush_at = self._loop.call_soon(self._flush)

    def _linger(self) -> None:
        """Delay the next batch while every loop iteration still brings commands: more of them share
        one sync."""
        self._flush_is_patient = False
        self._seen = 0
        self._until = monotonic() + LINGER_S
        self._flush_at = self._loop.call_soon(self._flush_unless_more_come)

    def _flush_unless_more_come(self) -> None:
        if self._seen < self._waiting and monotonic() < self._until:
            self._seen = self._waiting
            self._flush_at = self._loop.call_soon(self._flush_unless_more_come)
        else:
            self._flush()

    def _flush(self) -> None:
        """Stamp the waiting commands, up to the batch's limit, and make them durable."""
        if self._flush_at is not None:
            self._flush_at.cancel()
            self._flush_at = None
        self._flush_is_held = False
        if self._pace is not None:  # its reason may be gone
            self._keep_pace()
        groups, commands = self._gather()
        if not commands:
            if self._pace is not None and not self.quiet():  # as many as it may
                wait_s = min(max(self._pace.wait_s(), TIMER_S), RECONSIDER_S)
                self._flush_is_patient = False
                self._flush_is_held = True
                self._flush_at = self._loop.call_later(wait_s, self._flush)
            return
        now = max(self._clock.now(), self._time)
        if 0 < self._time <= now - LATE_US and type(commands[0]) not in (Tick, RevertState):
            late: list[Command] = [Tick()]
            groups.insert(0, (late, self._loop.create_future(), VENUE))
            commands = late + commands
        self._time = now
        for command in commands:
            command.time = self._time
        try:
            write = self._journal.prepare(commands)
            if self._journal.instant:
                write()
        except Exception as problem:  # noqa: BLE001 - whatever fails here stops the venue
            self._fail(groups, problem)
            return
        if self._journal.instant:
            self._finish(groups)
            return
        self._writing = True
        self._handed_over = (monotonic(), thread_time())
        self._disk.submit(write, partial(self._finish_write, groups))

    def _gather(self) -> tuple[list[Group], list[Command]]:
        room = BATCH_MAX
        if self._pace is not None and self._stopped is None:
            room = min(room, self._pace.room(monotonic()))
        groups = self._next_groups(room)
        if self._reverts:
            groups = self._cut(groups)
        commands = [command for group in groups for command in group[0]]
        self._waiting -= len(commands)
        if self._goes_on() and room > 0:
            slice_: list[Command] = [Proceed()]
            groups.append((slice_, self._loop.create_future(), VENUE))
            commands += slice_
        if self._pace is not None:
            self._pace.spend(len(commands))
        return groups, commands

    def _cut(self, groups: list[Group]) -> list[Group]:
        """Cut the groups so that a revert is alone in its batch, after all work of earlier commands
        is done, because it sets time back. Later commands wait."""
        at = [n for n, group in enumerate(groups) if type(group[0][0]) is RevertState]
        if not at:
            return groups
        end = at[0]
        if end == 0 and not self._goes_on():
            end = 1
        if self._queue.commands:
            self._queue.put_back(groups[end:], monotonic())
        else:
            self._pending = groups[end:] + self._pending
        return groups[:end]

    def _next_groups(self, room: int) -> list[Group]:
        """Return the groups of the next batch: all that wait, or those whose owners are next in
        turn."""
        queue, pending = self._queue, self._pending
        if not queue.commands and len(pending) <= TOGETHER_MAX and self._waiting <= room:
            self._pending = []
            if queue.flows:
                queue.forget()
            return pending
        self._queue_up()
        if room > 0:
            return queue.take(min(room, self._most))
        # An owner with little to ask does not wait for the pace of those that ask much.
        assert self._pace is not None, "without a pace there is room"
        ahead = self._pace.ahead()
        return queue.take_new(ahead) if ahead else []

    def _queue_up(self) -> None:
        """Move all pending groups into the fair queue."""
        if self._pending:
            now = monotonic()
            for group in self._pending:
                self._queue.add(group, now)
            self._pending.clear()

    def _goes_on(self) -> bool:
        """Return whether a slice is due. A venue that stops only works on slices for answers that
        are still open."""
        if self._stopped is None:
            return self._slices
        return bool(self._replies.waiting)

    def _finish_write(self, groups: list[Group], problem: BaseException | None) -> None:
        self._writing = False
        problem = problem or (self._stopped if self.has_failed() else None)
        if problem is not None:
            self._fail(groups, problem)
            return
        commands = sum(len(group[0]) for group in groups)
        if commands >= BATCH_LEAST:
            self._fit(commands)
        self._busy = len(groups) >= BUSY
        # A revert asks whether slices are due, and later commands are stamped with its time: both
        # are known only once this batch is applied.
        if self._waiting and not self._reverts:
            # Half of the callers wait already: the disk writes theirs while others' are applied.
            half = 2 * len(self._pending) >= len(groups)
            if half or not self._busy or self._queue.commands:
                self._flush()
            else:
                self._linger()
        self._finish(groups)

    def _fit(self, commands: int) -> None:
        """Set the batch size to what this thread can apply in the time that one disk write
        takes."""
        began, before = self._handed_over
        worked = thread_time() - before
        waited = monotonic() - began - worked
        fitting = commands * max(BATCH_S, waited / 2) / max(worked, SHORTEST_S)
        self._most = min(max(int(fitting), BATCH_LEAST), BATCH_MAX)

    def _finish(self, groups: list[Group]) -> None:
        """Apply a durable batch, answer it, publish it; a defect meanwhile stops the venue."""
        batch: list[Applied] = []
        try:
            replies = self._apply(groups, batch)
        except Exception as problem:  # noqa: BLE001 - nothing may build on a state gone wrong
            self._fail(groups, problem)
            return
        if type(batch[0].command) is RevertState:
            self._reverts -= 1
            self._time = self._engine.time
        for answer, applied in replies:
            if not answer.done():
                answer.set_result(applied)
        try:
            self._outbox.publish(batch)
        except Exception as problem:  # noqa: BLE001 - a view that missed one is wrong
            self._fail([], problem)
            return
        self._keep_pace()
        self._slices = self._engine.pending()
        more = self._waiting > 0 or self._goes_on()
        if more and not self._writing and (self._flush_at is None or self._flush_is_patient):
            self._schedule(patient=False)
        self._tell_slice()
        if self._idle is not None and not more and not self._writing:
            self._idle.set_result(None)
            self._idle = None

    def _keep_pace(self) -> None:
        """Set the pace to the smaller of the capacity and the followers' limit, in commands a
        second."""
        capacity, limit = self._capacity, self._outbox.limit()
        if limit is None or (capacity is not None and capacity < limit):
            limit = capacity
        if limit is None:
            self._pace = None
        elif self._pace is None:
            self._pace = Pace(limit, monotonic())
        else:
            self._pace.rate = limit

    def _tell_slice(self) -> None:
        if self._slice is not None:
            self._slice.set_result(None)
            self._slice = None

    def _apply(self, groups: list[Group], batch: list[Applied]) -> list[Reply]:
        """Apply the commands and add the outcome to the batch; return the answers that are
        complete."""
        engine, companion, waiting = self._engine, self._outbox.companion, self._replies.waiting
        replies: list[Reply] = []
        for commands, answer, _ in groups:
            applied = []
            closes = False
            for command in commands:
                events = engine.apply(command)
                done = Applied(engine.sequence, command.time, command, events)
                kind = type(command)
                if companion is not None and (companion.busy or kind in companion.special):
                    companion.note(done)
                if kind is ClosePositions:
                    closes = True
                applied.append(done)
                if waiting:
                    replies += self._replies.add(done)
            batch += applied
            if not closes or self._replies.complete((answer, applied)):
                replies.append((answer, applied))
        return replies

    def _fail(self, groups: list[Group], problem: BaseException) -> None:
        """Stop after a failure of the journal or the engine: callers get an error, and no command
        is taken."""
        known = self.has_failed()
        self._stopped = problem
        if self._flush_at is not None:
            self._flush_at.cancel()
            self._flush_at = None
        groups = groups + self._pending + self._queue.take(self._queue.commands)
        answers = [group[1] for group in groups]
        self._pending.clear()
        for answer in answers + [reply[0] for reply in self._replies.drop()]:
            if not answer.done():
                answer.set_exception(Stopped(f"the venue failed: {problem}"))
                if isinstance(answer, asyncio.Future):
                    answer.exception()  # nobody may be waiting
        self._waiting = self._reverts = 0
        self._tell_slice()
        if self._idle is not None:
            self._idle.set_result(None)
            self._idle = None
        if not known:
            self._on_failure(problem)
