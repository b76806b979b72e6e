"""Applies fault rules to frames: left out, doubled, late; and to connections that fall silent or
end."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from venue.api.streams.private import HEARTBEAT
from venue.gateway.defects import Defects
from venue.gateway.dispatch.wire_log import WireLog
from venue.gateway.faults.effects import late_s
from venue.gateway.faults.rules import EMPTY, FaultRules, Hit, RuleSubject
from venue.gateway.streams.frames import Frame

CLOSED: Final = 1001  # the code of a server that goes away


class FrameReceiver(Protocol):
    """A receiver of frames. `mute` loses all frames for so many seconds, or for good."""

    def send(self, frame: Frame) -> None: ...

    def end(self, code: int, reason: str) -> None: ...

    def mute(self, seconds: float | None) -> None: ...


class FaultyFrames:
    """Applies rules to each frame on its way to a listener."""

    def __init__(self, rules: FaultRules, defects: Defects, wire: WireLog | None = None) -> None:
        self._rules = rules
        self._wire = wire
        self._defects = defects
        self._late: WeakKeyDictionary[FrameReceiver, deque[tuple[float, Frame]]] = (
            WeakKeyDictionary()
        )

    def apply_rules(
        self, listener: FrameReceiver, asked: RuleSubject, frame: Frame, now: int
    ) -> list[Frame]:
        """Return the frames to send at once in place of one, at a venue time."""
        frames = [frame]
        for hit in self._rules.frames_hit(asked, now):
            if self._wire is not None:
                told = f"{hit.number}:{hit.rule}"
                self._wire.say(asked.uid, frame.payload, heard=False, fault=told)
            frames = self._apply_effect(hit, listener, frames)
        if frames and listener in self._late:  # after those that are late
            due, _ = self._late[listener][-1]
            self._hold(listener, frames, due)
            return []
        return frames

    def _apply_effect(self, hit: Hit, listener: FrameReceiver, frames: list[Frame]) -> list[Frame]:
        effect = hit.effect
        if effect.kind == "ws.disconnect":
            listener.end(effect.close_code or CLOSED, f"fault {hit.rule}")
        elif effect.kind == "ws.silence":
            listener.mute(effect.ms / 1000 if effect.ms is not None else None)
        elif effect.kind == "ws.duplicate":
            return frames * 2
        elif effect.kind == EMPTY:
            return [Frame(HEARTBEAT), *frames]
        elif effect.kind == "ws.late":
            self._hold(listener, frames, asyncio.get_running_loop().time() + late_s(hit))
        return []

    def _hold(self, listener: FrameReceiver, frames: list[Frame], due: float) -> None:
        held = self._late.get(listener)
        if held is None:
            held = self._late[listener] = deque()
            asyncio.get_running_loop().call_at(due, self._send, listener)
        else:
            due = max(due, held[-1][0])
        held.extend((due, frame) for frame in frames)

    def _send(self, listener: FrameReceiver) -> None:
        """Send the frames whose time has come, and set a timer for the others."""
        loop = asyncio.get_running_loop()
        held = self._late[listener]
        while held and held[0][0] <= loop.time():
            _, frame = held.popleft()
            self._defects.contain("a late frame", partial(listener.send, frame))
        if held:
            loop.call_at(held[0][0], self._send, listener)
        else:
            del self._late[listener]
