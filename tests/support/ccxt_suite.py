"""ccxt's own tests, one function at a time: they check what its unified methods give back."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

REST: dict[str, tuple[str, ...]] = {
    "public": (
        "load_markets", "fetch_currencies", "fetch_markets", "fetch_ticker", "fetch_tickers",
        "fetch_last_prices", "fetch_trades", "fetch_ohlcv", "fetch_order_book",
        "fetch_l2_order_book", "fetch_order_books", "fetch_status",
    ),
    "contract": ("fetch_funding_rate_history",),
    "private": (
        "fetch_balance", "fetch_open_orders", "fetch_closed_orders", "fetch_orders",
        "fetch_my_trades", "fetch_ledger", "fetch_transfers", "fetch_trading_fee",
        "fetch_trading_fees", "sign_in",
    ),
    "positions": ("fetch_positions", "fetch_margin_mode", "fetch_margin_modes"),
}  # fmt: skip
STREAMS = (
    "watch_ticker", "watch_tickers", "watch_trades", "watch_trades_for_symbols", "watch_order_book",
    "watch_order_book_for_symbols", "watch_ohlcv", "watch_ohlcv_for_symbols", "watch_bids_asks",
)  # fmt: skip


def suite(name: str, *, streams: bool = False) -> Callable[..., Any]:
    """One of its functions."""
    folder = "ccxt.pro.test.Exchange" if streams else "ccxt.test.exchange.sync"
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"{folder}.test_{name}"), f"test_{name}"
    )
    return found


def arguments(test: Callable[..., Any], exchange: Any, symbol: str) -> list[Any]:
    """The arguments that a function of the suite wants, by its parameters' names."""
    given = {
        "exchange": exchange,
        "skipped_properties": {},
        "symbol": symbol,
        "symbols": [symbol],
        "code": "USDT",
    }
    return [given[name] for name in inspect.signature(test).parameters]
