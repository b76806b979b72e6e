"""Makes and numbers private frames once, for connected clients and for later resumption.

Frames follow from the commands alone: the same commands make the same bytes under the same numbers,
however they were batched and wherever a snapshot was taken.
"""

from __future__ import annotations

import logging
from typing import Final

from venue.api.streams.channels import STREAMS, KeptFrame
from venue.core import wide
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import RecordStreams
from venue.core.messages.events import Event, StreamsRecorded
from venue.core.messages.savepoints import (
    DropState,
    KeepState,
    RevertState,
    StateDropped,
    StateKept,
    StateReverted,
)
from venue.history.frames_kept import FRAMES_KEPT
from venue.recording.frames import PrivateFrame, PrivateFrames
from venue.recording.notes import PastNotes
from venue.recording.numbering import Numbering
from venue.recording.records import RecorderPart
from venue.times import US_PER_MS

RENEWAL: Final = 10_000  # commands; after a defect frames are made again from such a sequence on
SPECIAL: Final = frozenset({KeepState, RevertState, DropState, RecordStreams})

CHANNELS: Final = [
    (int(product), channel)
    for stream in STREAMS
    if stream.private
    for product in stream.products
    for channel in stream.channels
]

log = logging.getLogger("venue.gateway")


_parts: wide.Decoder[RecorderPart] = wide.Decoder(RecorderPart)


class Recorder:
    """Accompanies the outbox. It makes frames for the owners that a `RecordStreams` has named.

    `published` are the frames of the batch that is being published. After a defect there are none
    until the engine's next full `RENEWAL` commands; every channel then skips a number, so no client
    can resume across the lost frames. `defects` counts them.

    While it is not `busy`, it needs only commands of `special` types.
    """

    special: frozenset[type] = SPECIAL

    def __init__(self, kept: int = FRAMES_KEPT) -> None:
        self.engine = Engine()
        self.published: list[KeptFrame] = []
        self.defects = 0
        self.busy = False  # an owner has private frames, or a defect is not yet over
        self.numbering = Numbering(kept)
        self._owners: dict[int, None] = {}
        self._frames: PrivateFrames | None = None
        self._made: list[KeptFrame] = []
        self._kept_states: dict[str, bytes] = {}  # its part when a state was kept
        self.restore(b"", self.engine)

    # -- its state --------------------------------------------------------------------------------

    def restore(self, part: bytes, engine: Engine) -> None:
        """Start from a snapshot's part (b"": none) and its engine. Raises msgspec.MsgspecError."""
        found = _parts.decode(part) if part else RecorderPart()
        self._kept_states = dict(found.kept)
        self._become(found, engine)

    def _become(self, found: RecorderPart, engine: Engine) -> None:
        self.engine = engine
        accounts = engine.accounts.values()
        self._owners = {account.uid: None for account in accounts if account.recorded}
        self.numbering.restore(found.numbers, found.versions)
        self._frames = None
        if found.trusted:
            self._frames = PrivateFrames(self.engine, self._owners.__contains__)
            self._frames.changes.recall(found.past)
        self._look()

    def dump(self) -> bytes:
        """Return its part of a snapshot, taken between two batches."""
        part = self._part()
        part.kept = list(self._kept_states.items())
        return wide.encode(part)

    def _part(self) -> RecorderPart:
        frames = self._frames
        return RecorderPart(
            trusted=frames is not None,
            numbers=self.numbering.numbers(),
            versions=self.numbering.versions(),
            past=frames.changes.past() if frames is not None else PastNotes(),
        )

    # -- questions --------------------------------------------------------------------------------

    def is_trusted(self) -> bool:
        """Return whether frames are made: there was no defect since the last renewal."""
        return self._frames is not None

    # -- what happens -----------------------------------------------------------------------------

    def note(self, applied: Applied) -> None:
        """Make the frames of a command, right after the engine has applied it."""
        special = type(applied.command) in SPECIAL
        if not (special or self.busy):
            return
        try:
            if special and type(applied.command) is not RecordStreams:
                self._follow(applied.events[0])
            self._make(applied)
        except Exception:
            log.exception("defect in the private frames of command %d", applied.sequence)
            self._frames = None
            self.defects += 1
        self._look()

    def _look(self) -> None:
        self.busy = bool(self._owners) or self._frames is None

    def _follow(self, event: Event) -> None:
        """Keep its part of a state that is kept, and go back with a reverted one."""
        if isinstance(event, StateKept):
            self._kept_states[event.name] = wide.encode(self._part())
        elif isinstance(event, StateReverted):
            self._become(_parts.decode(self._kept_states[event.name]), self.engine)
        elif isinstance(event, StateDropped):
            del self._kept_states[event.name]

    def _make(self, applied: Applied) -> None:
        frames = self._frames
        if frames is None:
            if applied.sequence % RENEWAL == 0:
                self._renew()
        elif self._owners:
            sequence, time = applied.sequence, str(applied.time // US_PER_MS)
            for own in frames.frames(applied):
                self._keep(own, sequence, time)
        if type(applied.command) is RecordStreams:
            for event in applied.events:
                if isinstance(event, StreamsRecorded):
                    self._record(event.uid)

    def _record(self, uid: int) -> None:
        """Make an owner's frames from the next command on."""
        self._owners[uid] = None
        if self._frames is not None:
            self._frames.changes.take_up(self.engine.account(uid))

    def publish(self, _: list[Applied]) -> None:
        """The batch of these frames is published: the followers after this one see them."""
        self.published = self.take()

    def take(self) -> list[KeptFrame]:
        """Return the frames made since the last call."""
        made = self._made
        if made:
            self._made = []
        return made

    def _keep(self, own: PrivateFrame, sequence: int, time: str) -> None:
        """Number a frame, and write out the `OwnFrame` that it is on the wire; `time` is in ms."""
        uid, product, channel = own.uid, own.product, own.channel
        number, version = self.numbering.next((uid, product, channel))
        payload = (
            f'{{"e":"{channel}","E":{time},"v":{version},"seq":{number},'
            f'"msgEvent":"{own.cause}","d":[{",".join(own.items)}]}}'
        ).encode()
        self._made.append(KeptFrame(sequence, uid, product, channel, number, payload))

    def _renew(self) -> None:
        """Continue after a defect, from the engine's state: a number of each channel is skipped."""
        for uid in sorted(self._owners):
            for product, channel in CHANNELS:
                self.numbering.lose((uid, product, channel))
        self._frames = PrivateFrames(self.engine, self._owners.__contains__)
