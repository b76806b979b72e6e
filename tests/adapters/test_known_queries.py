"""Queries that are known already decode to what they decoded to, and few are known."""

from __future__ import annotations

from msgspec import to_builtins

from venue.api.market_data import DepthRequest
from venue.gateway.dispatch.decode import decode
from venue.gateway.dispatch.known_queries import QUERIES_MAX, QUERY_LENGTH_MAX, KnownQueries
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.shapes import compile_request


def test_a_known_query_gives_the_same_request() -> None:
    request, known = compile_request(DepthRequest), KnownQueries()
    query = b"symbol=btcusdt&limit=200"
    assert known.find(query) is None
    made = decode(request, query_values(query))
    known.keep(query, made)
    assert known.find(query) is made
    assert to_builtins(made) == {"symbol": "BTCUSDT", "limit": "200"}
    assert known.find(b"limit=200&symbol=btcusdt") is None


def test_strangers_do_not_fill_the_memory() -> None:
    known = KnownQueries()
    known.keep(b"a" * (QUERY_LENGTH_MAX + 1), 1)
    assert known.find(b"a" * (QUERY_LENGTH_MAX + 1)) is None
    counts = set()
    for number in range(3 * QUERIES_MAX):
        query = b"symbol=%d" % number
        known.keep(query, number)
        assert known.find(query) == number
        counts.add(known.count())
    assert max(counts) == QUERIES_MAX
