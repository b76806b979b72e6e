"""Copies and tracked positions as the interface shows them."""

from __future__ import annotations

from typing import Final

from venue.api.copying.follower import OpenCopy
from venue.api.copying.trader import TrackedPosition
from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import NO_SOURCE, POSITION_SIDE_NAMES, SIDE_NAMES, SOURCE_NAMES
from venue.core.contract.margin import initial
from venue.core.contract.position import mark_of
from venue.core.contract.records import Position
from venue.core.copying.people import Copy, Track
from venue.core.messages.copy_events import CopyClosed
from venue.history.tables.copying import EndedCopy, EndedTrack
from venue.node.node import Node
from venue.texts import (
    amount_text,
    average_text,
    fraction_text,
    price_text,
    quantity_text,
)
from venue.times import US_PER_MS
from venue.vocabulary import BUY, LONG, SELL, AlgoType

HELD: Final = "HAVE_OPEN"
CLOSED: Final = "CLOSED"
PROFITS: Final = (int(AlgoType.TAKE_PROFIT), int(AlgoType.TAKE_PROFIT_MARKET))


def open_copy(node: Node, copy: Copy) -> OpenCopy:
    """Return a copy that is open."""
    position, lead = copy.tracked.position, copy.following.lead.account
    perp = position.perp
    instrument = perp.market.instrument
    asset = node.asset(instrument.quote)
    worth = mark_of(position) * copy.lots * perp.unit
    gain = copy.track.side * (worth - copy.value)
    profit, loss, source = _exits(position)
    return OpenCopy(
        trader_id=lead.uid,
        trader_name=lead.name,
        symbol=perp.symbol,
        client_order_id=GENERATED_CLIENT_ID % copy.order_id,
        order_id=copy.order_id,
        tracking_no=copy.number,
        orig_qty=quantity_text(instrument, copy.lots),
        price="0",
        reduce_only=False,
        side=SIDE_NAMES[BUY if copy.track.side == LONG else SELL],
        position_side=POSITION_SIDE_NAMES[copy.track.side],
        status=HELD,
        avg_price=average_text(perp, copy.value, copy.lots),
        tp_trigger_price=profit,
        sl_trigger_price=loss,
        time=copy.created // US_PER_MS,
        time_in_force="IOC",
        type="MARKET",
        unrealize_pnl=amount_text(asset, gain),
        roi=fraction_text(gain, initial(copy.value, copy.leverage)),
        update_time=copy.updated // US_PER_MS,
        working_type=source,
    )


def open_track(node: Node, track: Track, position: Position) -> TrackedPosition:
    """Return a lead's tracked position that is open."""
    perp = track.perp
    instrument = perp.market.instrument
    asset = node.asset(instrument.quote)
    margin = initial(position.open_value, position.leverage)
    profit, loss, _ = _exits(position)
    return TrackedPosition(
        tracking_no=track.number,
        symbol=perp.symbol,
        open_order_id=track.first_order_id or position.open_order_id,
        open_leverage=position.leverage,
        open_price_avg=average_text(perp, position.open_value, position.open_size),
        open_time=position.created // US_PER_MS,
        open_size=quantity_text(instrument, position.quantity),
        open_fee=amount_text(asset, position.open_fee),
        open_margin_amount=amount_text(asset, margin),
        open_fill_size=quantity_text(instrument, position.open_size),
        position_side=POSITION_SIDE_NAMES[position.side],
        status=HELD,
        tp_trigger_price=profit,
        sl_trigger_price=loss,
        realized_pnl=amount_text(asset, position.realized),
        profit_rate=fraction_text(position.realized, margin),
        net_profit=amount_text(asset, position.realized - position.open_fee - position.close_fee),
        follow_count=track.followers,
        created_time=position.created // US_PER_MS,
        update_time=position.updated // US_PER_MS,
    )


def ended_position(node: Node, row: EndedCopy | EndedTrack) -> TrackedPosition:
    """Return a copy, or a lead's tracked position, that has ended."""
    life = row.life
    perp = node.perp(life.symbol)
    instrument = perp.market.instrument
    asset = node.asset(instrument.quote)
    margin = initial(life.open_value, life.leverage)
    return TrackedPosition(
        tracking_no=life.copy_no if isinstance(life, CopyClosed) else life.tracking_no,
        symbol=life.symbol,
        open_order_id=life.order_id,
        open_leverage=life.leverage,
        open_price_avg=average_text(perp, life.open_value, life.open_size),
        open_time=life.created // US_PER_MS,
        open_size=quantity_text(instrument, 0),
        open_fee=amount_text(asset, life.open_fee),
        open_margin_amount=amount_text(asset, margin),
        open_fill_size=quantity_text(instrument, life.open_size),
        position_side=POSITION_SIDE_NAMES[life.side],
        status=CLOSED,
        tp_trigger_price=None,
        sl_trigger_price=None,
        realized_pnl=amount_text(asset, life.realized),
        profit_rate=fraction_text(life.realized, margin),
        net_profit=amount_text(asset, life.realized - life.open_fee - life.close_fee),
        follow_count=0 if isinstance(life, CopyClosed) else life.followers,
        created_time=life.created // US_PER_MS,
        update_time=row.closed // US_PER_MS,
    )


def _exits(position: Position) -> tuple[str | None, str | None, str]:
    """Return the nearest waiting take-profit and stop-loss of a position, and the price type they
    use."""
    instrument = position.perp.market.instrument
    profit = loss = None
    source = NO_SOURCE
    for order in position.algos.values():
        price = price_text(instrument, order.trigger_price)
        source = SOURCE_NAMES[order.source]
        if order.type in PROFITS:
            profit = profit or price
        else:
            loss = loss or price
    return profit, loss, source
