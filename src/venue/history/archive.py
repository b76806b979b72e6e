"""Archives of history: rows that nothing changes any more, in files of their own beside it.

An archive is a history's file too, with the same tables and checksums. It is whole and synced
before a row is taken out of history.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import Connection, Table, insert

from venue import private_files
from venue.archive_names import archives
from venue.candles import MINUTE_US
from venue.core.book.orders import OPEN
from venue.history import pages
from venue.history.files import check_pages
from venue.history.schema.affiliates import COMMISSIONS, INTERNAL_WITHDRAWALS
from venue.history.schema.contract import (
    ALGO_ORDERS,
    CONTRACT_FILLS,
    CONTRACT_ORDERS,
    DELEVERAGED,
    FUNDING_RATES,
    INCOME,
    LIQUIDATION_STEPS,
    LIQUIDATIONS,
    POSITIONS,
    PRICE_MINUTES,
)
from venue.history.schema.copying import COPIES, SCHEMA, TRACKS
from venue.history.schema.spot import BILLS, FILLS, OPENING, ORDERS, PROGRESS, TRANSFERS
from venue.history.store import Store, open_history
from venue.vocabulary import ALGO_UNTRIGGERED

CLOSED: Final = f"update_time < {{time}} AND status NOT IN {OPEN}"
FINISHED: Final = "finished > 0 AND finished < {time}"
_LIQUIDATIONS: Final = "SELECT liquidation_id FROM main.liquidations WHERE "
OF_FINISHED: Final = f"liquidation_id IN ({_LIQUIDATIONS}{FINISHED})"
PAST: Final = "time < {time}"

# Which rows of each table nothing changes any more. Those of a liquidation go before it does.
# Frames have a bound of their own.
SETTLED: Final[tuple[tuple[Table, str], ...]] = (
    (ORDERS, CLOSED),
    (FILLS, PAST),
    (BILLS, PAST),
    (TRANSFERS, PAST),
    (CONTRACT_ORDERS, CLOSED),
    (CONTRACT_FILLS, PAST),
    (INCOME, PAST),
    (ALGO_ORDERS, "update_time < {time} AND status <> " + str(ALGO_UNTRIGGERED)),
    (POSITIONS, "closed < {time}"),
    (FUNDING_RATES, "time < {time} AND (skipped = 1 OR (settled > 0 AND settled < {time}))"),
    (LIQUIDATION_STEPS, OF_FINISHED),
    (DELEVERAGED, OF_FINISHED),
    (LIQUIDATIONS, FINISHED),
    (COPIES, "closed < {time}"),
    (TRACKS, "closed < {time}"),
    (COMMISSIONS, PAST),
    (INTERNAL_WITHDRAWALS, PAST),
    (PRICE_MINUTES, "open_time < {time} - " + str(MINUTE_US)),
)


def write(store: Store, new: str, sequence: int, time: int) -> None:
    """Copy the rows of a history that are settled before a time into a new file, whole and synced.

    `sequence` is the command behind which history begins when they are gone. OSError and
    HistoryDamaged: history is as it was.
    """
    private_files.remove(new)
    open_history(new).close()
    connection, goes_on = store.connection, store.goes_on()
    with connection.begin():
        connection.exec_driver_sql("ATTACH ? AS other", (f"file:{quote(new)}?vfs={pages.VFS}",))
    try:
        with connection.begin():
            for table, settled in SETTLED:
                _copy(connection, table, "main", "other", settled.format(time=time))
            _copy(connection, OPENING, "main", "other", "true")
            connection.exec_driver_sql("UPDATE other.progress SET sequence = ?", (sequence,))
            connection.exec_driver_sql(f"PRAGMA other.application_id = {int(goes_on)}")
    finally:
        with connection.begin():
            connection.exec_driver_sql("DETACH other")
    open_history(new).close()
    Path(f"{new}{private_files.LOCK}").unlink()
    check_pages(new)


def drop(store: Store, sequence: int, order_id: int, time: int) -> None:
    """Take the rows that an archive has out of a history, and give their space back.

    Orders from `order_id` on, the first behind command `sequence`, have all their rows.
    """
    connection = store.connection
    with connection.begin():
        for table, settled in SETTLED:
            connection.exec_driver_sql(
                f"DELETE FROM main.{table.name} WHERE {settled.format(time=time)}"  # noqa: S608
            )
        connection.execute(OPENING.delete())
        connection.execute(insert(OPENING).values(sequence=sequence, order_id=order_id))
        connection.exec_driver_sql("PRAGMA application_id = 1")
    store.checkpoint()
    with connection.begin():
        connection.exec_driver_sql("VACUUM")
    store.checkpoint()


def leading_up(store: Store, path: str, begin: int) -> list[str]:
    """The archives beside a history that lead up to where it begins without a gap, oldest first.

    None when it was built again since then: what was open where it begins is not as it was.
    """
    found: list[str] = []
    goes_on = store.goes_on()
    for first, last, name in reversed(archives(path)):
        if goes_on and last == begin:
            found.insert(0, name)
            begin = first - 1
            archive = open_history(name)
            goes_on = archive.goes_on()
            archive.close()
            Path(f"{name}{private_files.LOCK}").unlink()
    return found


def merge(paths: list[str], into: str) -> None:
    """Put the rows of a history and of its archives, oldest first, together in a new file."""
    store = open_history(into)
    connection = store.connection
    try:
        for number, path in enumerate(paths):
            with connection.begin():
                address = f"file:{quote(path)}?vfs={pages.VFS}"
                connection.exec_driver_sql("ATTACH ? AS other", (address,))
            with connection.begin():
                for table in SCHEMA.sorted_tables:
                    if table is OPENING and number:
                        continue  # it begins where the oldest one does
                    if table is PROGRESS:
                        connection.execute(PROGRESS.delete())
                    _copy(connection, table, "other", "main", "true")
            with connection.begin():
                connection.exec_driver_sql("DETACH other")
    finally:
        store.close()


def _copy(connection: Connection, table: Table, source: str, target: str, which: str) -> None:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    connection.exec_driver_sql(
        f"INSERT INTO {target}.{table.name} ({names})"  # noqa: S608 - names of our own
        f" SELECT {names} FROM {source}.{table.name} WHERE {which}"
    )
