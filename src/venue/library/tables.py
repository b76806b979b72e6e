"""Result rows, as a sequence of structs and as an Arrow table, which needs the extra `data`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, get_type_hints, overload

from msgspec import Struct, structs

from venue.client.errors import Misused
from venue.library.html import of_structs

Row = TypeVar("Row", bound=Struct)
DIGITS: Final = 38
SCALE: Final = 18
FLOAT: Final = "_f"  # ends the name of the float copy of a decimal column
CANDLE: Final = ("open", "high", "low", "close", "volume")
FEATHER: Final = ".feather"
PARQUET: Final = ".parquet"
EXTRA: Final = "-e '.[data]' in the venue's repository"


class Table(Generic[Row]):
    """Rows in order. Arrow columns: `ts` is int64 in ms; decimals are exact, and repeated as
    floats.

    It is a sequence; `__arrow_c_stream__` passes it to pandas, polars, DuckDB and others.
    """

    __slots__ = ("_kind", "_rows")

    def __init__(self, kind: type[Row], rows: Iterable[Row]) -> None:
        self._kind = kind
        self._rows: Sequence[Row] = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> Table[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | Table[Row]:
        if isinstance(place, slice):
            return Table(self._kind, self._rows[place])
        return self._rows[place]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self._kind is other._kind and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        columns = ", ".join(field.name for field in structs.fields(self._kind))
        return f"<{len(self._rows)} rows of {self._kind.__name__}: {columns}>"

    def _repr_html_(self) -> str:
        return of_structs(self._kind, self._rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """As a `pyarrow.Table`. Misused without the extra `data`."""
        arrow = _import("pyarrow", EXTRA)
        columns: dict[str, Any] = {}
        types = get_type_hints(self._kind)
        for field in structs.fields(self._kind):
            values = [getattr(row, field.name) for row in self._rows]
            kind = types[field.name]
            if kind is Decimal:
                columns[field.name] = arrow.array(values, arrow.decimal128(DIGITS, SCALE))
                floats = [float(value) for value in values]
                columns[field.name + FLOAT] = arrow.array(floats, arrow.float64())
            else:
                columns[field.name] = arrow.array(
                    values, arrow.int64() if kind is int else arrow.string()
                )
        return arrow.table(columns)

    def to_pandas(self) -> Any:
        """As a `pandas.DataFrame`. Misused without the extra `data`."""
        _import("pandas", EXTRA)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """As a `polars.DataFrame`. Misused when polars is not installed."""
        return _import("polars", "polars").from_arrow(self.to_arrow())

    def export(self, path: str | Path) -> Path:
        """Write to a file: `.parquet` for all columns, `.feather` for freqtrade's candles.

        Misused: another ending, or `.feather` for rows that are no candles. OSError.
        """
        target = Path(path)
        if target.suffix == PARQUET:
            table = self.to_arrow()
            _import("pyarrow.parquet", EXTRA).write_table(table, target)
        elif target.suffix == FEATHER:
            feather = _import("pyarrow.feather", EXTRA)
            feather.write_feather(self._for_freqtrade(), target, compression="lz4")
        else:
            raise Misused(f"export({str(path)!r}): must end in {PARQUET} or {FEATHER}")
        return target

    def _for_freqtrade(self) -> Any:
        """Return the table in the form of freqtrade's files: `date` and five columns of floats."""
        arrow = _import("pyarrow", EXTRA)
        names = {field.name for field in structs.fields(self._kind)}
        if not names.issuperset(CANDLE):
            raise Misused(f"{FEATHER} holds candles, and these are rows of {self._kind.__name__}")
        times = [getattr(row, "ts") for row in self._rows]  # noqa: B009 - rows of any kind
        columns = {"date": arrow.array(times, arrow.timestamp("ms", tz="UTC"))}
        for name in CANDLE:
            values = [float(getattr(row, name)) for row in self._rows]
            columns[name] = arrow.array(values, arrow.float64())
        return arrow.table(columns)


def _import(module: str, installed: str) -> Any:
    """Import a module that is not among the venue's dependencies; `installed` is its name in
    pip."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise Misused(f"this needs {module}: pip install {installed}") from None
