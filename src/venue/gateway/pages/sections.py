"""The parts of a page: each is an operation's reply, for the owner and the market in view."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from msgspec import Struct

from venue.api.contract import account as contract_account
from venue.api.contract import conditional
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract_orders
from venue.api.market_data import DepthRequest, TradesRequest
from venue.api.operation import Empty, Row
from venue.api.operator.clock import clock
from venue.api.operator.faults import faults
from venue.api.own import PlacesRequest, places
from venue.api.spot import account, market, orders
from venue.gateway.operations.bindings import routes
from venue.vocabulary import Access, Product

TRADES: Final = 40
CANDLES: Final = 2  # the unfinished one, and the one before it, which may have ended meanwhile

Request = Callable[[str], Struct]  # makes the request for a symbol


class Section(Struct, frozen=True):
    """One part of a page. `is_owned`: it is asked for the owner in view."""

    name: str
    handler: Callable[..., Any]
    is_async: bool
    request: Request
    is_owned: bool


@cache
def sections(product: Product) -> tuple[Section, ...]:
    """Return the parts of a page about a market of one product.

    A part that may wait for history comes first, so that all others follow without a pause.
    """
    parts = _VENUE + (_SPOT if product is Product.SPOT else _CONTRACT)
    return tuple(sorted((_section(*part) for part in parts), key=lambda one: not one.is_async))


def _section(name: str, row: Row, request: Request) -> Section:
    route = routes().of(row)
    is_owned = route.access is Access.READ
    return Section(name, route.handler, route.is_async, request, is_owned)


def _empty(_: str) -> Empty:
    return Empty()


def _depth(symbol: str) -> DepthRequest:
    return DepthRequest(symbol=symbol)


def _trades(symbol: str) -> TradesRequest:
    return TradesRequest(symbol=symbol, limit=TRADES)


def _contract(symbol: str) -> contract_market.ContractSelectionRequest:
    return contract_market.ContractSelectionRequest(symbol=symbol)


def _contract_candles(symbol: str) -> contract_market.ContractKlinesRequest:
    return contract_market.ContractKlinesRequest(symbol=symbol, interval="1m", limit=CANDLES)


def _contract_orders(symbol: str) -> contract_orders.ContractOpenOrdersRequest:
    return contract_orders.ContractOpenOrdersRequest(symbol=symbol)


def _algos(symbol: str) -> conditional.OpenAlgosRequest:
    return conditional.OpenAlgosRequest(symbol=symbol)


def _places(symbol: str) -> PlacesRequest:
    return PlacesRequest(product="SPOT", symbol=symbol)


def _contract_places(symbol: str) -> PlacesRequest:
    return PlacesRequest(product="CONTRACT", symbol=symbol)


def _market(symbol: str) -> market.SelectionRequest:
    return market.SelectionRequest(symbol=symbol)


def _candles(symbol: str) -> market.KlinesRequest:
    return market.KlinesRequest(symbol=symbol, interval="1m", limit=CANDLES)


def _orders(symbol: str) -> orders.OpenOrdersRequest:
    return orders.OpenOrdersRequest(symbol=symbol)


_VENUE: Final[tuple[tuple[str, Row, Request], ...]] = (
    ("clock", clock, _empty),
    ("faults", faults, _empty),
)
_CONTRACT: Final[tuple[tuple[str, Row, Request], ...]] = (
    ("depth", contract_market.contract_depth, _depth),
    ("ticker", contract_market.contract_tickers, _contract),
    ("prices", contract_market.premium_index, _contract),
    ("trades", contract_market.contract_trades, _trades),
    ("candle", contract_market.contract_klines, _contract_candles),
    ("orders", contract_orders.contract_open_orders, _contract_orders),
    ("places", places, _contract_places),
    ("positions", contract_account.positions, _empty),
    ("balances", contract_account.contract_balance, _empty),
    ("conditional", conditional.open_algos, _algos),
)
_SPOT: Final[tuple[tuple[str, Row, Request], ...]] = (
    ("depth", market.depth, _depth),
    ("ticker", market.tickers, _market),
    ("trades", market.trades, _trades),
    ("candle", market.klines, _candles),
    ("orders", orders.open_orders, _orders),
    ("places", places, _places),
    ("balances", account.account, _empty),
)
