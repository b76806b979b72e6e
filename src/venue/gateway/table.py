"""Every row of the table of operations with the handler that answers it."""

from __future__ import annotations

from venue.api import countdown as cancel_after
from venue.api.contract import account as contract_account
from venue.api.contract import conditional as algo
from venue.api.contract import demo as sim
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract
from venue.api.operator import contracts as contract_operator
from venue.api.operator import venue as operator
from venue.api.spot import account, market
from venue.api.spot import orders as spot
from venue.gateway import (
    accounts,
    algo_writes,
    contract_accounts,
    contract_operators,
    contract_orders,
    contract_reads,
    contract_writes,
    countdowns,
    key_operations,
    operators,
    reads,
    writes,
)
from venue.gateway.dispatch.routes import Route, Routes, bind


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [*_spot(), *_contract(), *_operator()]


def _spot() -> list[Route]:
    return [
        bind(market.ping, reads.ping),
        bind(market.time, reads.time),
        bind(market.coins, reads.coins),
        bind(market.exchange_info, reads.exchange_info),
        bind(market.trading_symbols, reads.trading_symbols),
        bind(market.prices, reads.prices),
        bind(market.tickers, reads.tickers),
        bind(market.book_tickers, reads.book_tickers),
        bind(market.trades, reads.trades),
        bind(market.klines, reads.klines),
        bind(market.depth, reads.depth),
        bind(account.account, accounts.account),
        bind(account.bills, accounts.bills),
        bind(account.funding_bills, accounts.funding_bills),
        bind(account.transfer_records, accounts.transfer_records),
        bind(account.tax_income, accounts.tax_income),
        bind(spot.place_order, writes.place_order),
        bind(spot.place_batch, writes.place_batch, writes.batch_place_closed),
        bind(spot.cancel_order, writes.cancel_order),
        bind(spot.cancel_open_orders, writes.cancel_open_orders),
        bind(spot.cancel_batch, writes.cancel_batch),
        bind(spot.order, accounts.order),
        bind(spot.open_orders, accounts.open_orders),
        bind(spot.all_orders, accounts.all_orders),
        bind(spot.my_trades, accounts.my_trades),
    ]


def _contract() -> list[Route]:
    return [
        bind(contract_market.contract_exchange_info, contract_reads.contract_exchange_info),
        bind(contract_market.contract_time, contract_reads.contract_time),
        bind(contract_market.contract_trading_symbols, contract_reads.contract_trading_symbols),
        bind(contract_market.contract_depth, contract_reads.contract_depth),
        bind(contract_market.contract_tickers, contract_reads.contract_tickers),
        bind(contract_market.contract_book_tickers, contract_reads.contract_book_tickers),
        bind(contract_market.contract_trades, contract_reads.contract_trades),
        bind(contract_market.contract_klines, contract_reads.contract_klines),
        bind(contract_market.index_klines, contract_reads.index_klines),
        bind(contract_market.mark_klines, contract_reads.mark_klines),
        bind(contract_market.history_klines, contract_reads.history_klines),
        bind(contract_market.symbol_price, contract_reads.symbol_price),
        bind(contract_market.open_interest, contract_reads.open_interest),
        bind(contract_market.premium_index, contract_reads.premium_index),
        bind(contract_market.funding_rates, contract_reads.funding_rates),
        bind(contract_account.contract_balance, contract_accounts.contract_balance),
        bind(contract_account.commission_rate, contract_accounts.commission_rate),
        bind(contract_account.account_config, contract_accounts.account_config),
        bind(contract_account.symbol_config, contract_accounts.symbol_config),
        bind(contract_account.positions, contract_accounts.positions),
        bind(contract_account.position, contract_accounts.position),
        bind(contract_account.income, contract_accounts.income),
        bind(contract_account.set_margin_type, contract_writes.set_margin_type),
        bind(contract_account.set_leverage, contract_writes.set_leverage),
        bind(contract_account.move_margin, contract_writes.move_margin),
        bind(contract_account.set_auto_margin, contract_writes.set_auto_margin),
        bind(contract.place_contract_order, contract_writes.place_contract_order),
        bind(
            contract.place_contract_batch,
            contract_writes.place_contract_batch,
            contract_writes.batch_place_closed,
        ),
        bind(contract.cancel_contract_order, contract_writes.cancel_contract_order),
        bind(contract.cancel_contract_batch, contract_writes.cancel_contract_batch),
        bind(contract.cancel_contract_open_orders, contract_writes.cancel_contract_open_orders),
        bind(contract.close_positions, contract_writes.close_positions),
        bind(contract.contract_order, contract_orders.contract_order),
        bind(contract.contract_open_orders, contract_orders.contract_open_orders),
        bind(contract.contract_order_history, contract_orders.contract_order_history),
        bind(contract.user_trades, contract_orders.user_trades),
        bind(algo.place_algo, algo_writes.place_algo),
        bind(algo.place_exit, algo_writes.place_exit),
        bind(algo.change_exit, algo_writes.change_exit),
        bind(algo.cancel_algo, algo_writes.cancel_algo),
        bind(algo.cancel_algos, algo_writes.cancel_algos),
        bind(algo.open_algos, contract_orders.open_algos),
        bind(algo.all_algos, contract_orders.all_algos),
        bind(sim.demo_balance, contract_accounts.demo_balance),
        bind(sim.demo_positions, contract_accounts.demo_positions),
        bind(sim.demo_order_history, contract_orders.demo_order_history),
        bind(sim.place_demo_order, contract_writes.place_demo_order),
        bind(cancel_after.cancel_after, countdowns.cancel_after),
        bind(cancel_after.contract_cancel_after, countdowns.contract_cancel_after),
    ]


def _operator() -> list[Route]:
    return [
        bind(operator.health, operators.health),
        bind(operator.owners, operators.owners),
        bind(operator.create_owner, operators.create_owner),
        bind(operator.freeze_owner, operators.freeze_owner),
        bind(operator.set_fees, operators.set_fees),
        bind(operator.keys, key_operations.keys),
        bind(operator.create_key, key_operations.create_key),
        bind(operator.revoke_key, key_operations.revoke_key),
        bind(operator.deposit, operators.deposit),
        bind(operator.withdraw, operators.withdraw),
        bind(operator.transfer, operators.transfer),
        bind(operator.assets, operators.assets),
        bind(operator.register_asset, operators.register_asset),
        bind(operator.instruments, operators.instruments),
        bind(operator.list_instrument, operators.list_instrument),
        bind(operator.change_instrument, operators.change_instrument),
        bind(operator.halt, operators.halt),
        bind(operator.resume, operators.resume),
        bind(operator.settings, operators.settings),
        bind(operator.change_settings, operators.change_settings),
        bind(contract_operator.contracts, contract_operators.contracts),
        bind(contract_operator.list_contract, contract_operators.list_contract),
        bind(contract_operator.change_contract, contract_operators.change_contract),
        bind(contract_operator.halt_contract, contract_operators.halt_contract),
        bind(contract_operator.resume_contract, contract_operators.resume_contract),
        bind(contract_operator.post_index, contract_operators.post_index),
        bind(contract_operator.positions, contract_operators.positions),
        bind(contract_operator.liquidations, contract_operators.liquidations),
        bind(contract_operator.liquidation, contract_operators.liquidation),
    ]


def routes() -> Routes:
    """The table, ready to serve."""
    return Routes(bindings())
