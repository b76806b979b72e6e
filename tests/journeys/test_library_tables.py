"""Rows of the library as Arrow tables, files and frames of other libraries."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from venue import Misused, Venue
from venue.candles import INTERVALS
from venue.library.results import (
    Balance,
    Book,
    Candle,
    Equity,
    Fill,
    Income,
    Order,
    Placed,
    Position,
    Ticker,
    Trade,
)

pa: Any = pytest.importorskip("pyarrow")

SYMBOL = "BTCUSDT"
PAGE = Path(__file__).parents[2] / "docs" / "library.md"
KINDS = {
    "candles": Candle,
    "trades": Trade,
    "fills": Fill,
    "bills": Income,  # a bill has all but the symbol
    "equity": Equity,
    "buy": Placed,
    "order": Order,
    "balance": Balance,
    "position": Position,
    "book": Book,
    "ticker": Ticker,
}


@pytest.fixture(scope="module")
def traded() -> Iterator[Venue]:
    """Alice bought half a coin from bob."""
    with Venue(agents=False) as v:
        v.account("bob").sell(SYMBOL, "0.5", price="64000")
        v.account("alice").buy(SYMBOL, "0.5")
        yield v


def test_decimals_are_exact_and_floats_beside_them(traded: Venue) -> None:
    fills = traded.account("alice").fills(SYMBOL)
    table = pa.table(fills)  # by the C stream interface
    assert table.schema.field("ts").type == pa.int64()
    assert table.schema.field("price").type == pa.decimal128(38, 18)
    (row,) = table.to_pylist()
    assert row["price"] == Decimal(64000)
    assert row["price_f"] == 64000.0
    assert (row["symbol"], row["order_id"]) == (SYMBOL, fills[0].order_id)


def test_every_kind_of_rows_is_a_table_even_empty(traded: Venue) -> None:
    market = traded.market(SYMBOL)
    carol, alice = traded.account("carol"), traded.account("alice")
    for rows in (market.trades(), market.candles(), alice.equity(), alice.bills(), alice.income()):
        assert pa.table(rows).num_rows == len(rows)
    for none in (carol.fills(SYMBOL), carol.bills(), carol.income()):
        assert len(none) == 0
        assert pa.table(none).schema.field("ts").type == pa.int64()


def test_files(traded: Venue, tmp_path: Path) -> None:
    from pyarrow import feather, parquet

    candles = traded.market(SYMBOL).candles("1m", 10)
    table = parquet.read_table(candles.export(tmp_path / "candles.parquet"))
    assert table.column("close").to_pylist() == [row.close for row in candles]
    history = feather.read_table(candles.export(str(tmp_path / "BTC_USDT-1m.feather")))
    assert history.column_names == ["date", "open", "high", "low", "close", "volume"]
    assert history.schema.field("date").type == pa.timestamp("ms", tz="UTC")
    assert history.column("close").to_pylist() == [float(row.close) for row in candles]
    with pytest.raises(Misused, match="must end in"):
        candles.export(tmp_path / "candles.csv")
    with pytest.raises(Misused, match="holds candles"):
        traded.account("alice").bills().export(tmp_path / "bills.feather")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".feather", ".parquet"]


def test_what_is_not_installed_is_named(traded: Venue, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = traded.market(SYMBOL).trades()
    for module, call, words in (
        ("pyarrow", rows.to_arrow, r"\.\[data\]"),
        ("pandas", rows.to_pandas, r"\.\[data\]"),
        ("polars", rows.to_polars, "polars"),
    ):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, module, None)
            with pytest.raises(Misused, match=words):
                call()


def test_the_order_of_rows_is_the_documented_one(traded: Venue) -> None:
    alice, market = traded.account("alice"), traded.market(SYMBOL)
    for times in (
        [row.ts for row in market.trades()],
        [row.ts for row in alice.fills(SYMBOL)],
        [row.ts for row in alice.bills()],
    ):
        assert times == sorted(times, reverse=True)
    for times in ([row.ts for row in market.candles()], [row.ts for row in alice.equity()]):
        assert len(times) == len(set(times)) > 0
        assert times == sorted(times)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_frames(traded: Venue, name: str) -> None:
    pytest.importorskip(name)
    rows = traded.account("alice").bills()
    frame = getattr(rows, f"to_{name}")()
    assert len(frame) == len(rows)
    assert next(iter(frame["ts"])) == rows[0].ts


def test_the_page_names_every_field_and_interval() -> None:
    page = PAGE.read_text()
    rows = dict(re.findall(r"^\| `(\w+)[^|]*\| (`.*) \|$", page, re.M))
    for name, kind in KINDS.items():
        told = re.findall(r"`(\w+)`", rows[name])
        assert set(kind.__struct_fields__) <= set(told), name
    (line,) = re.findall(r"^Intervals of candles are (.*)\.$", page, re.M)
    assert tuple(re.findall(r"`(\w+)`", line)) == INTERVALS
