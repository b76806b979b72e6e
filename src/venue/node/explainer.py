"""Explains what a running venue did, with a helper process that computes the explanation.

The process replays the journal from a snapshot up to the command in question, and explains it from
the state before that command. Only the venue may open its journal, so the venue reads the commands
and sends them over a pipe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec

from venue.helpers.feeding import Feeder, OnDisk
from venue.helpers.link import HelperFailed, Link
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    Snapshot,
    earliest,
)
from venue.journal.recent import RecentJournal
from venue.times import instant_text

MODULE: Final = "venue.explanation.helper"
SKIP: Final = b"k"  # a later `StartPoint` to go on from; whether the helper does
REMEMBER_S: Final = 1.0  # how often a journal in memory is looked at
WHOLE_PAUSE: Final = 50  # times as long as a whole snapshot took, there is no other one
TIME_MAX_S: Final = 20.0  # of one explanation's waiting, then of its process's work
WAITING_MAX: Final = 4
TRIED: Final = 4  # states from the newest on that are tried one by one; a file has no more

States = dict[int, Callable[[], Snapshot | None]]
"""The states that a replay can begin from, by sequence; None: it is gone by now."""


class ExplainQuestion(msgspec.Struct, array_like=True):
    """An order, a bill or a liquidation to explain, by its id; or a refusal.

    A refusal is of a request by `uid`, answered with `code` and `words` when the venue was at
    `sequence`; `epoch` counts how often the venue was reverted. A replay begins after the command
    `begin`.
    """

    kind: str
    number: int
    uid: int = 0
    sequence: int = 0
    code: int = 0
    words: str = ""
    epoch: int = 0
    begin: int = 0


class ExplanationText(msgspec.Struct):
    """An explanation. `sequence` and `time` (µs) are the command's, `uid` its owner; 0: none."""

    sentences: list[str]
    sequence: int = 0
    time: int = 0
    uid: int = 0


class TooBusy(Exception):
    """The explanation cannot be computed now; the text says why."""


class TooOld(Exception):
    """The command is older than what can be replayed; the text says what can be."""


class Turns:
    """One explanation at a time, of all venues in a process."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


class Explainer:
    """Sends one question after another to the helper process. Belongs to one event loop."""

    def __init__(
        self,
        journal: Journal,
        on_disk: OnDisk,
        time_max_s: float = TIME_MAX_S,
        turns: Turns | None = None,
    ) -> None:
        self._journal = journal
        self._on_disk = on_disk
        self._time_max_s = time_max_s
        self._turns = turns or Turns()

    async def ask(self, question: ExplainQuestion) -> ExplanationText | None:
        """Return the explanation; None: there is no such thing. Raises TooBusy and TooOld."""
        turns = self._turns
        if turns.waiting >= WAITING_MAX:
            raise TooBusy(f"{WAITING_MAX} explanations are under way")
        turns.waiting += 1
        try:
            async with asyncio.timeout(self._time_max_s) as limit, turns.turn:
                return await self._ask(question, limit)
        except TimeoutError:
            raise TooBusy(
                f"it was not explained within {self._time_max_s:g} s: too many commands lie between"
                " it and the snapshot before it"
            ) from None
        except (HelperFailed, JournalCorrupt, JournalFailed) as problem:
            raise TooBusy(f"it could not be explained: {problem}") from problem
        finally:
            turns.waiting -= 1

    async def _ask(
        self, question: ExplainQuestion, limit: asyncio.Timeout
    ) -> ExplanationText | None:
        last = self._journal.last_sequence()
        link, _ = await Link.start(MODULE, name="explanation", patience_s=self._time_max_s)
        waiting = asyncio.create_task(self._wait_for_turns(link, limit))
        try:
            question.begin = earliest(self._journal)
            feeder = Feeder(link, self._journal, self._on_disk)
            await feeder.begin(question)
            states = await feeder.read(self._states)
            at = await self._begin(feeder, question.epoch, states)
            if at is None:
                return None
            ahead = sorted(one for one in states if at < one <= last)
            while at < last:
                if ahead and ahead[0] <= at:
                    at = await self._skip(feeder, at, ahead, states)
                    continue
                at, done = await feeder.feed(at, last)
                if done:
                    break
            explained: ExplanationText | None = await feeder.finish()
            return explained
        finally:
            waiting.cancel()
            link.kill("the explanation is told")
            await link.close()

    async def _wait_for_turns(self, link: Link, limit: asyncio.Timeout) -> None:
        """Limit the processor time of the process, not the time that passes: on a busy machine it
        gets the processor last. `link` ends a process that gets none at all."""
        while True:
            await asyncio.sleep(self._time_max_s / 2)
            left_s = self._time_max_s - link.worked_s()
            limit.reschedule(asyncio.get_running_loop().time() + max(0.0, left_s))

    async def _begin(self, feeder: Feeder, epoch: int, states: States) -> int | None:
        """Start the process at the newest state before the thing that is asked for; return its
        sequence, or None if nothing has the id."""
        begin = earliest(self._journal)

        async def lies_behind(sequence: int) -> bool:
            snapshot = states[sequence]()
            if snapshot is None:  # forgotten meanwhile
                return False
            return await feeder.suggest(snapshot)

        found = await _newest(sorted(one for one in states if one >= begin), lies_behind, epoch)
        if found is not None:
            return found
        if begin:
            raise TooOld(_too_old(self._journal, begin))
        return 0 if await feeder.suggest(None) else None

    async def _skip(self, feeder: Feeder, at: int, ahead: list[int], states: States) -> int:
        """Skip the commands up to the last state in `ahead` before which nothing happened to the
        thing. Return the sequence to continue from, and remove the states that were passed."""
        while ahead and ahead[0] <= at:
            del ahead[0]
        while ahead:
            snapshot = states[ahead[0]]()
            if snapshot is None or not await feeder.suggest(snapshot, SKIP):
                break
            at = ahead.pop(0)
        return at

    def _states(self) -> States:
        """Return the states that a replay can start from, by sequence."""
        journal = self._journal
        if isinstance(journal, RecentJournal):
            return {one: partial(journal.state, one) for one in journal.beginnings()}
        return {one.sequence: partial(_itself, one) for one in journal.snapshots()}


def _itself(snapshot: Snapshot) -> Snapshot:
    return snapshot


async def _newest(
    sequences: list[int], lies_behind: Callable[[int], Awaitable[bool]], epoch: int
) -> int | None:
    """Return the last of these ascending sequences that is before the thing; None if none is.

    A thing that comes after a sequence comes after all earlier ones too. Where a revert put numbers
    back the result may be an earlier sequence than the last: a replay from there finds the thing as
    well.
    """
    few, many = sequences[-TRIED:], sequences[:-TRIED]
    for sequence in reversed(few):
        if await lies_behind(sequence):
            return sequence
    low, high = -1, len(many)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if await lies_behind(many[middle]) else (low, middle)
    if low >= 0:
        return many[low]
    for sequence in reversed(many if epoch else []):
        if await lies_behind(sequence):
            return sequence
    return None


def _too_old(journal: Journal, begin: int) -> str:
    told = f"lies before command {begin + 1}, with which what can be replayed begins"
    lost = describe_dropped(journal)
    return f"{told}: {lost}" if lost else told


def describe_dropped(journal: Journal) -> str:
    """Return a sentence about the commands that a journal in memory has dropped; empty: it has all
    of them."""
    if not isinstance(journal, RecentJournal) or not journal.begin_time():
        return ""
    return (
        f"a venue in memory keeps {journal.keeps()}: those up to command {journal.begin()}, of"
        f" {instant_text(journal.begin_time())}, are gone"
    )


def keeping_recent(
    journal: Journal, take: Callable[[], Snapshot], take_state: Callable[[], Snapshot]
) -> list[asyncio.Task[None]]:
    """Start the task that shortens a journal in memory; None for other journals. `take` makes whole
    snapshots, `take_state` snapshots of the engine alone."""
    if not isinstance(journal, RecentJournal):
        return []
    return [asyncio.create_task(_keep_recent(journal, take, take_state))]


async def _keep_recent(
    journal: RecentJournal, take: Callable[[], Snapshot], take_state: Callable[[], Snapshot]
) -> None:
    """Replace older commands of a journal in memory by snapshots, again and again.

    A whole snapshot takes up to a second, so while time flies most snapshots hold the engine alone.
    """
    loop = asyncio.get_running_loop()
    whole_at = 0.0
    while True:
        await asyncio.sleep(REMEMBER_S)
        begun = loop.time()
        if journal.is_due() and begun < whole_at:
            journal.save_state(take_state())
        elif journal.is_due():
            journal.save_snapshot(take())
            whole_at = begun + WHOLE_PAUSE * (loop.time() - begun)
