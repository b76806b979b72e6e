"""Private frames: the changes of each applied command for its owners, channel by channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from venue.api.streams.private import ACCOUNT, FILL, ORDER_UPDATE, ORDERS, POSITIONS, Item
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.recording import items, spot_items
from venue.recording.changes import Changes
from venue.recording.notes import ConditionalNote, OrderNote, PositionNote
from venue.recording.touched import TouchedState
from venue.vocabulary import BUY, LONG, PRODUCT_CONTRACT, PRODUCT_SPOT

ITEMS_MAX: Final = 100  # per frame; a command that changed more makes several

_encode = msgspec.json.Encoder().encode


class PrivateFrame:
    """Items of one channel for one owner, as JSON text; `cause` is the `msgEvent`."""

    __slots__ = ("cause", "channel", "items", "product", "uid")

    def __init__(self, uid: int, product: int, channel: str, cause: str, items: list[str]) -> None:
        self.uid = uid
        self.product = product
        self.channel = channel
        self.cause = cause
        self.items = items


# By uid, product, channel and cause.
Gathered = dict[tuple[int, int, str, str], PrivateFrame]


class PrivateFrames:
    """Makes the frames of applied commands; every one must be given, in order.

    Give each before the engine applies the next: orders, accounts and positions appear once per
    command, in their state after it. `listens` says for which owners frames are needed; `changes`
    follows their orders, money and positions.
    """

    __slots__ = ("_engine", "changes")

    def __init__(self, engine: Engine, listens: Callable[[int], bool]) -> None:
        self._engine = engine
        self.changes = Changes(engine, listens)

    def frames(self, applied: Applied) -> list[PrivateFrame]:
        """Return the frames of one command: orders, fills, accounts, positions."""
        touched = self.changes.fold(applied)
        gathered: Gathered = {}
        self._orders(touched, gathered)
        self._fills(touched, gathered)
        self._accounts(touched, gathered)
        if touched.positions:
            self._positions(touched, gathered)
        self.changes.forget(touched)
        frames: list[PrivateFrame] = []
        for frame in gathered.values():
            if len(frame.items) <= ITEMS_MAX:
                frames.append(frame)
            else:
                frames += _parts(frame)
        return frames

    def _orders(self, touched: TouchedState, gathered: Gathered) -> None:
        engine = self._engine
        for note in touched.orders.values():
            product = PRODUCT_CONTRACT
            if isinstance(note, ConditionalNote):
                opened_by = self._opened_by(note, note.algo_id)
                item = _text(items.conditional_item(engine, note, opened_by))
            elif note.position_side:
                opened_by = self._opened_by(note, note.order_id)
                item = _text(items.contract_order_item(engine, note, opened_by))
            else:
                product = PRODUCT_SPOT
                item = spot_items.order_item(engine, note)
            _add(gathered, (note.uid, product, ORDERS, ORDER_UPDATE), item)

    def _opened_by(self, note: OrderNote | ConditionalNote, number: int) -> int:
        """Return the order that opened its position, where positions are separate, otherwise 0."""
        if not note.modes[1]:
            return 0
        if isinstance(note, OrderNote) and (note.side == BUY) == (note.position_side == LONG):
            return number
        position = self.changes.positions.get(note.position_id)
        return position.open_order_id if position is not None else 0

    def _fills(self, touched: TouchedState, gathered: Gathered) -> None:
        engine = self._engine
        for uid, trade, is_maker in touched.spot_fills:
            share = spot_items.fill_item(engine, trade, touched.time, is_maker=is_maker)
            _add(gathered, (uid, PRODUCT_SPOT, FILL, ORDER_UPDATE), share)
        for traded, leg, liquidate_fee in touched.contract_fills:
            note: PositionNote = self.changes.positions[leg.position_id]
            side = items.contract_fill_item(engine, traded, leg, liquidate_fee, note, touched.time)
            _add(gathered, (leg.uid, PRODUCT_CONTRACT, FILL, ORDER_UPDATE), _text(side))

    def _accounts(self, touched: TouchedState, gathered: Gathered) -> None:
        engine = self._engine
        for uid, ordinal, cause in touched.spot_accounts:
            coin = spot_items.account_item(engine, engine.account(uid), ordinal)
            _add(gathered, (uid, PRODUCT_SPOT, ACCOUNT, cause), coin)
        for uid, ordinal, cause in touched.contract_accounts:
            moved = self.changes.moved_of(uid, ordinal, touched.time)
            holding = engine.holding(uid)
            money = items.contract_account_item(engine, holding, ordinal, moved, touched.time)
            _add(gathered, (uid, PRODUCT_CONTRACT, ACCOUNT, cause), _text(money))

    def _positions(self, touched: TouchedState, gathered: Gathered) -> None:
        engine = self._engine
        for uid, position_id, cause in touched.positions:
            held = engine.holding(uid).positions.get(position_id)
            closed = touched.closed.get(position_id)
            if held is not None:
                item = items.position_item(engine, held)
            elif closed is not None:
                note = self.changes.positions[position_id]
                item = items.closed_position_item(engine, closed, note, touched.time)
            else:
                continue
            _add(gathered, (uid, PRODUCT_CONTRACT, POSITIONS, cause), _text(item))


def _add(gathered: Gathered, key: tuple[int, int, str, str], item: str) -> None:
    frame = gathered.get(key)
    if frame is None:
        uid, product, channel, cause = key
        gathered[key] = PrivateFrame(uid, product, channel, cause, [item])
    else:
        frame.items.append(item)


def _parts(frame: PrivateFrame) -> list[PrivateFrame]:
    """Split a frame that has too many items."""
    parts: list[PrivateFrame] = []
    for begin in range(0, len(frame.items), ITEMS_MAX):
        items = frame.items[begin : begin + ITEMS_MAX]
        parts.append(PrivateFrame(frame.uid, frame.product, frame.channel, frame.cause, items))
    return parts


def _text(item: Item) -> str:
    return _encode(item).decode()
