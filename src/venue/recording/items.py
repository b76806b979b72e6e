"""Items of private contract frames, shaped from notes, events and the engine's present state."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import (
    ALGO_STATUS_NAMES,
    ALGO_TYPE_NAMES,
    MARGIN_MODE_NAMES,
    NO_SOURCE,
    POSITION_SIDE_NAMES,
    SEPARATED_MODE_NAMES,
    SIDE_NAMES,
    SOURCE_NAMES,
    STATUS_NAMES,
    TIME_IN_FORCE_NAMES,
    TYPE_NAMES,
)
from venue.api.streams.private import (
    ContractAccountItem,
    ContractFillItem,
    ContractOrderItem,
    PositionItem,
)
from venue.core.contract.collateral import available
from venue.core.contract.position import wallet
from venue.core.contract.records import Holding, Perpetual, Position
from venue.core.engine import Engine
from venue.core.messages.contract_events import ContractTrade, Leg, PositionClosed
from venue.recording.notes import ConditionalNote, MoneyMoved, OrderNote, PositionNote
from venue.texts import (
    amount_text,
    fill_id,
    order_price_text,
    quantity_text,
    rate_text,
)
from venue.times import US_PER_MS
from venue.vocabulary import ALGOS_AT_PRICE, BUY, CROSSED, ISOLATED, LONG, IncomeType

SOURCE: Final = "API"  # every order comes through the interface
NO_DISCOUNT: Final = "1"
DIRECTIONS: Final = ("TAKER", "MAKER")


# -- contract money -------------------------------------------------------------------------------


def contract_account_item(
    engine: Engine, holding: Holding, ordinal: int, moved: MoneyMoved, time: int
) -> ContractAccountItem:
    """Return one settle asset of an owner over all its pools as they are now, with the moves
    since."""
    asset = engine.assets[ordinal]
    balance = sum(wallet(pool) for pool in holding.pools_in(ordinal))

    def text(kind: IncomeType) -> str:
        return amount_text(asset, moved.amounts.get(kind.value, 0))

    return ContractAccountItem(
        asset.name,  # coin
        MARGIN_MODE_NAMES[CROSSED],  # margin_mode
        "0",  # cross_symbol
        "0",  # isolated_position_id
        amount_text(asset, max(0, available(holding, ordinal))),  # amount
        "0",  # pending_deposit_amount
        "0",  # pending_withdraw_amount
        "0",  # pending_transfer_in_amount
        "0",  # pending_transfer_out_amount
        False,  # liquidating
        amount_text(asset, balance),  # legacy_amount
        text(IncomeType.DEPOSIT),  # cum_deposit_amount
        text(IncomeType.WITHDRAW),  # cum_withdraw_amount
        text(IncomeType.TRANSFER_IN),  # cum_transfer_in_amount
        text(IncomeType.TRANSFER_OUT),  # cum_transfer_out_amount
        text(IncomeType.MARGIN_MOVE_IN),  # cum_margin_move_in_amount
        text(IncomeType.MARGIN_MOVE_OUT),  # cum_margin_move_out_amount
        text(IncomeType.POSITION_OPEN_LONG),  # cum_position_open_long_amount
        text(IncomeType.POSITION_OPEN_SHORT),  # cum_position_open_short_amount
        text(IncomeType.POSITION_CLOSE_LONG),  # cum_position_close_long_amount
        text(IncomeType.POSITION_CLOSE_SHORT),  # cum_position_close_short_amount
        amount_text(asset, moved.fee),  # cum_position_fill_fee_amount
        amount_text(asset, moved.liquidate_fee),  # cum_position_liquidate_fee_amount
        text(IncomeType.POSITION_FUNDING),  # cum_position_funding_amount
        text(IncomeType.ORDER_FILL_FEE_INCOME),  # cum_order_fill_fee_income_amount
        text(IncomeType.ORDER_LIQUIDATE_FEE_INCOME),  # cum_order_liquidate_fee_income_amount
        _ms(moved.since),  # created_time
        _ms(time),  # updated_time
    )


# -- contract orders and fills --------------------------------------------------------------------


def contract_order_item(engine: Engine, note: OrderNote, opened_by: int) -> ContractOrderItem:
    """Return a contract order; `opened_by` is the order that opened its position where those are
    separate. One that a conditional order became shows that one's type and trigger, as REST does.
    """
    perp = engine.perps[note.symbol]
    instrument = perp.market.instrument
    asset = engine.assets[perp.asset]
    margin_mode, separated = note.modes
    maker_ppm, taker_ppm = _rates(engine, note.uid, perp)
    origin = note.conditional
    return ContractOrderItem(
        str(note.order_id),  # id
        asset.name,  # coin
        note.symbol,  # symbol
        MARGIN_MODE_NAMES[margin_mode],  # margin_mode
        SEPARATED_MODE_NAMES[separated],  # separated_mode
        str(opened_by),  # separated_open_order_id
        POSITION_SIDE_NAMES[note.position_side],  # position_side
        SIDE_NAMES[note.side],  # order_side
        order_price_text(instrument, note.price),  # price
        quantity_text(instrument, note.quantity),  # size
        note.client_id or GENERATED_CLIENT_ID % note.order_id,  # client_order_id
        TYPE_NAMES[note.type] if origin is None else ALGO_TYPE_NAMES[origin.type],  # type
        TIME_IN_FORCE_NAMES[note.time_in_force],  # time_in_force
        _closes(note.side, note.position_side),  # reduce_only
        "0" if origin is None else order_price_text(instrument, _trigger(origin)),  # trigger_price
        NO_SOURCE if origin is None else SOURCE_NAMES[origin.source],  # trigger_price_type
        SOURCE,  # order_source
        "0" if origin is None else str(origin.parent_id),  # open_tpsl_parent_order_id
        origin is not None and origin.quantity == 0,  # position_tpsl
        note.take_profit,  # set_open_tp
        note.stop_loss,  # set_open_sl
        _leverage(engine, note.uid, perp, note.position_side),  # leverage
        rate_text(taker_ppm),  # taker_fee_rate
        rate_text(maker_ppm),  # maker_fee_rate
        NO_DISCOUNT,  # fee_discount
        rate_text(perp.contract.liquidation_ppm),  # liquidate_fee_rate
        STATUS_NAMES[note.status],  # status
        "0" if origin is None else _ms(origin.trigger_time),  # trigger_time
        "0" if origin is None else _ms(origin.trigger_time),  # trigger_price_time
        # trigger_price_value
        "0" if origin is None else order_price_text(instrument, _trigger(origin)),
        note.reason,  # cancel_reason
        order_price_text(instrument, note.latest),  # latest_fill_price
        order_price_text(instrument, note.highest),  # max_fill_price
        order_price_text(instrument, note.lowest),  # min_fill_price
        quantity_text(instrument, note.executed),  # cum_fill_size
        amount_text(asset, note.notional),  # cum_fill_value
        amount_text(asset, note.fee),  # cum_fill_fee
        amount_text(asset, note.liquidate_fee),  # cum_liquidate_fee
        amount_text(asset, note.realized),  # cum_realize_pnl
        _ms(note.time),  # created_time
        _ms(note.update_time),  # updated_time
    )


def conditional_item(engine: Engine, note: ConditionalNote, opened_by: int) -> ContractOrderItem:
    """Return the item of a conditional order; `opened_by` as for an order. Its fills belong to its
    order."""
    perp = engine.perps[note.symbol]
    instrument = perp.market.instrument
    margin_mode, separated = note.modes
    maker_ppm, taker_ppm = _rates(engine, note.uid, perp)
    at_price = note.type in ALGOS_AT_PRICE
    return ContractOrderItem(
        str(note.algo_id),  # id
        instrument.quote,  # coin
        note.symbol,  # symbol
        MARGIN_MODE_NAMES[margin_mode],  # margin_mode
        SEPARATED_MODE_NAMES[separated],  # separated_mode
        str(opened_by),  # separated_open_order_id
        POSITION_SIDE_NAMES[note.position_side],  # position_side
        SIDE_NAMES[note.side],  # order_side
        order_price_text(instrument, note.price) if at_price else "0",  # price
        quantity_text(instrument, note.quantity),  # size
        note.client_id or GENERATED_CLIENT_ID % note.algo_id,  # client_order_id
        ALGO_TYPE_NAMES[note.type],  # type
        "GTC" if at_price else "IOC",  # time_in_force
        _closes(note.side, note.position_side),  # reduce_only
        order_price_text(instrument, _trigger(note)),  # trigger_price
        SOURCE_NAMES[note.source],  # trigger_price_type
        SOURCE,  # order_source
        str(note.parent_id),  # open_tpsl_parent_order_id
        note.quantity == 0,  # position_tpsl
        note.take_profit,  # set_open_tp
        note.stop_loss,  # set_open_sl
        _leverage(engine, note.uid, perp, note.position_side),  # leverage
        rate_text(taker_ppm),  # taker_fee_rate
        rate_text(maker_ppm),  # maker_fee_rate
        NO_DISCOUNT,  # fee_discount
        rate_text(perp.contract.liquidation_ppm),  # liquidate_fee_rate
        ALGO_STATUS_NAMES[note.status],  # status
        _ms(note.trigger_time),  # trigger_time
        _ms(note.trigger_time),  # trigger_price_time
        order_price_text(instrument, note.triggered_price),  # trigger_price_value
        note.reason,  # cancel_reason
        "0",  # latest_fill_price
        "0",  # max_fill_price
        "0",  # min_fill_price
        "0",  # cum_fill_size
        "0",  # cum_fill_value
        "0",  # cum_fill_fee
        "0",  # cum_liquidate_fee
        "0",  # cum_realize_pnl
        _ms(note.time),  # created_time
        _ms(note.update_time),  # updated_time
    )


def contract_fill_item(
    engine: Engine,
    trade: ContractTrade,
    leg: Leg,
    liquidate_fee: int,
    note: PositionNote,
    time: int,
) -> ContractFillItem:
    """Return one leg of a contract trade on the position of `note`."""
    perp = engine.perps[trade.symbol]
    instrument = perp.market.instrument
    asset = engine.assets[perp.asset]
    is_maker = leg is trade.maker
    second = is_maker and leg.uid == trade.taker.uid
    return ContractFillItem(
        str(fill_id(trade.trade_id, second=second)),  # id
        asset.name,  # coin
        trade.symbol,  # symbol
        str(leg.order_id),  # order_id
        MARGIN_MODE_NAMES[ISOLATED if note.isolated else CROSSED],  # margin_mode
        SEPARATED_MODE_NAMES[int(note.separated)],  # separated_mode
        str(note.open_order_id),  # separated_open_order_id
        POSITION_SIDE_NAMES[leg.position_side],  # position_side
        SIDE_NAMES[1 - trade.taker_side if is_maker else trade.taker_side],  # order_side
        quantity_text(instrument, trade.quantity),  # fill_size
        amount_text(asset, trade.notional),  # fill_value
        amount_text(asset, leg.fee),  # fill_fee
        amount_text(asset, liquidate_fee),  # liquidate_fee
        amount_text(asset, leg.realized),  # realize_pnl
        DIRECTIONS[is_maker],  # direction
        _ms(time),  # created_time
        _ms(time),  # updated_time
    )


# -- positions ------------------------------------------------------------------------------------


def position_item(engine: Engine, held: Position) -> PositionItem:
    """Return an open position as it is now."""
    instrument = held.perp.market.instrument
    asset = engine.assets[held.perp.asset]
    isolated = held.pool.position_id != 0
    return PositionItem(
        str(held.position_id),  # id
        asset.name,  # coin
        instrument.symbol,  # symbol
        POSITION_SIDE_NAMES[held.side],  # side
        MARGIN_MODE_NAMES[ISOLATED if isolated else CROSSED],  # margin_mode
        SEPARATED_MODE_NAMES[int(held.separated)],  # separated_mode
        str(held.open_order_id),  # separated_open_order_id
        str(held.leverage),  # leverage
        quantity_text(instrument, held.quantity),  # size
        amount_text(asset, held.value),  # open_value
        amount_text(asset, held.open_fee),  # open_fee
        amount_text(asset, held.funding_fee),  # funding_fee
        amount_text(asset, wallet(held.pool)) if isolated else "0",  # isolated_margin
        held.auto_margin,  # auto_append_isolated_margin
        quantity_text(instrument, held.open_size),  # cum_open_size
        amount_text(asset, held.open_value),  # cum_open_value
        amount_text(asset, held.open_fee),  # cum_open_fee
        quantity_text(instrument, held.close_size),  # cum_close_size
        amount_text(asset, held.close_value),  # cum_close_value
        amount_text(asset, held.close_fee),  # cum_close_fee
        amount_text(asset, held.funding_fee),  # cum_funding_fee
        amount_text(asset, held.liquidate_fee),  # cum_liquidate_fee
        str(held.created_sequence),  # created_match_sequence_id
        str(held.updated_sequence),  # updated_match_sequence_id
        _ms(held.created),  # created_time
        _ms(held.updated),  # updated_time
    )


def closed_position_item(
    engine: Engine, closed: PositionClosed, note: PositionNote, time: int
) -> PositionItem:
    """Return a position that has ended at `time`."""
    perp = engine.perps[closed.symbol]
    instrument = perp.market.instrument
    asset = engine.assets[perp.asset]
    return PositionItem(
        str(closed.position_id),  # id
        asset.name,  # coin
        closed.symbol,  # symbol
        POSITION_SIDE_NAMES[closed.side],  # side
        MARGIN_MODE_NAMES[closed.margin_mode],  # margin_mode
        SEPARATED_MODE_NAMES[closed.separated_mode],  # separated_mode
        str(note.open_order_id),  # separated_open_order_id
        str(closed.leverage),  # leverage
        quantity_text(instrument, 0),  # size
        amount_text(asset, 0),  # open_value
        amount_text(asset, closed.open_fee),  # open_fee
        amount_text(asset, closed.funding_fee),  # funding_fee
        "0",  # isolated_margin
        note.auto_margin,  # auto_append_isolated_margin
        quantity_text(instrument, closed.open_size),  # cum_open_size
        amount_text(asset, closed.open_value),  # cum_open_value
        amount_text(asset, closed.open_fee),  # cum_open_fee
        quantity_text(instrument, closed.close_size),  # cum_close_size
        amount_text(asset, closed.close_value),  # cum_close_value
        amount_text(asset, closed.close_fee),  # cum_close_fee
        amount_text(asset, closed.funding_fee),  # cum_funding_fee
        amount_text(asset, closed.liquidate_fee),  # cum_liquidate_fee
        str(note.created),  # created_match_sequence_id
        str(note.updated),  # updated_match_sequence_id
        _ms(closed.created),  # created_time
        _ms(time),  # updated_time
    )


# -- parts ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)  # one command says the same times in all its items
def _ms(time: int) -> str:
    return str(time // US_PER_MS)


def _closes(side: int, position_side: int) -> bool:
    return (side == BUY) != (position_side == LONG)


def _trigger(conditional: ConditionalNote) -> int:
    """Return the trigger price; a trailing stop's moves along and is known only when it was
    triggered."""
    return conditional.triggered_price or conditional.trigger_price


def _rates(engine: Engine, uid: int, perp: Perpetual) -> tuple[int, int]:
    """Maker and taker ppm of an owner now."""
    holding = engine.holding(uid)
    return holding.maker_rate(perp.market), holding.taker_rate(perp.market)


def _leverage(engine: Engine, uid: int, perp: Perpetual, position_side: int) -> str:
    """Return the owner's settings for new positions of a side now."""
    return str(engine.holding(uid).modes_or_default(perp).leverage(position_side))
