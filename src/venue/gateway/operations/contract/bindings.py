"""The rows of the contract market with the handlers that answer them."""

from __future__ import annotations

from venue.api import countdown as countdown_rows
from venue.api.contract import account as account_rows
from venue.api.contract import conditional as conditional_rows
from venue.api.contract import demo as demo_rows
from venue.api.contract import market as market_rows
from venue.api.contract import orders as orders_rows
from venue.gateway.dispatch.routes import Route, bind
from venue.gateway.operations import countdown
from venue.gateway.operations.contract import (
    account,
    conditional,
    conditional_questions,
    margin,
    market,
    order_questions,
    orders,
)
from venue.gateway.operations.contract.lead_keys import (
    may_change,
    may_close,
    may_exit,
    may_place,
)


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [
        bind(market_rows.contract_exchange_info, market.contract_exchange_info),
        bind(market_rows.contract_time, market.contract_time),
        bind(market_rows.contract_trading_symbols, market.contract_trading_symbols),
        bind(market_rows.contract_depth, market.contract_depth),
        bind(market_rows.contract_tickers, market.contract_tickers),
        bind(market_rows.contract_book_tickers, market.contract_book_tickers),
        bind(market_rows.contract_trades, market.contract_trades),
        bind(market_rows.contract_klines, market.contract_klines),
        bind(market_rows.index_klines, market.index_klines),
        bind(market_rows.mark_klines, market.mark_klines),
        bind(market_rows.history_klines, market.history_klines),
        bind(market_rows.symbol_price, market.symbol_price),
        bind(market_rows.open_interest, market.open_interest),
        bind(market_rows.premium_index, market.premium_index),
        bind(market_rows.funding_rates, market.funding_rates),
        bind(account_rows.contract_balance, account.contract_balance),
        bind(account_rows.commission_rate, account.commission_rate),
        bind(account_rows.account_config, account.account_config),
        bind(account_rows.symbol_config, account.symbol_config),
        bind(account_rows.positions, account.positions),
        bind(account_rows.position, account.position),
        bind(account_rows.income, account.income),
        bind(account_rows.set_margin_type, margin.set_margin_type),
        bind(account_rows.set_leverage, margin.set_leverage),
        bind(account_rows.move_margin, margin.move_margin),
        bind(account_rows.set_auto_margin, margin.set_auto_margin),
        bind(orders_rows.place_contract_order, orders.place_contract_order, lead=may_place),
        bind(
            orders_rows.place_contract_batch,
            orders.place_contract_batch,
            orders.batch_place_closed,
        ),
        bind(orders_rows.cancel_contract_order, orders.cancel_contract_order),
        bind(orders_rows.cancel_contract_batch, orders.cancel_contract_batch),
        bind(orders_rows.cancel_contract_open_orders, orders.cancel_contract_open_orders),
        bind(orders_rows.close_positions, orders.close_positions, lead=may_close),
        bind(orders_rows.contract_order, order_questions.contract_order),
        bind(orders_rows.contract_open_orders, order_questions.contract_open_orders),
        bind(orders_rows.contract_order_history, order_questions.contract_order_history),
        bind(orders_rows.user_trades, order_questions.user_trades),
        bind(conditional_rows.place_algo, conditional.place_algo),
        bind(conditional_rows.place_exit, conditional.place_exit, lead=may_exit),
        bind(conditional_rows.change_exit, conditional.change_exit, lead=may_change),
        bind(conditional_rows.cancel_algo, conditional.cancel_algo),
        bind(conditional_rows.cancel_algos, conditional.cancel_algos),
        bind(conditional_rows.open_algos, conditional_questions.open_algos),
        bind(conditional_rows.all_algos, conditional_questions.all_algos),
        bind(conditional_rows.open_trailing, conditional_questions.open_trailing),
        bind(conditional_rows.trailing_history, conditional_questions.trailing_history),
        bind(demo_rows.demo_balance, account.demo_balance),
        bind(demo_rows.demo_positions, account.demo_positions),
        bind(demo_rows.demo_order_history, order_questions.demo_order_history),
        bind(demo_rows.place_demo_order, orders.place_demo_order),
        bind(countdown_rows.cancel_after, countdown.cancel_after),
        bind(countdown_rows.contract_cancel_after, countdown.contract_cancel_after),
    ]
