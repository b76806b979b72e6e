"""Makes items of private spot frames as JSON text, because every order makes several of them.

Their fields and the order of these are those of `api.streams.private`.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import SIDE_NAMES, STATUS_NAMES, TIME_IN_FORCE_NAMES, TYPE_NAMES
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.messages.events import Trade
from venue.core.spot.account import SpotMarket
from venue.recording.notes import OrderNote
from venue.texts import decimal_text, fill_id, order_price_text, quantity_text, rate_text, spelled
from venue.times import US_PER_MS
from venue.vocabulary import BUY

_encode = msgspec.json.Encoder().encode


def account_item(engine: Engine, account: Account, ordinal: int) -> str:
    """Return a `SpotAccountItem`: one asset of a spot wallet as it is now."""
    asset = engine.assets[ordinal]
    balance = account.spot[ordinal]
    scale, free, locked = asset.scale, balance.free, balance.locked
    available = decimal_text(free, scale)
    if locked:
        equity, frozen = decimal_text(free + locked, scale), decimal_text(locked, scale)
    else:
        equity, frozen = available, spelled(0, scale)
    return (
        f'{{"coin":{_quote(asset.name)},"equity":"{equity}","available":"{available}",'
        f'"frozen":"{frozen}"}}'
    )


def order_item(engine: Engine, note: OrderNote) -> str:
    """Return a `SpotOrderItem`: an order as its note knows it, with the fee rates of now."""
    market = engine.spot_markets[note.symbol]
    instrument = market.instrument
    account = engine.account(note.uid)
    named = account if account.maker_ppm >= 0 else market
    client_id = f'"{GENERATED_CLIENT_ID % note.order_id}"'
    if note.client_id:
        client_id = _encode(note.client_id).decode()
    return (
        f'{{"id":"{note.order_id}",{_names(note.symbol, instrument.base, instrument.quote)},'
        f'"orderSide":"{SIDE_NAMES[note.side]}",'
        f'"price":"{order_price_text(instrument, note.price)}",'
        f'"size":"{quantity_text(instrument, note.quantity)}","value":"0",'
        f'"clientOrderId":{client_id},'
        f"{_terms(note.type, note.time_in_force, named.taker_ppm, named.maker_ppm)},"
        f'"status":"{STATUS_NAMES[note.status]}","triggerTime":"0","triggerPriceTime":"0",'
        f'"triggerPriceValue":"0","cancelReason":"{note.reason}",'
        f"{_fills(engine, market, note)},"
        f'"createdTime":"{note.time // US_PER_MS}",'
        f'"updatedTime":"{note.update_time // US_PER_MS}"}}'
    )


def fill_item(engine: Engine, trade: Trade, time: int, *, is_maker: bool) -> str:
    """Return a `SpotFillItem`: one side's share. The buyer pays its fee in base, the seller in
    quote."""
    market = engine.spot_markets[trade.symbol]
    instrument, assets = market.instrument, engine.assets
    quote = assets[market.quote].scale
    side, order_id, direction = trade.taker_side, trade.taker_order_id, "TAKER"
    if is_maker:
        side, order_id, direction = 1 - side, trade.maker_order_id, "MAKER"
    if side == BUY:
        fee = spelled(trade.base_fee, assets[market.base].scale)
    else:
        fee = spelled(trade.quote_fee, quote)
    at = time // US_PER_MS
    number = fill_id(trade.trade_id, second=is_maker and trade.maker_uid == trade.taker_uid)
    return (
        f'{{"id":"{number}",{_names(trade.symbol, instrument.base, instrument.quote)},'
        f'"orderId":"{order_id}","orderSide":"{SIDE_NAMES[side]}",'
        f'"fillSize":"{quantity_text(instrument, trade.quantity)}",'
        f'"fillValue":"{spelled(trade.notional, quote)}","fillFee":"{fee}",'
        f'"direction":"{direction}","createdTime":"{at}","updatedTime":"{at}"}}'
    )


def _fills(engine: Engine, market: SpotMarket, note: OrderNote) -> str:
    """Latest, highest and lowest price of an order's fills; their size, value and fee."""
    instrument, assets = market.instrument, engine.assets
    quote = assets[market.quote].scale
    fee_scale = assets[market.base].scale if note.side == BUY else quote
    if not note.executed:
        return _no_fills(instrument.quantity_scale, quote, fee_scale)
    latest = highest = lowest = order_price_text(instrument, note.latest)
    if note.highest != note.latest:
        highest = order_price_text(instrument, note.highest)
    if note.lowest != note.latest:
        lowest = order_price_text(instrument, note.lowest)
    return (
        f'"latestFillPrice":"{latest}","maxFillPrice":"{highest}","minFillPrice":"{lowest}",'
        f'"cumFillSize":"{quantity_text(instrument, note.executed)}",'
        f'"cumFillValue":"{spelled(note.notional, quote)}",'
        f'"cumFillFee":"{spelled(note.fee, fee_scale)}"'
    )


# -- repeated texts -------------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def _no_fills(quantity_scale: int, quote_scale: int, fee_scale: int) -> str:
    return (
        '"latestFillPrice":"0","maxFillPrice":"0","minFillPrice":"0",'
        f'"cumFillSize":"{spelled(0, quantity_scale)}","cumFillValue":"{spelled(0, quote_scale)}",'
        f'"cumFillFee":"{spelled(0, fee_scale)}"'
    )


@lru_cache(maxsize=1_000)
def _quote(text: str) -> str:
    return _encode(text).decode()


@lru_cache(maxsize=1_000)
def _names(symbol: str, base: str, quote: str) -> str:
    return f'"symbol":{_quote(symbol)},"baseCoin":{_quote(base)},"quoteCoin":{_quote(quote)}'


@lru_cache(maxsize=1_000)
def _terms(kind: int, time_in_force: int, taker_ppm: int, maker_ppm: int) -> str:
    """From an order's type to its discounts."""
    return (
        f'"type":"{TYPE_NAMES[kind]}","timeInForce":"{TIME_IN_FORCE_NAMES[time_in_force]}",'
        '"reduceOnly":false,"triggerPrice":"0","orderSource":"API",'
        '"openTpslParentOrderId":"0","setOpenTp":false,"setOpenSl":false,'
        f'"takerFeeRate":"{rate_text(taker_ppm)}","makerFeeRate":"{rate_text(maker_ppm)}",'
        '"feeDiscount":"1","takerFeeDiscount":"1","makerFeeDiscount":"1"'
    )
