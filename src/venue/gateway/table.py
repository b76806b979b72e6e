"""Every row of the table of operations with the handler that answers it."""

from __future__ import annotations

from venue.api import account, market, operator, spot
from venue.gateway import accounts, key_operations, operators, reads, writes
from venue.gateway.routes import Route, Routes, bind


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
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
        bind(market.contract_exchange_info, reads.contract_exchange_info),
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
    ]


def routes() -> Routes:
    """The table, ready to serve."""
    return Routes(bindings())
