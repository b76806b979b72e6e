"""Items of private frames, shaped from notes, events and the engine's present state."""

from __future__ import annotations

from typing import Final

from venue.api.private_streams import (
    ContractAccountItem,
    ContractFillItem,
    ContractOrderItem,
    PositionItem,
    SpotAccountItem,
    SpotFillItem,
    SpotOrderItem,
)
from venue.core.collateral import available
from venue.core.contract_events import ContractTrade, Leg, PositionClosed
from venue.core.engine import Engine
from venue.core.events import Trade
from venue.core.ledger import Account
from venue.core.perpetual import Perpetual
from venue.core.positions import Position, wallet
from venue.gateway.private_notes import AlgoNote, Moved, OrderNote, PositionNote
from venue.gateway.wire import (
    ALGO_STATUS_NAMES,
    ALGO_TYPE_NAMES,
    MARGIN_MODE_NAMES,
    POSITION_SIDE_NAMES,
    SEPARATED_MODE_NAMES,
    SIDE_NAMES,
    SOURCE_NAMES,
    STATUS_NAMES,
    TIME_IN_FORCE_NAMES,
    TYPE_NAMES,
    amount_text,
    order_price_text,
    quantity_text,
    rate_text,
)
from venue.terms import BUY, CROSSED, ISOLATED, LONG, AlgoType, IncomeType

US_PER_MS: Final = 1000
AT_PRICE: Final = (int(AlgoType.STOP), int(AlgoType.TAKE_PROFIT))  # those with a price of their own
PLAIN: Final = "UNKNOWN_PRICE_TYPE"  # what an order waits for that waited for no price
SOURCE: Final = "API"  # every order comes in by the interface
NO_DISCOUNT: Final = "1"
DIRECTIONS: Final = ("TAKER", "MAKER")


# -- spot -----------------------------------------------------------------------------------------


def spot_account_item(engine: Engine, account: Account, index: int) -> SpotAccountItem:
    """One asset of a spot wallet as it is now."""
    asset = engine.ledger.assets[index]
    balance = account.spot[index]
    return SpotAccountItem(
        coin=asset.name,
        equity=amount_text(asset, balance.free + balance.locked),
        available=amount_text(asset, balance.free),
        frozen=amount_text(asset, balance.locked),
    )


def spot_order_item(engine: Engine, note: OrderNote) -> SpotOrderItem:
    """A spot order as its note knows it, with the fee rates of now."""
    market = engine.spot.markets[note.symbol]
    instrument = market.instrument
    assets = engine.ledger.assets
    account = engine.account(note.uid)
    own = account.maker_ppm >= 0
    return SpotOrderItem(
        id=str(note.order_id),
        symbol=note.symbol,
        base_coin=instrument.base,
        quote_coin=instrument.quote,
        order_side=SIDE_NAMES[note.side],
        price=order_price_text(instrument, note.price),
        size=quantity_text(instrument, note.quantity),
        value="0",
        client_order_id=_client_id(note.client_id, note.order_id),
        type=TYPE_NAMES[note.type],
        time_in_force=TIME_IN_FORCE_NAMES[note.time_in_force],
        reduce_only=False,
        trigger_price="0",
        order_source=SOURCE,
        open_tpsl_parent_order_id="0",
        set_open_tp=False,
        set_open_sl=False,
        taker_fee_rate=rate_text(account.taker_ppm if own else market.taker_ppm),
        maker_fee_rate=rate_text(account.maker_ppm if own else market.maker_ppm),
        fee_discount=NO_DISCOUNT,
        taker_fee_discount=NO_DISCOUNT,
        maker_fee_discount=NO_DISCOUNT,
        status=STATUS_NAMES[note.status],
        trigger_time="0",
        trigger_price_time="0",
        trigger_price_value="0",
        cancel_reason=note.reason,
        latest_fill_price=order_price_text(instrument, note.latest),
        max_fill_price=order_price_text(instrument, note.highest),
        min_fill_price=order_price_text(instrument, note.lowest),
        cum_fill_size=quantity_text(instrument, note.executed),
        cum_fill_value=amount_text(assets[market.quote], note.notional),
        cum_fill_fee=amount_text(assets[market.base if note.side == BUY else market.quote],
                                 note.fee),
        created_time=_ms(note.time),
        updated_time=_ms(note.update_time),
    )  # fmt: skip


def spot_fill_item(engine: Engine, trade: Trade, is_maker: bool, time: int) -> SpotFillItem:
    """One side's share of a spot trade; the buyer pays its fee in base, the seller in quote."""
    market = engine.spot.markets[trade.symbol]
    instrument = market.instrument
    assets = engine.ledger.assets
    side = 1 - trade.taker_side if is_maker else trade.taker_side
    if side == BUY:
        fee = amount_text(assets[market.base], trade.base_fee)
    else:
        fee = amount_text(assets[market.quote], trade.quote_fee)
    return SpotFillItem(
        id=str(trade.trade_id),
        symbol=trade.symbol,
        base_coin=instrument.base,
        quote_coin=instrument.quote,
        order_id=str(trade.maker_order_id if is_maker else trade.taker_order_id),
        order_side=SIDE_NAMES[side],
        fill_size=quantity_text(instrument, trade.quantity),
        fill_value=amount_text(assets[market.quote], trade.notional),
        fill_fee=fee,
        direction=DIRECTIONS[is_maker],
        created_time=_ms(time),
        updated_time=_ms(time),
    )


# -- contract money -------------------------------------------------------------------------------


def contract_account_item(
    engine: Engine, account: Account, index: int, moved: Moved, time: int
) -> ContractAccountItem:
    """One settle asset of an owner over all its pools as they are now, and what moved since."""
    asset = engine.ledger.assets[index]
    pools = [pool for pool in account.isolated.values() if pool.asset == index]
    balance = wallet(account.contract[index]) + sum(wallet(pool) for pool in pools)

    def text(kind: IncomeType) -> str:
        return amount_text(asset, moved.amounts.get(kind.value, 0))

    return ContractAccountItem(
        coin=asset.name,
        margin_mode=MARGIN_MODE_NAMES[CROSSED],
        cross_symbol="0",
        isolated_position_id="0",
        amount=amount_text(asset, max(0, available(account, index))),
        pending_deposit_amount="0",
        pending_withdraw_amount="0",
        pending_transfer_in_amount="0",
        pending_transfer_out_amount="0",
        liquidating=False,  # a liquidation begins and ends within one command
        legacy_amount=amount_text(asset, balance),
        cum_deposit_amount=text(IncomeType.DEPOSIT),
        cum_withdraw_amount=text(IncomeType.WITHDRAW),
        cum_transfer_in_amount=text(IncomeType.TRANSFER_IN),
        cum_transfer_out_amount=text(IncomeType.TRANSFER_OUT),
        cum_margin_move_in_amount=text(IncomeType.MARGIN_MOVE_IN),
        cum_margin_move_out_amount=text(IncomeType.MARGIN_MOVE_OUT),
        cum_position_open_long_amount=text(IncomeType.POSITION_OPEN_LONG),
        cum_position_open_short_amount=text(IncomeType.POSITION_OPEN_SHORT),
        cum_position_close_long_amount=text(IncomeType.POSITION_CLOSE_LONG),
        cum_position_close_short_amount=text(IncomeType.POSITION_CLOSE_SHORT),
        cum_position_fill_fee_amount=amount_text(asset, moved.fee),
        cum_position_liquidate_fee_amount=amount_text(asset, moved.liquidate_fee),
        cum_position_funding_amount=text(IncomeType.POSITION_FUNDING),
        cum_order_fill_fee_income_amount=text(IncomeType.ORDER_FILL_FEE_INCOME),
        cum_order_liquidate_fee_income_amount=text(IncomeType.ORDER_LIQUIDATE_FEE_INCOME),
        created_time=_ms(moved.since),
        updated_time=_ms(time),
    )


# -- contract orders and fills --------------------------------------------------------------------


def contract_order_item(engine: Engine, note: OrderNote, opened_by: int) -> ContractOrderItem:
    """A contract order; `opened_by` is the order that opened its position where those are
    separate. One that a conditional order became shows that one's type and trigger, as REST does.
    """
    perp = engine.contracts.markets[note.symbol]
    instrument = perp.market.instrument
    asset = engine.ledger.assets[perp.asset]
    margin_mode, separated = note.modes
    maker_ppm, taker_ppm = _rates(engine, note.uid, perp)
    algo = note.algo
    return ContractOrderItem(
        id=str(note.order_id),
        coin=asset.name,
        symbol=note.symbol,
        margin_mode=MARGIN_MODE_NAMES[margin_mode],
        separated_mode=SEPARATED_MODE_NAMES[separated],
        separated_open_order_id=str(opened_by),
        position_side=POSITION_SIDE_NAMES[note.position_side],
        order_side=SIDE_NAMES[note.side],
        price=order_price_text(instrument, note.price),
        size=quantity_text(instrument, note.quantity),
        client_order_id=_client_id(note.client_id, note.order_id),
        type=TYPE_NAMES[note.type] if algo is None else ALGO_TYPE_NAMES[algo.type],
        time_in_force=TIME_IN_FORCE_NAMES[note.time_in_force],
        reduce_only=_closes(note.side, note.position_side),
        trigger_price="0" if algo is None else order_price_text(instrument, _trigger(algo)),
        trigger_price_type=PLAIN if algo is None else SOURCE_NAMES[algo.source],
        order_source=SOURCE,
        open_tpsl_parent_order_id="0" if algo is None else str(algo.parent_id),
        position_tpsl=algo is not None and algo.quantity == 0,
        set_open_tp=note.take_profit,
        set_open_sl=note.stop_loss,
        leverage=_leverage(engine, note.uid, perp, note.position_side),
        taker_fee_rate=rate_text(taker_ppm),
        maker_fee_rate=rate_text(maker_ppm),
        fee_discount=NO_DISCOUNT,
        liquidate_fee_rate=rate_text(perp.contract.liquidation_ppm),
        status=STATUS_NAMES[note.status],
        trigger_time="0" if algo is None else _ms(algo.trigger_time),
        trigger_price_time="0" if algo is None else _ms(algo.trigger_time),
        trigger_price_value="0" if algo is None else order_price_text(instrument, _trigger(algo)),
        cancel_reason=note.reason,
        latest_fill_price=order_price_text(instrument, note.latest),
        max_fill_price=order_price_text(instrument, note.highest),
        min_fill_price=order_price_text(instrument, note.lowest),
        cum_fill_size=quantity_text(instrument, note.executed),
        cum_fill_value=amount_text(asset, note.notional),
        cum_fill_fee=amount_text(asset, note.fee),
        cum_liquidate_fee=amount_text(asset, note.liquidate_fee),
        cum_realize_pnl=amount_text(asset, note.realized),
        created_time=_ms(note.time),
        updated_time=_ms(note.update_time),
    )


def algo_item(engine: Engine, note: AlgoNote, opened_by: int) -> ContractOrderItem:
    """A conditional order; `opened_by` as for an order. It has no fills: its order has them."""
    perp = engine.contracts.markets[note.symbol]
    instrument = perp.market.instrument
    margin_mode, separated = note.modes
    maker_ppm, taker_ppm = _rates(engine, note.uid, perp)
    at_price = note.type in AT_PRICE
    return ContractOrderItem(
        id=str(note.algo_id),
        coin=instrument.quote,
        symbol=note.symbol,
        margin_mode=MARGIN_MODE_NAMES[margin_mode],
        separated_mode=SEPARATED_MODE_NAMES[separated],
        separated_open_order_id=str(opened_by),
        position_side=POSITION_SIDE_NAMES[note.position_side],
        order_side=SIDE_NAMES[note.side],
        price=order_price_text(instrument, note.price) if at_price else "0",
        size=quantity_text(instrument, note.quantity),
        client_order_id=_client_id(note.client_id, note.algo_id),
        type=ALGO_TYPE_NAMES[note.type],
        time_in_force="GTC" if at_price else "IOC",
        reduce_only=_closes(note.side, note.position_side),
        trigger_price=order_price_text(instrument, _trigger(note)),
        trigger_price_type=SOURCE_NAMES[note.source],
        order_source=SOURCE,
        open_tpsl_parent_order_id=str(note.parent_id),
        position_tpsl=note.quantity == 0,
        set_open_tp=note.take_profit,
        set_open_sl=note.stop_loss,
        leverage=_leverage(engine, note.uid, perp, note.position_side),
        taker_fee_rate=rate_text(taker_ppm),
        maker_fee_rate=rate_text(maker_ppm),
        fee_discount=NO_DISCOUNT,
        liquidate_fee_rate=rate_text(perp.contract.liquidation_ppm),
        status=ALGO_STATUS_NAMES[note.status],
        trigger_time=_ms(note.trigger_time),
        trigger_price_time=_ms(note.trigger_time),
        trigger_price_value=order_price_text(instrument, note.triggered_price),
        cancel_reason=note.reason,
        latest_fill_price="0",
        max_fill_price="0",
        min_fill_price="0",
        cum_fill_size="0",
        cum_fill_value="0",
        cum_fill_fee="0",
        cum_liquidate_fee="0",
        cum_realize_pnl="0",
        created_time=_ms(note.time),
        updated_time=_ms(note.update_time),
    )


def contract_fill_item(
    engine: Engine,
    trade: ContractTrade,
    leg: Leg,
    liquidate_fee: int,
    note: PositionNote,
    time: int,
) -> ContractFillItem:
    """One leg of a contract trade on the position of `note`."""
    perp = engine.contracts.markets[trade.symbol]
    instrument = perp.market.instrument
    asset = engine.ledger.assets[perp.asset]
    is_maker = leg is trade.maker
    return ContractFillItem(
        id=str(trade.trade_id),
        coin=asset.name,
        symbol=trade.symbol,
        order_id=str(leg.order_id),
        margin_mode=MARGIN_MODE_NAMES[ISOLATED if note.isolated else CROSSED],
        separated_mode=SEPARATED_MODE_NAMES[int(note.separated)],
        separated_open_order_id=str(note.open_order_id),
        position_side=POSITION_SIDE_NAMES[leg.position_side],
        order_side=SIDE_NAMES[1 - trade.taker_side if is_maker else trade.taker_side],
        fill_size=quantity_text(instrument, trade.quantity),
        fill_value=amount_text(asset, trade.notional),
        fill_fee=amount_text(asset, leg.fee),
        liquidate_fee=amount_text(asset, liquidate_fee),
        realize_pnl=amount_text(asset, leg.realized),
        direction=DIRECTIONS[is_maker],
        created_time=_ms(time),
        updated_time=_ms(time),
    )


# -- positions ------------------------------------------------------------------------------------


def position_item(engine: Engine, held: Position) -> PositionItem:
    """An open position as it is now."""
    instrument = held.perp.market.instrument
    asset = engine.ledger.assets[held.perp.asset]
    isolated = held.pool.position_id != 0
    return PositionItem(
        id=str(held.position_id),
        coin=asset.name,
        symbol=instrument.symbol,
        side=POSITION_SIDE_NAMES[held.side],
        margin_mode=MARGIN_MODE_NAMES[ISOLATED if isolated else CROSSED],
        separated_mode=SEPARATED_MODE_NAMES[int(held.separated)],
        separated_open_order_id=str(held.open_order_id),
        leverage=str(held.leverage),
        size=quantity_text(instrument, held.quantity),
        open_value=amount_text(asset, held.value),
        open_fee=amount_text(asset, held.open_fee),
        funding_fee=amount_text(asset, held.funding_fee),
        isolated_margin=amount_text(asset, wallet(held.pool)) if isolated else "0",
        auto_append_isolated_margin=held.auto_margin,
        cum_open_size=quantity_text(instrument, held.open_size),
        cum_open_value=amount_text(asset, held.open_value),
        cum_open_fee=amount_text(asset, held.open_fee),
        cum_close_size=quantity_text(instrument, held.close_size),
        cum_close_value=amount_text(asset, held.close_value),
        cum_close_fee=amount_text(asset, held.close_fee),
        cum_funding_fee=amount_text(asset, held.funding_fee),
        cum_liquidate_fee=amount_text(asset, held.liquidate_fee),
        created_match_sequence_id=str(held.created_sequence),
        updated_match_sequence_id=str(held.updated_sequence),
        created_time=_ms(held.created),
        updated_time=_ms(held.updated),
    )


def closed_position_item(
    engine: Engine, closed: PositionClosed, note: PositionNote, time: int
) -> PositionItem:
    """A position that has ended at `time`."""
    perp = engine.contracts.markets[closed.symbol]
    instrument = perp.market.instrument
    asset = engine.ledger.assets[perp.asset]
    return PositionItem(
        id=str(closed.position_id),
        coin=asset.name,
        symbol=closed.symbol,
        side=POSITION_SIDE_NAMES[closed.side],
        margin_mode=MARGIN_MODE_NAMES[closed.margin_mode],
        separated_mode=SEPARATED_MODE_NAMES[closed.separated_mode],
        separated_open_order_id=str(note.open_order_id),
        leverage=str(closed.leverage),
        size=quantity_text(instrument, 0),
        open_value=amount_text(asset, 0),
        open_fee=amount_text(asset, closed.open_fee),
        funding_fee=amount_text(asset, closed.funding_fee),
        isolated_margin="0",
        auto_append_isolated_margin=note.auto_margin,
        cum_open_size=quantity_text(instrument, closed.open_size),
        cum_open_value=amount_text(asset, closed.open_value),
        cum_open_fee=amount_text(asset, closed.open_fee),
        cum_close_size=quantity_text(instrument, closed.close_size),
        cum_close_value=amount_text(asset, closed.close_value),
        cum_close_fee=amount_text(asset, closed.close_fee),
        cum_funding_fee=amount_text(asset, closed.funding_fee),
        cum_liquidate_fee=amount_text(asset, closed.liquidate_fee),
        created_match_sequence_id=str(note.created),
        updated_match_sequence_id=str(note.updated),
        created_time=_ms(closed.created),
        updated_time=_ms(time),
    )


# -- parts ----------------------------------------------------------------------------------------


def _ms(time: int) -> str:
    return str(time // US_PER_MS)


def _client_id(client_id: str, order_id: int) -> str:
    return client_id or f"v-{order_id}"


def _closes(side: int, position_side: int) -> bool:
    return (side == BUY) != (position_side == LONG)


def _trigger(algo: AlgoNote) -> int:
    """A trailing stop's price moves along: it is known once it was triggered."""
    return algo.triggered_price or algo.trigger_price


def _rates(engine: Engine, uid: int, perp: Perpetual) -> tuple[int, int]:
    """Maker and taker ppm of an owner now."""
    holding = engine.account(uid).holding
    if holding is not None and holding.maker_ppm >= 0:
        return holding.maker_ppm, holding.taker_ppm
    return perp.market.maker_ppm, perp.market.taker_ppm


def _leverage(engine: Engine, uid: int, perp: Perpetual, position_side: int) -> str:
    """What an owner has chosen for new positions of a side now."""
    holding = engine.account(uid).holding
    modes = holding.modes.get(perp.index) if holding is not None else None
    return str(modes.leverage(position_side) if modes is not None else perp.default_leverage())
