"""Pictures and tables of the library, as notebooks show them: of what is there, and inert."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from venue import Misused, Venue

SVG = "{http://www.w3.org/2000/svg}"
RUNS = re.compile(
    r"<script|<iframe|<object|javascript:|\son[a-z]+=|https?://(?!www\.w3\.org/2000/svg)"
)


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    with Venue(seed=7) as found:
        found.run("10m")
        alice = found.account("alice")
        alice.buy("BTCUSDT", "0.01")
        alice.buy("BTCUSDT", "0.02", price="60000")
        alice.buy("BTCUSDT", "0.1", product="contract", position="LONG")
        yield found


def shown(thing: Any) -> list[list[str]]:
    """Return the texts of a table's cells, row by row."""
    html = thing._repr_html_()
    assert not RUNS.search(html)
    whole = ElementTree.fromstring(f"<div>{html}</div>")
    return [["".join(cell.itertext()) for cell in row] for row in whole.iter("tr")]


def drawn(chart: Any) -> ElementTree.Element:
    text = chart._repr_html_()
    assert not RUNS.search(text)
    return ElementTree.fromstring(text)


def words(svg: ElementTree.Element) -> list[str]:
    return [part.text or "" for part in svg.iter(f"{SVG}text")]


def test_a_venue_is_a_table_of_its_markets(venue: Venue) -> None:
    rows = shown(venue)
    assert rows[0] == ["market", "product", "last"]
    last = venue.market("BTCUSDT").ticker().last
    assert ["BTCUSDT", "spot", f"{last:f}"] in [row[:3] for row in rows]
    assert repr(venue).startswith("<venue at 2026-01-01 00:10:00 UTC, sequence ")


def test_a_book_has_its_best_prices_in_the_first_row(venue: Venue) -> None:
    book = venue.market("BTCUSDT").book(5)
    rows = shown(book)
    bid, ask = book.bids[0], book.asks[0]
    assert rows[1] == [f"{value:f}" for value in (bid.quantity, bid.price, ask.price, ask.quantity)]
    assert len(rows) == 6


def test_an_account_shows_money_and_positions(venue: Venue) -> None:
    account = venue.account("alice")
    rows = shown(account)
    for balance in account.balances():
        assert ["spot", balance.asset, f"{balance.free:f}"] in [row[:3] for row in rows]
    (position,) = account.positions()
    assert ["BTCUSDT", "LONG", f"{position.size:f}"] in [row[:3] for row in rows]
    assert repr(account) == "<account of alice>"


def test_a_long_table_shows_its_ends_and_tells_the_rest(venue: Venue) -> None:
    trades = venue.market("BTCUSDT").trades(100)
    rows = shown(trades)
    assert len(rows) == 1 + 40 + 1
    assert rows[1][1] == trades[0].trade_id
    assert rows[21][0] == "60 more"
    assert rows[-1][1] == trades[-1].trade_id


def test_an_order_is_a_table_of_its_fields(venue: Venue) -> None:
    (order,) = venue.account("alice").orders("BTCUSDT")
    assert ["client_id", order.client_id] in shown(order)
    assert ["price", "60000.00"] in shown(order)


def test_texts_of_owners_stay_texts(venue: Venue) -> None:
    venue.call("create_owner", name="<script>alert(1)</script>")
    assert "&lt;script&gt;" in venue.account("<script>alert(1)</script>")._repr_html_()
    shown(venue.account("<script>alert(1)</script>"))


def test_a_chart_has_each_candle_and_its_prices(venue: Venue) -> None:
    chart = venue.chart("BTCUSDT", limit=30)
    svg = drawn(chart)
    assert len(list(svg.iter(f"{SVG}rect"))) == 30
    assert words(svg)[0] == "BTCUSDT spot, 1m"
    assert repr(chart) == "<chart of BTCUSDT spot, 1m: 30 candles>"
    for part in svg.iter(f"{SVG}rect"):  # each candle stands inside the picture
        top, height = float(part.attrib["y"]), float(part.attrib["height"])
        assert 0 <= top <= top + height <= 320


def test_an_accounts_chart_has_its_fills_orders_and_entry(venue: Venue) -> None:
    spot = drawn(venue.account("alice").chart("BTCUSDT"))
    assert len(list(spot.iter(f"{SVG}polygon"))) == len(venue.account("alice").fills("BTCUSDT"))
    assert "BUY 0.02000 at 60000.00" in words(spot)
    contract = drawn(venue.account("alice").chart("BTCUSDT", product="contract"))
    assert any(word.startswith("LONG 0.1") and "entry" in word for word in words(contract))


def test_a_chart_goes_into_a_file(venue: Venue, tmp_path: Path) -> None:
    chart = venue.chart("BTCUSDT", product="contract")
    assert chart.save(tmp_path / "btc.svg").read_text() == chart.svg()
    with pytest.raises(Misused):
        chart.save(tmp_path / "btc.png")


def test_a_closed_venue_is_shown_as_closed() -> None:
    venue = Venue(seed=7, agents=False)
    assert drawn(venue.chart("BTCUSDT")) is not None
    venue.close()
    assert repr(venue) == "<venue, closed>"
    assert "closed" in venue._repr_html_()
