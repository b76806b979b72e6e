"""Topics and those who listen: what happened is shaped once per topic and handed to all of them.

Public channels are conflated to their interval; private frames, which the recorder made, all
leave, in the order of what caused them. Nothing here waits: who listens too slowly keeps its own
bounded queue.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final, Protocol

import msgspec

from venue.api.streams import KeptFrame, Stream
from venue.core.applied import Applied
from venue.core.contract_events import ContractTrade
from venue.core.events import Trade
from venue.gateway.catchup import CatchUp
from venue.gateway.context import Venue
from venue.gateway.frames import Frame
from venue.gateway.public_frames import (
    OUTSIDE_THE_BOOK,
    TOUCHES,
    TRADES,
    Shaper,
    shaper,
)
from venue.gateway.recorder import OwnKey
from venue.terms import Product

INTERNAL_ERROR: Final = 1011
US_PER_MS: Final = 1000

log = logging.getLogger("venue.gateway")


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """The shortest time between two frames of a channel, in seconds; others have none."""

    depth_s: float = 0.5
    ticker_s: float = 0.2
    kline_s: float = 0.2


class Listener(Protocol):
    """Who receives frames: no call raises, and only `ready` waits: until the reader takes more."""

    def send(self, frame: Frame) -> None: ...

    def end(self, code: int, reason: str) -> None: ...

    def fits(self, frames: int, size: int) -> bool: ...

    async def ready(self) -> None: ...


class PublicTopic:
    """One channel of one symbol."""

    __slots__ = ("due", "interval_s", "listeners", "newcomer", "scheduled", "shaper")

    def __init__(self, made: Shaper, interval_s: float) -> None:
        self.shaper = made
        self.interval_s = interval_s
        self.listeners: dict[Listener, None] = {}
        self.newcomer: Frame | None = None  # a newcomer's first frame, until the next one leaves
        self.scheduled = False
        self.due = 0.0  # when the next frame may leave, in the loop's time


class OwnTopic:
    """One private channel of one account.

    `listeners` have the number behind which frames are theirs; others still catch up.
    """

    __slots__ = ("catching_up", "listeners")

    def __init__(self) -> None:
        self.listeners: dict[Listener, int] = {}
        self.catching_up: dict[Listener, CatchUp] = {}


PublicKey = tuple[Product, str, str]  # product, symbol, channel


class Hub:
    """Follows the outbox, behind market data. Lives on one event loop."""

    def __init__(self, rooms: Venue, timing: Timing) -> None:
        self._rooms = rooms
        self._loop = asyncio.get_running_loop()
        self._intervals = {
            "depth": timing.depth_s,
            "ticker": timing.ticker_s,
            "kline": timing.kline_s,
            "mark_kline": timing.kline_s,
        }
        self._public: dict[PublicKey, PublicTopic] = {}
        self._by_symbol: dict[tuple[Product, str], list[PublicTopic]] = {}
        self._own: dict[OwnKey, OwnTopic] = {}
        self._defects = rooms.recorder.defects  # that private sockets were ended for
        self._ready: list[PublicTopic] = []
        self._outgoing: list[tuple[OwnTopic, KeptFrame]] = []
        self._flush_at: asyncio.Handle | None = None

    # -- who listens ------------------------------------------------------------------------------

    def join(self, listener: Listener, key: PublicKey, stream: Stream) -> None:
        """Have a listener told of a public channel, beginning with where it is now."""
        topic = self._public.get(key)
        if topic is None:
            made = shaper(self._rooms, *key[:2], stream, key[2])
            topic = PublicTopic(made, self._intervals.get(stream.name, 0.0))
            self._public[key] = topic
            self._by_symbol.setdefault(key[:2], []).append(topic)
        elif topic.scheduled and not topic.interval_s:
            self._push(topic)  # or else the newcomer got these trades twice
        if topic.newcomer is None:
            topic.newcomer = Frame(topic.shaper.first(self._now()))
        topic.listeners[listener] = None
        listener.send(topic.newcomer)

    def leave(self, listener: Listener, key: PublicKey) -> None:
        """The opposite of `join`; a channel without listeners is forgotten."""
        topic = self._public.get(key)
        if topic is None:
            return
        topic.listeners.pop(listener, None)
        if not topic.listeners:
            del self._public[key]
            topics = self._by_symbol[key[:2]]
            topics.remove(topic)
            if not topics:
                del self._by_symbol[key[:2]]

    def join_own(self, listener: Listener, key: OwnKey, after: int | None = None) -> None:
        """Have a listener told of what changes for one account.

        From now on, or from behind a number that is kept: then what is missing comes first. Who is
        told already goes on, or begins again behind that number.
        """
        if not self._rooms.recorder.trusted():
            listener.end(INTERNAL_ERROR, "internal error")
            return
        own = self._own.setdefault(key, OwnTopic())
        if after is None:
            if listener not in own.catching_up:
                own.listeners.setdefault(listener, self._rooms.recorder.newest(key))
            return
        self._drop(own, listener)
        live = partial(self._go_live, own, listener)
        own.catching_up[listener] = CatchUp(self._rooms, listener, key, after, live)

    def leave_own(self, listener: Listener, key: OwnKey) -> None:
        """The opposite of `join_own`; a channel without listeners is forgotten, not its numbers."""
        own = self._own.get(key)
        if own is None:
            return
        self._drop(own, listener)
        if not own.listeners and not own.catching_up:
            del self._own[key]

    def _drop(self, own: OwnTopic, listener: Listener) -> None:
        own.listeners.pop(listener, None)
        catching_up = own.catching_up.pop(listener, None)
        if catching_up is not None:
            catching_up.end()

    def _go_live(self, own: OwnTopic, listener: Listener, sent: int) -> None:
        if own.catching_up.pop(listener, None) is not None:
            own.listeners[listener] = sent

    # -- what happens -----------------------------------------------------------------------------

    def follow(self, batch: list[Applied]) -> None:
        """Take a durable, applied batch: note what it touched. Frames leave after this call."""
        if self._by_symbol:
            self._follow_public(batch)
        self._follow_own()

    def _follow_public(self, batch: list[Applied]) -> None:
        by_symbol = self._by_symbol
        touched: dict[tuple[Product, str], int] = {}
        for applied in batch:
            for event in applied.events:
                touches = TOUCHES.get(type(event))
                if touches is None:
                    continue
                product, what = touches
                key = (product, event.symbol)  # type: ignore[union-attr]  # those in TOUCHES have
                topics = by_symbol.get(key)
                if topics is None:
                    continue
                if isinstance(event, (Trade, ContractTrade)):
                    if isinstance(event, ContractTrade) and event.cause in OUTSIDE_THE_BOOK:
                        continue
                    for topic in topics:
                        if topic.shaper.heeds & TRADES:
                            topic.shaper.note(applied.time, event)
                touched[key] = touched.get(key, 0) | what
        for key, what in touched.items():
            for topic in by_symbol[key]:
                if topic.shaper.heeds & what and not topic.scheduled:
                    self._schedule(topic)

    def _follow_own(self) -> None:
        recorder = self._rooms.recorder
        for kept in recorder.published:
            own = self._own.get((kept.uid, kept.product, kept.channel))
            if own is not None:
                self._outgoing.append((own, kept))
        if self._outgoing:
            self._flush_soon()
        if recorder.defects != self._defects:
            self._defects = recorder.defects
            self._end_own()

    def _end_own(self) -> None:
        """What private channels would say is not to be trusted: let go of all who listen."""
        for own in list(self._own.values()):
            for listener in [*own.listeners, *own.catching_up]:
                listener.end(INTERNAL_ERROR, "internal error")

    # -- frames leave -----------------------------------------------------------------------------

    def _schedule(self, topic: PublicTopic) -> None:
        topic.scheduled = True
        wait = topic.due - self._loop.time() if topic.interval_s else 0.0
        if wait > 0:
            self._loop.call_later(wait, self._push, topic)
        else:
            self._ready.append(topic)
            self._flush_soon()

    def _flush_soon(self) -> None:
        """Frames leave when the batch has been published."""
        if self._flush_at is None:
            self._flush_at = self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_at = None
        outgoing, self._outgoing = self._outgoing, []
        ready, self._ready = self._ready, []
        for own, kept in outgoing:
            frame = Frame(kept.payload)
            for listener, after in list(own.listeners.items()):
                if kept.number > after:
                    listener.send(frame)
            for catching_up in list(own.catching_up.values()):
                catching_up.take(kept.number, frame)
        for topic in ready:
            self._push(topic)

    def _push(self, topic: PublicTopic) -> None:
        """Send what changed in a channel since its frame before."""
        if not topic.scheduled:
            return  # a newcomer had it sent already
        topic.scheduled = False
        if not topic.listeners:
            return
        try:
            payload = topic.shaper.later(self._now())
        except Exception:
            log.exception("defect in a public channel")
            for listener in list(topic.listeners):
                listener.end(INTERNAL_ERROR, "internal error")
            return
        if payload is None:
            return
        if topic.interval_s:
            topic.due = self._loop.time() + topic.interval_s
        topic.newcomer = None
        frame = Frame(payload)
        for listener in list(topic.listeners):
            listener.send(frame)

    def _now(self) -> int:
        return self._rooms.clock.now() // US_PER_MS
