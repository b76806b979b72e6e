"""The rows of the spot market with the handlers that answer them."""

from __future__ import annotations

from venue.api.spot import account as account_rows
from venue.api.spot import affiliates as affiliates_rows
from venue.api.spot import commissions as commissions_rows
from venue.api.spot import content as content_rows
from venue.api.spot import market as market_rows
from venue.api.spot import orders as orders_rows
from venue.api.spot import withdrawals as withdrawals_rows
from venue.gateway.dispatch.routes import Route, bind
from venue.gateway.operations.spot import (
    account,
    affiliates,
    commissions,
    content,
    market,
    orders,
    withdrawals,
)


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [
        bind(market_rows.ping, market.ping),
        bind(market_rows.time, market.time),
        bind(market_rows.coins, market.coins),
        bind(market_rows.exchange_info, market.exchange_info),
        bind(market_rows.trading_symbols, market.trading_symbols),
        bind(market_rows.prices, market.prices),
        bind(market_rows.tickers, market.tickers),
        bind(market_rows.book_tickers, market.book_tickers),
        bind(market_rows.trades, market.trades),
        bind(market_rows.klines, market.klines),
        bind(market_rows.depth, market.depth),
        bind(account_rows.account, account.account),
        bind(account_rows.bills, account.bills),
        bind(account_rows.funding_bills, account.funding_bills),
        bind(account_rows.transfer_records, account.transfer_records),
        bind(account_rows.tax_income, account.tax_income),
        bind(orders_rows.place_order, orders.place_order),
        bind(orders_rows.place_batch, orders.place_batch, orders.batch_place_closed),
        bind(orders_rows.cancel_order, orders.cancel_order),
        bind(orders_rows.cancel_open_orders, orders.cancel_open_orders),
        bind(orders_rows.cancel_batch, orders.cancel_batch),
        bind(orders_rows.order, account.order),
        bind(orders_rows.open_orders, account.open_orders),
        bind(orders_rows.all_orders, account.all_orders),
        bind(orders_rows.my_trades, account.my_trades),
        bind(affiliates_rows.invited_owners, affiliates.invited_owners),
        bind(affiliates_rows.referrals, affiliates.referrals),
        bind(affiliates_rows.eligibility, affiliates.eligibility),
        bind(affiliates_rows.rebate_ratio, affiliates.rebate_ratio),
        bind(affiliates_rows.rebates, affiliates.rebates),
        bind(commissions_rows.invited_trades, commissions.invited_trades),
        bind(commissions_rows.commissions, commissions.commissions),
        bind(commissions_rows.sub_commissions, commissions.sub_commissions),
        bind(commissions_rows.post_sub_commissions, commissions.sub_commissions),
        bind(commissions_rows.invited_assets, commissions.invited_assets),
        bind(commissions_rows.invited_deals, commissions.invited_deals),
        bind(withdrawals_rows.internal_withdrawals, withdrawals.internal_withdrawals),
        bind(withdrawals_rows.internal_withdrawal, withdrawals.internal_withdrawal),
        bind(content_rows.article, content.article),
        bind(content_rows.articles, content.articles),
        bind(content_rows.articles_of_coin, content.articles_of_coin),
        bind(content_rows.banners, content.banners),
    ]
