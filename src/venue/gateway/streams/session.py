"""One stream session: reads a client's messages, sends their answers, and ends an idle client."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from websockets.frames import Frame as ControlFrame
from websockets.frames import Opcode

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.streams.channels import (
    ALIASES,
    CANCEL_ON_DISCONNECT,
    CLOCK_HOLD,
    Acknowledgement,
    Greeting,
    Message,
    PrivatePing,
    PublicPing,
    Socket,
    Stream,
    streams_of,
)
from venue.candles import SECOND_US
from venue.gateway.access.auth import Key
from venue.gateway.dispatch.routes import Route
from venue.gateway.door import Door
from venue.gateway.faults.rules import NO_PING, NO_PONG, RuleSubject
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.hub import POLICY, Hub
from venue.gateway.streams.limits import Allowance, SessionLimits
from venue.gateway.streams.messages import (
    MessageRefused,
    cut,
    enabled_of,
    identity_of,
    join_reasons,
    plain,
    read,
)
from venue.gateway.streams.public_frames import is_listed
from venue.gateway.streams.socket_orders import SocketOrders
from venue.gateway.streams.subscriber import PublicKey, Subscriber
from venue.helpers.link import HelperFailed
from venue.recording.numbering import OwnKey
from venue.times import US_PER_MS

PREFIX: Final = "INVALID_ARGUMENT: "
FLOOD: Final = 10  # so many times the messages of a second end a connection, whatever they are
KEY_GONE: Final = "the API key is no longer valid"
AFTER: Final = re.compile("from=(.*)")  # may follow the name of a private channel
SEQUENCE: Final = re.compile("[0-9]{1,18}")
LOOK_S: Final = 60.0  # how often a key that expires is looked at: time may be stepped
_SECOND_S: Final = 1.0
_HOUR_S: Final = 3600.0

_encode = msgspec.json.Encoder().encode


class Session:
    """One open connection. A private one ends when the key that opened it does; public ones have no
    key.

    `entry` takes the orders of a private one.
    """

    def __init__(
        self,
        door: Door,
        hub: Hub,
        socket: Socket,
        *,
        uid: int,
        limits: SessionLimits,
        link: Subscriber,
        key: Key | None,
        entry: SocketOrders | None,
    ) -> None:
        self._door = door
        self._node = door.node
        self._hub = hub
        self._socket = socket
        self._uid = uid
        self._limits = limits
        self._link = link
        self._key = key
        self._expiry: asyncio.TimerHandle | None = None
        self._entry = entry
        self._streams = streams_of(socket)
        self._loop = asyncio.get_running_loop()
        self._channels: dict[PublicKey | str, None] = {}  # symbols' channels, or private names
        self._changes = Allowance(limits.changes, _HOUR_S)
        self._messages = Allowance(limits.messages, _SECOND_S)
        self._faults = 0
        self._unanswered = 0
        self._idle: asyncio.TimerHandle | None = None
        self._ordered = 0.0  # when the last operation came
        self._beat: asyncio.TimerHandle | None = None
        self._holds = False  # the clock
        self._ended = False

    def begin(self, cid: str) -> None:
        """Greet, and watch over the connection from now on."""
        self._tell(Greeting("connected", cid, str(self._now_ms())))
        self._watch_idle()
        self._beat = self._later(self._limits.ping_s, self._ping)
        if self._key is not None:
            self._key.sessions[self] = lambda: self._act(self._check_key)
            self._check_key()

    def quit(self) -> None:
        """The connection is gone, or will be: nothing more is sent."""
        self._ended = True
        if self._key is not None:
            self._key.sessions.pop(self, None)
        for timer in (self._idle, self._beat, self._expiry):
            if timer is not None:
                timer.cancel()
        self._node.timekeeper.release(self)
        if self._entry is not None:
            self._entry.quit()  # first: no defect in a channel keeps orders that must be canceled
        for key in self._channels:
            self._leave(key)
        self._channels.clear()

    # -- what the client says ---------------------------------------------------------------------

    def hear(self, data: bytes) -> None:
        """Take one text message, of valid UTF-8."""
        if self._ended:
            return
        in_time = self._messages.take(self._loop.time())
        if not in_time and (self._entry is None or self._messages.is_exceeded(FLOOD)):
            self._link.end(POLICY, f"more than {self._limits.messages} messages in a second")
            return
        try:
            message = read(data)
        except MessageRefused as refusal:
            self._refuse(UNSET, str(refusal))
            return
        identity = identity_of(message.id)
        if identity is None:
            self._refuse(UNSET, "invalid id : must be a whole number or a text of at most 64")
            return
        if not in_time:
            self._slow_down(message, identity)
            return
        try:
            self._obey(message, identity)
        except MessageRefused as refusal:
            self._refuse(identity, str(refusal))

    def _slow_down(self, message: Message, identity: Raw | UnsetType) -> None:
        """Too fast: an operation is refused by itself, anything else ends the connection."""
        entry = self._entry
        words = f"more than {self._limits.messages} messages in a second"
        route = entry.find(message.method) if entry is not None else None
        if entry is None or route is None:
            self._link.end(POLICY, words)
        else:
            refusal = errors.too_many_requests(f"Too many requests: {words}.", 1)
            entry.refuse(route, message.params, identity, refusal)

    def _obey(self, message: Message, identity: Raw | UnsetType) -> None:
        method = message.method
        entry = self._entry
        route = entry.find(method) if entry is not None else None
        if entry is not None and route is not None:
            self._operate(entry, route, message.params, identity)
        elif method == "SUBSCRIBE":
            self._subscribe(plain(message.params), identity)
        elif method == "UNSUBSCRIBE":
            self._unsubscribe(plain(message.params), identity)
        elif method == "PING":
            if not self._kept_quiet(NO_PONG):
                self._acknowledge(identity)
        elif method == "PONG":
            self._unanswered = 0
            if not self._socket.private:
                self._acknowledge(identity)
        elif method == CANCEL_ON_DISCONNECT and entry is not None:
            self._cancel_on_disconnect(entry, message.params, identity)
        elif method == CLOCK_HOLD and entry is not None and self._node.practice:
            self._hold_clock(message.params, identity)
        elif method is None and (message.event is not None or message.op is not None):
            raise MessageRefused("this is V3: use method SUBSCRIBE")
        else:
            raise MessageRefused(
                f"invalid event : {cut(method if isinstance(method, str) else '')}"
            )

    def _operate(
        self, entry: SocketOrders, route: Route, params: Raw, identity: Raw | UnsetType
    ) -> None:
        """Serve an operation. One that a rule refuses is no fault, one that cannot be read is."""
        if not self._usable():
            entry.refuse(route, params, identity, errors.error(-1044))
            self._link.end(POLICY, KEY_GONE)
            return
        self._ordered = self._loop.time()
        if not entry.take(route, params, identity):
            self._note_fault()

    def _cancel_on_disconnect(
        self, entry: SocketOrders, params: Raw, identity: Raw | UnsetType
    ) -> None:
        enabled = enabled_of(params)
        try:
            finish = partial(self._answer_switch, identity)
            entry.cancel_on_disconnect(enabled=enabled, finish=finish)
        except ApiError as refusal:
            raise MessageRefused(f"not permitted : {refusal.message}") from None

    def _answer_switch(self, identity: Raw | UnsetType, problem: str) -> None:
        """Answer that a switch is in the journal: a crash does not undo it."""
        if self._ended:
            return
        if problem:
            self._refuse(identity, f"not done : {problem}")
        else:
            self._acknowledge(identity)

    def _hold_clock(self, params: Raw, identity: Raw | UnsetType) -> None:
        """Keep time from being skipped while this connection works, or no longer."""
        self._holds = enabled_of(params)
        if self._holds:
            self._node.timekeeper.hold(self)
        else:
            self._node.timekeeper.release(self)
        self._acknowledge(identity)

    def _subscribe(self, params: Any, identity: Raw | UnsetType) -> None:
        asked = self._channels_of(params)
        new = [key for key in asked if key not in self._channels]
        if len(self._channels) + len(new) > self._limits.channels:
            raise MessageRefused(
                f"too many channels : at most {self._limits.channels} per connection"
            )
        resumed = self._resume_points(params) if self._socket.private else {}
        self._acknowledge(identity)
        for key, stream in asked.items():
            if self._ended:
                return  # it did not read what it asked for
            self._channels[key] = None
            if isinstance(key, str):
                self._hub.join_own(self._link, self._own(key), resumed.get(key))
            else:
                self._hub.join(self._link, key, stream)
        self._watch_idle()

    def _unsubscribe(self, params: Any, identity: Raw | UnsetType) -> None:
        for key in self._channels_of(params):
            if key in self._channels:
                del self._channels[key]
                self._leave(key)
        self._acknowledge(identity)
        self._watch_idle()

    def _leave(self, key: PublicKey | str) -> None:
        if isinstance(key, str):
            self._hub.leave_own(self._link, self._own(key))
        else:
            self._hub.leave(self._link, key)

    def _channels_of(self, params: Any) -> dict[PublicKey | str, Stream]:
        """Return the channels that a message names, each once.

        Refused as a whole when some are unknown, each of which is named: one answer cannot say that
        a part was done, and a client would take the frames of that part for none that it asked for.
        """
        if not self._changes.take(self._loop.time()):
            most = self._limits.changes
            raise MessageRefused(
                f"too many requests : at most {most} subscription messages per hour"
            )
        if not isinstance(params, list) or not params:
            raise MessageRefused("invalid params : must be a list of channels")
        found: dict[PublicKey | str, Stream] = {}
        refused: dict[str, None] = {}
        for name in params:
            try:
                key, stream = self._channel(name)
                found[key] = stream
            except MessageRefused as refusal:
                refused[str(refusal)] = None
        if refused:
            raise MessageRefused(join_reasons(list(refused)))
        return found

    def _channel(self, name: Any) -> tuple[PublicKey | str, Stream]:
        if not isinstance(name, str):
            raise MessageRefused("invalid params : must be a list of channels")
        if self._socket.private:
            channel, mark, after = name.partition("?")
            channel = ALIASES.get(channel, channel)
            if channel not in self._streams or (mark and not AFTER.fullmatch(after)):
                raise MessageRefused(f"invalid event : {cut(name)}")
            return channel, self._streams[channel]
        symbol, _, channel = name.partition("@")
        stream = self._streams.get(channel)
        if stream is None:
            level = channel.removeprefix("depth")
            if level != channel and level.isascii() and level.isdigit():
                raise MessageRefused(f"invalid depth level : {cut(level)}")
            raise MessageRefused(f"invalid event : {cut(channel or name)}")
        # Other scripts stay as they are: the upper case of some letters is an ASCII letter.
        known = symbol.upper() if symbol.isascii() else symbol
        if not is_listed(self._node, self._socket.product, known):
            raise MessageRefused(f"invalid symbol : {cut(symbol)}")
        return (self._socket.product, known, channel), stream

    def _resume_points(self, names: list[str]) -> dict[str, int]:
        """Return the private channels that resume after a number, which must still be stored."""
        resumed: dict[str, int] = {}
        refused: dict[str, None] = {}
        for name in names:
            channel, _, after = name.partition("?")
            if after:
                channel = ALIASES.get(channel, channel)
                try:
                    number = self._after(channel, after.removeprefix("from="))
                except MessageRefused as refusal:
                    refused[str(refusal)] = None
                    continue
                if resumed.setdefault(channel, number) != number:
                    refused[f"invalid params : {channel} is asked for from two numbers"] = None
        if refused:
            raise MessageRefused(join_reasons(list(refused)))
        return resumed

    def _after(self, channel: str, text: str) -> int:
        recorder, key = self._node.recorder, self._own(channel)
        oldest, newest = recorder.numbering.oldest(key), recorder.numbering.newest(key)
        if not SEQUENCE.fullmatch(text):
            words = f"must be a whole number, from {oldest} to {newest}"
        elif int(text) > newest:
            words = f"{channel} has come to {newest}: must be at most {newest}"
        elif int(text) < oldest:
            words = f"older frames of {channel} are not kept: must be at least {oldest}"
        else:
            try:
                self._node.history.health()
            except HelperFailed:
                raise MessageRefused("history is not available : nothing can be resumed") from None
            return int(text)
        raise MessageRefused(f"invalid sequence : {cut(text)}, {words}")

    def _own(self, channel: str) -> OwnKey:
        return self._uid, self._socket.product, channel

    # -- what it is told --------------------------------------------------------------------------

    def _acknowledge(self, identity: Raw | UnsetType) -> None:
        self._tell(Acknowledgement(True, identity))

    def _refuse(self, identity: Raw | UnsetType, words: str) -> None:
        self._tell(Acknowledgement(False, identity, PREFIX + words))
        self._note_fault()

    def _note_fault(self) -> None:
        self._faults += 1
        if self._limits.faults is not None and self._faults > self._limits.faults:
            self._link.end(POLICY, f"more than {self._limits.faults} refused messages")

    def _tell(self, what: Struct) -> None:
        self._link.send(Frame(_encode(what)))

    # -- how long it may stay ---------------------------------------------------------------------

    def _watch_idle(self) -> None:
        """A connection without subscriptions and orders may stay so for a while."""
        if self._channels:
            if self._idle is not None:
                self._idle.cancel()
                self._idle = None
        elif self._idle is None and not self._ended:
            self._idle = self._later(self._limits.idle_s, self._end_idle)

    def _end_idle(self) -> None:
        left = self._ordered + self._limits.idle_s - self._loop.time()
        if self._guards():
            left = self._limits.idle_s
        if left > 0:
            self._idle = self._later(left, self._end_idle)
            return
        self._link.end(POLICY, f"nothing was subscribed for {self._limits.idle_s:g} seconds")

    def _usable(self) -> bool:
        return self._key is None or self._key.usable(self._node.clock.wall())

    def _check_key(self) -> None:
        """End with the key: when it is revoked, and when it expires."""
        if not self._usable():
            self._link.end(POLICY, KEY_GONE)
        elif self._key is not None and self._key.view.expires is not None:
            left = (self._key.view.expires - self._node.clock.wall()) / SECOND_US
            self._expiry = self._later(min(left, LOOK_S), self._check_key)

    def _guards(self) -> bool:
        """Return whether orders or a hold end with this connection: then it is not idle."""
        return self._holds or (self._entry is not None and self._entry.cancels)

    def _ping(self) -> None:
        self._beat = self._later(self._limits.ping_s, self._ping)
        if not self._channels and not self._guards():
            return
        if self._unanswered > self._limits.pings:
            self._link.end(POLICY, f"more than {self._limits.pings} pings were not answered")
            return
        if self._kept_quiet(NO_PING):
            return
        self._unanswered += 1
        time = str(self._now_ms())
        self._tell(PrivatePing("ping", time) if self._socket.private else PublicPing("ping", time))

    def answer_ping(self, data: bytes, writes: list[bytes]) -> None:
        """A ping of the protocol, whose answer is in `writes`: a rule may want it left out."""
        pong = ControlFrame(Opcode.PONG, data).serialize(mask=False)
        if self._kept_quiet(NO_PONG) and pong in writes:
            writes.remove(pong)

    def _kept_quiet(self, kind: str) -> bool:
        """Return whether a rule of this kind wants a ping or its answer left out."""
        faults = self._door.faults
        if not faults.on_pings:
            return False
        asked = RuleSubject(path=self._socket.path, uid=self._uid)
        return bool(faults.kind_hits(kind, asked, self._node.clock.now()))

    def _later(self, wait_s: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        return self._loop.call_later(wait_s, self._act, act)

    def _act(self, act: Callable[[], None]) -> None:
        if not self._door.stream_defects.contain("a session", act):
            self._link.drop()

    def _now_ms(self) -> int:
        return self._node.clock.now() // US_PER_MS
