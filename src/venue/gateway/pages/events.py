"""The stream of a page: the parts that changed, together as they are at one sequence.

A frame is made of the replies of operations, so it shows what a question over REST would show. A
page that reads slowly gets fewer frames, never older ones: nothing waits for it but the last state.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.api.errors import ApiError
from venue.api.operator.wire import WireEntry, WireRequest
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.door import Call, Door
from venue.gateway.operations.operator.wire import wire
from venue.gateway.pages.sections import Section, sections
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.subscriber import Subscriber
from venue.gateway.transport.request import Request
from venue.times import US_PER_MS
from venue.vocabulary import Product

EVERY_S: Final = 0.1  # between two frames
SILENCE_S: Final = 5.0  # until a new stream must have said what it shows
QUIET: Final = 10  # ticks without a change, after which a frame is made all the same
TRIES: Final = 3  # to make all parts at one sequence
WIRE_MAX: Final = 200  # entries in a frame; of more, the newest
NOT_LET_IN: Final = 1008  # the close code for a page without a session, as of any policy
REASON_MAX: Final = 100  # characters of a reason that ends a stream
PRODUCTS: Final = {"contract": Product.CONTRACT, "spot": Product.SPOT}

log = logging.getLogger("venue.gateway")
_encode = msgspec.json.Encoder().encode


class PageView(Struct, kw_only=True):
    """A page asks for this: an owner's account beside a market, and the wire from an entry on."""

    token: str
    owner: str
    symbol: str
    product: str = "contract"
    after: int = 0


class Shown(Struct):
    """The view of a page, with what it was told: `after` is its last entry of the wire."""

    symbol: str
    uid: int
    sections: tuple[Section, ...]
    after: int
    sent: dict[str, bytes] = {}
    mark: tuple[Any, ...] = ()


_views = msgspec.json.Decoder(PageView)


class PageStream:
    """One page's stream. It begins when the page says what it shows, and may say so again."""

    def __init__(
        self, door: Door, operators: OperatorDoor, request: Request, link: Subscriber
    ) -> None:
        self._door = door
        self._node = door.node
        self._operators = operators
        self._request = request
        self._link = link
        self._shown: Shown | None = None
        self._task: asyncio.Task[None] | None = None
        self._silence: asyncio.TimerHandle | None = None  # ends a stream that shows nothing

    def begin(self, _: str) -> None:
        """Say nothing: the page speaks first, and soon."""
        loop = asyncio.get_running_loop()
        self._silence = loop.call_later(SILENCE_S, self._link.end, NOT_LET_IN, "no view came")

    def answer_ping(self, data: bytes, writes: list[bytes]) -> None:
        """Nothing to do: the protocol answers."""

    def quit(self) -> None:
        """The connection is gone, or will be."""
        if self._silence is not None:
            self._silence.cancel()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def hear(self, data: bytes) -> None:
        """Show what the page asks for from now on, or tell it why not."""
        try:
            view = _views.decode(data)
            self._check(view)
        except msgspec.DecodeError:
            self._link.end(NOT_LET_IN, "not a view: token, owner, product, symbol, after")
        except ApiError as refusal:
            self._link.end(NOT_LET_IN, refusal.message[:REASON_MAX])
        else:
            self._show(view)

    def _check(self, view: PageView) -> None:
        request = self._request
        self._operators.check_page(
            view.token.encode(), request.ip, request.headers, request.connection.peer_owner
        )

    def _show(self, view: PageView) -> None:
        try:
            uid = self._node.owner(view.owner).uid
            product = PRODUCTS.get(view.product, Product.CONTRACT)
            find: Callable[[str], object] = (
                self._node.market if product is Product.SPOT else self._node.perp
            )
            find(view.symbol)
        except ApiError as refusal:
            self._link.send(Frame(b'{"refused":%s}' % refusal.body()))
            return
        self._shown = Shown(view.symbol, uid, sections(product), view.after)
        if self._silence is not None:
            self._silence.cancel()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        """Tell the page, until its stream ends or a defect ends it."""
        try:
            await self._go_on_telling()
        except Exception:
            log.exception("defect in the stream of a page")
            self._door.stream_defects.count += 1
            self._link.drop()

    async def _go_on_telling(self) -> None:
        quiet = 0
        while True:
            await self._link.ready()
            shown = self._shown
            assert shown is not None, "a page speaks first"
            quiet = 0 if self._has_changed(shown) else quiet + 1
            if not quiet or quiet > QUIET:
                quiet = 0
                await self._tell(shown)
            await asyncio.sleep(EVERY_S)

    def _has_changed(self, shown: Shown) -> bool:
        """Return whether something happened since the last frame."""
        node = self._node
        entries = self._entries(shown, 1)
        newest = entries[-1].number if entries else 0
        mark = (node.engine.sequence, node.clock.setting, len(self._door.faults.all()), newest)
        changed, shown.mark = mark != shown.mark, mark
        return changed

    async def _tell(self, shown: Shown) -> None:
        """Send the parts that differ from those that were sent, all of the same sequence."""
        for _ in range(TRIES):
            sequence = self._node.engine.sequence
            parts = await self._parts(shown)
            if sequence == self._node.engine.sequence:
                break
        else:
            shown.mark = ()  # the state moves while history answers; the next frame may have it
            return
        if shown is not self._shown:
            return  # the page asks for another view meanwhile
        changed = {name: part for name, part in parts.items() if shown.sent.get(name) != part}
        shown.sent.update(changed)
        self._link.send(Frame(self._frame(changed) + self._news(shown) + b"}"))

    async def _parts(self, shown: Shown) -> dict[str, bytes]:
        made: dict[str, bytes] = {}
        for section in shown.sections:
            call = Call(self._door, shown.uid if section.is_owned else 0, b"")
            try:
                reply = section.handler(call, section.request(shown.symbol))
                if section.is_async:
                    reply = await reply
            except ApiError as refusal:
                made[section.name] = refusal.body()
            else:
                made[section.name] = reply.data if type(reply) is EncodedBody else _encode(reply)
        return made

    def _frame(self, parts: dict[str, bytes]) -> bytes:
        node = self._node
        head = b'{"sequence":%d,"epoch":%d,"time":%d' % (
            node.engine.sequence,
            node.engine.epoch,
            node.clock.now() // US_PER_MS,
        )
        return head + b"".join(b',"%s":%s' % (name.encode(), part) for name, part in parts.items())

    def _news(self, shown: Shown) -> bytes:
        """Return what came over the wire since the last frame, and how much is left out."""
        entries = self._entries(shown, WIRE_MAX)
        if not entries:
            return b""
        is_cut = len(entries) == WIRE_MAX and shown.after
        skipped = entries[0].number - shown.after - 1 if is_cut else 0
        shown.after = entries[-1].number
        return b',"wire":%s,"skipped":%d' % (_encode(entries), skipped)

    def _entries(self, shown: Shown, most: int) -> list[WireEntry]:
        """Return the newest entries that the page was not told of, oldest first."""
        if self._door.wire is None:
            return []
        return wire(Call(self._door, 0, b""), WireRequest(after=shown.after, limit=most))
