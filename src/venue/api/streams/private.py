"""Items of the private channels: account, orders and fill of both products, and positions.

Every id, time, price, quantity and amount is text; times are ms. An item states the present values,
not the changes. Field order is the wire's.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

ACCOUNT: Final = "account"
ORDERS: Final = "orders"
HEARTBEAT: Final = b'{"e":"orders","d":[]}'  # a sign of life of the live exchange, without a number
FILL: Final = "fill"
POSITIONS: Final = "positions"

# The cause of a frame: its `msgEvent`.
ORDER_UPDATE: Final = "OrderUpdate"
DEPOSIT_UPDATE: Final = "DepositUpdate"
WITHDRAW_UPDATE: Final = "WithdrawUpdate"
FUNDING_SETTLE: Final = "PositionFundingSettle"


class SpotAccountItem(Struct, rename="camel", gc=False):
    """One coin of the spot wallet: `equity` is `available` and `frozen` (held by open orders)."""

    coin: str
    equity: str
    available: str
    frozen: str


class ContractAccountItem(Struct, rename="camel", gc=False):
    """One settle coin of the contract wallet, its isolated pools included.

    `amount` is the amount available to open or withdraw, `legacyAmount` the balance: deposits and
    realized profit less fees and funding. Of the sums, `cumPositionFundingAmount` is signed
    (negative: paid), all others are magnitudes; those of opening and closing are notional, the
    liquidation fee is part of the fill fee. They count movements since `createdTime`, the first
    one after the owner first opened a private socket.
    """

    coin: str
    margin_mode: str
    cross_symbol: str
    isolated_position_id: str
    amount: str
    pending_deposit_amount: str
    pending_withdraw_amount: str
    pending_transfer_in_amount: str
    pending_transfer_out_amount: str
    liquidating: bool
    legacy_amount: str
    cum_deposit_amount: str
    cum_withdraw_amount: str
    cum_transfer_in_amount: str
    cum_transfer_out_amount: str
    cum_margin_move_in_amount: str
    cum_margin_move_out_amount: str
    cum_position_open_long_amount: str
    cum_position_open_short_amount: str
    cum_position_close_long_amount: str
    cum_position_close_short_amount: str
    cum_position_fill_fee_amount: str
    cum_position_liquidate_fee_amount: str
    cum_position_funding_amount: str
    cum_order_fill_fee_income_amount: str
    cum_order_liquidate_fee_income_amount: str
    created_time: str
    updated_time: str


class SpotOrderItem(Struct, rename="camel", gc=False):
    """One spot order. Fees are in base for a buy, in quote for a sell.

    Of an order that had fills before its owner first opened a private socket, `cumFillFee` and the
    fill prices tell of later fills only; size and value of all.
    """

    id: str
    symbol: str
    base_coin: str
    quote_coin: str
    order_side: str
    price: str
    size: str
    value: str
    client_order_id: str
    type: str
    time_in_force: str
    reduce_only: bool
    trigger_price: str
    order_source: str
    open_tpsl_parent_order_id: str
    set_open_tp: bool
    set_open_sl: bool
    taker_fee_rate: str
    maker_fee_rate: str
    fee_discount: str
    taker_fee_discount: str
    maker_fee_discount: str
    status: str
    trigger_time: str
    trigger_price_time: str
    trigger_price_value: str
    cancel_reason: str
    latest_fill_price: str
    max_fill_price: str
    min_fill_price: str
    cum_fill_size: str
    cum_fill_value: str
    cum_fill_fee: str
    created_time: str
    updated_time: str


class ContractOrderItem(Struct, rename="camel", gc=False):
    """One contract order, or a conditional order: UNTRIGGERED in `status` until it is triggered.

    A triggered one becomes TRIGGERED and the order that it became has an item of its own, with the
    same `triggerPrice`. `cumLiquidateFee` is part of `cumFillFee`. Of an order that had fills
    before its owner first opened a private socket, fees, fill prices and `cumRealizePnl` tell of
    later fills only; size and value of all.
    """

    id: str
    coin: str
    symbol: str
    margin_mode: str
    separated_mode: str
    separated_open_order_id: str
    position_side: str
    order_side: str
    price: str
    size: str
    client_order_id: str
    type: str
    time_in_force: str
    reduce_only: bool
    trigger_price: str
    trigger_price_type: str
    order_source: str
    open_tpsl_parent_order_id: str
    position_tpsl: bool
    set_open_tp: bool
    set_open_sl: bool
    leverage: str
    taker_fee_rate: str
    maker_fee_rate: str
    fee_discount: str
    liquidate_fee_rate: str
    status: str
    trigger_time: str
    trigger_price_time: str
    trigger_price_value: str
    cancel_reason: str
    latest_fill_price: str
    max_fill_price: str
    min_fill_price: str
    cum_fill_size: str
    cum_fill_value: str
    cum_fill_fee: str
    cum_liquidate_fee: str
    cum_realize_pnl: str
    created_time: str
    updated_time: str


class SpotFillItem(Struct, rename="camel", gc=False):
    """One order's share of a spot trade; its price is `fillValue` / `fillSize`."""

    id: str
    symbol: str
    base_coin: str
    quote_coin: str
    order_id: str
    order_side: str
    fill_size: str
    fill_value: str
    fill_fee: str
    direction: str
    created_time: str
    updated_time: str


class ContractFillItem(Struct, rename="camel", gc=False):
    """One side of a contract trade; `liquidateFee` is part of `fillFee`.

    A trade of a liquidation outside the book has the liquidation's id as `orderId`.
    """

    id: str
    coin: str
    symbol: str
    order_id: str
    margin_mode: str
    separated_mode: str
    separated_open_order_id: str
    position_side: str
    order_side: str
    fill_size: str
    fill_value: str
    fill_fee: str
    liquidate_fee: str
    realize_pnl: str
    direction: str
    created_time: str
    updated_time: str


class PositionItem(Struct, rename="camel", gc=False):
    """One position, as REST shows it; of size 0 when it was closed."""

    id: str
    coin: str
    symbol: str
    side: str
    margin_mode: str
    separated_mode: str
    separated_open_order_id: str
    leverage: str
    size: str
    open_value: str
    open_fee: str
    funding_fee: str
    isolated_margin: str
    auto_append_isolated_margin: bool
    cum_open_size: str
    cum_open_value: str
    cum_open_fee: str
    cum_close_size: str
    cum_close_value: str
    cum_close_fee: str
    cum_funding_fee: str
    cum_liquidate_fee: str
    created_match_sequence_id: str
    updated_match_sequence_id: str
    created_time: str
    updated_time: str


Item = (
    SpotAccountItem
    | ContractAccountItem
    | SpotOrderItem
    | ContractOrderItem
    | SpotFillItem
    | ContractFillItem
    | PositionItem
)
