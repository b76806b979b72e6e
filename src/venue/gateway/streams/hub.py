"""Channels and their listeners: each change is encoded once per channel and sent to all its
listeners.

Public channels are conflated to their interval. All private frames, which the recorder made, are
sent in the order of their causes. Nothing here waits: a slow listener has a bounded queue of its
own.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from venue.api.streams.channels import KeptFrame, Stream
from venue.candles import SECOND_US
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.gateway.door import Door
from venue.gateway.faults.rules import RuleSubject
from venue.gateway.streams.catchup import CatchUp
from venue.gateway.streams.faulty_frames import FaultyFrames
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.limits import Timing
from venue.gateway.streams.newcomers import Newcomers
from venue.gateway.streams.public_frames import (
    TOUCHES,
    TRADES,
    Shaper,
    shaper,
)
from venue.gateway.streams.subscriber import PublicKey, Subscriber
from venue.recording.numbering import OwnKey
from venue.times import US_PER_MS
from venue.vocabulary import CAUSES_OUTSIDE, Product

INTERNAL_ERROR: Final = 1011
POLICY: Final = 1008
KEEP_UP_S: Final = 5.0  # how long time that is moved waits for a reader; then it is too slow


class PublicChannel:
    """One channel of one symbol."""

    __slots__ = (
        "due",
        "due_us",
        "interval_s",
        "key",
        "listeners",
        "newcomer",
        "scheduled",
        "shaper",
        "torn",
    )

    def __init__(self, key: PublicKey, made: Shaper, interval_s: float) -> None:
        self.key = key
        self.shaper = made
        self.interval_s = interval_s
        self.listeners: dict[Subscriber, None] = {}
        self.newcomer: Frame | None = None  # a newcomer's first frame, until the next one leaves
        self.scheduled = False
        self.due = 0.0  # when the next frame may leave, in the loop's time
        self.due_us = 0  # and in venue time
        self.torn = False  # a trade is missing: there is no next frame


class OwnChannel:
    """One private channel of one account.

    A listener in `listeners` gets the frames after its number; others still catch up.
    """

    __slots__ = ("catching_up", "listeners")

    def __init__(self) -> None:
        self.listeners: dict[Subscriber, int] = {}
        self.catching_up: dict[Subscriber, CatchUp] = {}


class Hub:
    """Follows the outbox, after market data. Belongs to one event loop.

    No call raises. A listener that fails is dropped, and nobody else. A channel that fails is
    dropped: its listeners are ended, because they miss a frame, and the next one to join gets a new
    channel.
    """

    def __init__(self, door: Door, timing: Timing) -> None:
        self._door = door
        self._node = node = door.node
        self._loop = asyncio.get_running_loop()
        self._intervals = {
            "depth": timing.depth_s,
            "ticker": timing.ticker_s,
            "kline": timing.kline_s,
            "mark_kline": timing.kline_s,
        }
        self._newcomers = Newcomers(self._loop, self._let_in)
        self._public: dict[PublicKey, PublicChannel] = {}
        self._by_symbol: dict[tuple[Product, str], list[PublicChannel]] = {}
        self._own: dict[OwnKey, OwnChannel] = {}
        self._defects = door.stream_defects
        self._known = node.recorder.defects  # that private sockets were ended for
        self._ready: list[PublicChannel] = []
        self._held: dict[PublicChannel, None] = {}  # those whose frame waits for venue time
        self._told: dict[Subscriber, None] = {}  # while time is moved: they must keep up
        self._faults = door.faults
        self._faulty = FaultyFrames(door.faults, door.stream_defects, door.wire)

    # -- who listens ------------------------------------------------------------------------------

    def join(self, listener: Subscriber, key: PublicKey, stream: Stream) -> None:
        """Subscribe a listener to a public channel; its first frame is sent when it is the
        listener's turn."""
        self._newcomers.add(listener, key, stream)

    def _let_in(self, listener: Subscriber, key: PublicKey, stream: Stream) -> None:
        channel = self._public.get(key)
        if channel is not None and channel.scheduled and not channel.interval_s:
            self._push(channel)  # otherwise the newcomer would get these trades twice
        if not self._defects.contain("a first frame", self._welcome, listener, key, stream):
            self.leave(listener, key)
            self._end(listener)

    def _welcome(self, listener: Subscriber, key: PublicKey, stream: Stream) -> None:
        channel = self._channel(key, stream)
        channel.listeners[listener] = None
        if channel.newcomer is None:
            channel.newcomer = Frame(channel.shaper.first(self._now()))
        self._tell(channel, listener, channel.newcomer)

    def leave(self, listener: Subscriber, key: PublicKey) -> None:
        """The opposite of `join`; a channel without listeners is forgotten."""
        self._newcomers.remove(listener, key)
        channel = self._public.get(key)
        if channel is None:
            return
        channel.listeners.pop(listener, None)
        if not channel.listeners:
            self._forget(channel)

    def _channel(self, key: PublicKey, stream: Stream) -> PublicChannel:
        channel = self._public.get(key)
        if channel is None:
            made = shaper(self._node, *key[:2], stream, key[2])
            channel = PublicChannel(key, made, self._intervals.get(stream.name, 0.0))
            self._public[key] = channel
            self._by_symbol.setdefault(key[:2], []).append(channel)
        return channel

    def _forget(self, channel: PublicChannel) -> None:
        del self._public[channel.key]
        symbol = channel.key[:2]
        channels = self._by_symbol[symbol]
        channels.remove(channel)
        if not channels:
            del self._by_symbol[symbol]

    def join_own(self, listener: Subscriber, key: OwnKey, after: int | None = None) -> None:
        """Subscribe a listener to an account's channel: live from now, or resuming after sequence
        number `after`.

        The stored frames after that number are sent first. A listener that is subscribed already
        stays so, or resumes after that number.
        """
        if not self._node.recorder.is_trusted():
            self._end(listener)
            return
        own = self._own.setdefault(key, OwnChannel())
        if after is None:
            if listener not in own.catching_up:
                own.listeners.setdefault(listener, self._node.recorder.numbering.newest(key))
            return
        self._remove(own, listener)
        live = partial(self._go_live, own, listener)
        own.catching_up[listener] = CatchUp(self._door, listener, key, after, live)

    def leave_own(self, listener: Subscriber, key: OwnKey) -> None:
        """The opposite of `join_own`; a channel without listeners is forgotten, not its numbers."""
        own = self._own.get(key)
        if own is None:
            return
        self._remove(own, listener)
        if not own.listeners and not own.catching_up:
            del self._own[key]

    def _remove(self, own: OwnChannel, listener: Subscriber) -> None:
        own.listeners.pop(listener, None)
        catching_up = own.catching_up.pop(listener, None)
        if catching_up is not None:
            catching_up.end()

    def _go_live(self, own: OwnChannel, listener: Subscriber, sent: int) -> None:
        if own.catching_up.pop(listener, None) is not None:
            own.listeners[listener] = sent

    # -- what happens -----------------------------------------------------------------------------

    def follow(self, batch: list[Applied]) -> None:
        """Take a durable, applied batch: note what it touched, and send what may leave at once.

        The answers to its orders were written before; both leave together.
        """
        contain = self._defects.contain
        if self._by_symbol and not contain("public channels", self._follow_public, batch):
            for channel in list(self._public.values()):
                self._give_up(channel)
        if not contain("private channels", self._follow_own):
            self._end_own()
        self._flush()

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
                channels = by_symbol.get(key)
                if channels is None:
                    continue
                if isinstance(event, (Trade, ContractTrade)):
                    if isinstance(event, ContractTrade) and event.cause in CAUSES_OUTSIDE:
                        continue
                    for channel in channels:
                        if channel.shaper.heeds & TRADES:
                            self._note(channel, applied.time, event)
                touched[key] = touched.get(key, 0) | what
        for key, what in touched.items():
            for channel in by_symbol[key]:
                if channel.shaper.heeds & what and not channel.scheduled:
                    self._schedule(channel)

    def _note(self, channel: PublicChannel, time: int, trade: Trade | ContractTrade) -> None:
        if not self._defects.contain("a public channel", channel.shaper.note, time, trade):
            channel.torn = True

    def _follow_own(self) -> None:
        """Collect each listener's frames of a batch, which are sent together."""
        recorder, channels = self._node.recorder, self._own
        outgoing: dict[Subscriber, list[Frame]] = {}
        for kept in recorder.published if channels else ():
            own = channels.get((kept.uid, kept.product, kept.channel))
            if own is None:
                continue
            number, frame = kept.number, Frame(kept.payload)
            if self._faults.on_frames:
                self._gather_faulty(own, kept, frame, outgoing)
            else:
                for listener, after in own.listeners.items():
                    if number > after:
                        outgoing.setdefault(listener, []).append(frame)
            if own.catching_up:
                self._hold(own, number, frame)
        if recorder.defects != self._known:
            self._known = recorder.defects
            self._end_own()
        if self._moving():
            self._told.update(dict.fromkeys(outgoing))
        for listener, frames in outgoing.items():
            if not self._defects.contain("a listener", listener.send_all, frames):
                self._drop_own(listener)

    def _gather_faulty(
        self,
        own: OwnChannel,
        kept: KeptFrame,
        frame: Frame,
        outgoing: dict[Subscriber, list[Frame]],
    ) -> None:
        """Gather the frames that rules leave of one; a rule may end a listener."""
        asked = RuleSubject(uid=kept.uid, channel=kept.channel)
        for listener, after in list(own.listeners.items()):
            if kept.number > after:
                passed = self._faulty.apply_rules(listener, asked, frame, self._node.clock.now())
                outgoing.setdefault(listener, []).extend(passed)

    def _hold(self, own: OwnChannel, number: int, frame: Frame) -> None:
        """Give a frame to listeners that still catch up."""
        for listener, catching_up in list(own.catching_up.items()):
            if not self._defects.contain("a listener", catching_up.take, number, frame):
                self._drop_own(listener)

    def _drop_own(self, listener: Subscriber) -> None:
        """Remove a listener that failed from every private channel."""
        self._drop(listener)
        for key, own in list(self._own.items()):
            if listener in own.listeners or listener in own.catching_up:
                self.leave_own(listener, key)

    def _end_own(self) -> None:
        """Private frames cannot be trusted any more: end all their subscriptions."""
        for own in list(self._own.values()):
            for listener in [*own.listeners, *own.catching_up]:
                self._end(listener)

    # -- frames leave -----------------------------------------------------------------------------

    def _schedule(self, channel: PublicChannel) -> None:
        """Send a frame with this batch or when it is due: by the machine's time in the mode `real`,
        otherwise by venue time. While venue time stands still, no frame waits for it."""
        channel.scheduled = True
        clock = self._node.clock
        if channel.interval_s and clock.real:
            wait = channel.due - self._loop.time()
            if wait > 0:
                self._loop.call_later(wait, self._push, channel)
                return
        elif channel.interval_s and clock.passing and channel.due_us > clock.now():
            self._held[channel] = None
            self._node.timekeeper.look(channel.due_us)
            return
        self._ready.append(channel)

    def due(self) -> int | None:
        """Return when the next frame that waits may leave, in venue time (µs)."""
        return min((channel.due_us for channel in self._held), default=None)

    def pass_time(self) -> None:
        """Send the frames that are due at this venue time, and all that wait when venue time stands
        still."""
        if not self._held:
            return
        now = self._node.clock.now()
        waits = self._moving()
        for channel in [one for one in self._held if not waits or one.due_us <= now]:
            del self._held[channel]
            self._push(channel)

    async def keep_up(self) -> None:
        """Wait for listeners that have not read their frames; end those that are still late.

        All of them share one period of waiting, so a listener that stops reading cannot stop time.
        """
        told, self._told = list(self._told), {}
        patience = KEEP_UP_S
        while told:
            try:
                async with asyncio.timeout(patience):
                    while told:
                        await told[-1].ready()
                        told.pop()
            except TimeoutError:
                told.pop().end(POLICY, f"too slow: nothing was read for {KEEP_UP_S:g} s")
                patience = 0.0

    def _flush(self) -> None:
        ready, self._ready = self._ready, []
        for channel in ready:
            self._push(channel)

    def _push(self, channel: PublicChannel) -> None:
        """Send what changed in a channel since its frame before."""
        if not channel.scheduled:
            return  # a newcomer had it sent already
        channel.scheduled = False
        if not channel.listeners:
            return
        if channel.torn or not self._defects.contain("a public channel", self._advance, channel):
            self._give_up(channel)

    def _advance(self, channel: PublicChannel) -> None:
        payload = channel.shaper.later(self._now())
        if payload is None:
            return
        if channel.interval_s:
            channel.due = self._loop.time() + channel.interval_s
            channel.due_us = self._node.clock.now() + round(channel.interval_s * SECOND_US)
        channel.newcomer = None
        frame = Frame(payload)
        for listener in list(channel.listeners):
            self._tell(channel, listener, frame)

    # -- what fails -------------------------------------------------------------------------------

    def _tell(self, channel: PublicChannel, listener: Subscriber, frame: Frame) -> None:
        if self._moving():
            self._told[listener] = None
        if self._faults.on_frames:
            self._tell_faulty(channel, listener, frame)
        elif not self._defects.contain("a listener", listener.send, frame):
            self._drop(listener)
            self.leave(listener, channel.key)

    def _tell_faulty(self, channel: PublicChannel, listener: Subscriber, frame: Frame) -> None:
        """Send as `_tell` does, with the frames that fault rules make of one."""
        _, symbol, name = channel.key
        asked = RuleSubject(symbol=symbol, channel=name)
        for passed in self._faulty.apply_rules(listener, asked, frame, self._node.clock.now()):
            if not self._defects.contain("a listener", listener.send, passed):
                self._drop(listener)
                self.leave(listener, channel.key)
                return

    def _end(self, listener: Subscriber) -> None:
        """Close on a listener that misses a frame: its client may connect again."""
        contain = self._defects.contain
        if not contain("a listener", listener.end, INTERNAL_ERROR, "internal error"):
            self._drop(listener)

    def _drop(self, listener: Subscriber) -> None:
        self._defects.contain("the end of a listener", listener.drop)

    def _give_up(self, channel: PublicChannel) -> None:
        """A frame of a channel is lost to all its listeners."""
        if self._public.get(channel.key) is channel:
            self._forget(channel)
        listeners = list(channel.listeners)
        channel.listeners.clear()
        for listener in listeners:
            self._end(listener)

    def _moving(self) -> bool:
        """Return whether venue time may go faster than listeners read."""
        clock = self._node.clock
        return clock.passing and not clock.real

    def _now(self) -> int:
        return self._node.clock.now() // US_PER_MS
