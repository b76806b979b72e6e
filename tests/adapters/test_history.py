"""History: rows equal an independent sum, each command counts once, damage is found."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest
from apsw import Connection
from hypothesis import given, settings
from hypothesis import strategies as st

from support.tape import LOTS, RICH, Sum, Tape, listed, rows_of
from support.world import (
    BTCUSDT,
    BUY,
    ETHUSDT,
    LIMIT,
    SELL,
)
from venue.core.engine import Engine
from venue.core.instruments import lot_atoms
from venue.core.messages.commands import PlaceOrder
from venue.history.check import PROBLEMS_MAX, check
from venue.history.files import HistoryDamaged
from venue.history.process import worker as worker_module
from venue.history.process.pipe import ASK, COPY
from venue.history.process.worker import Worker
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.sql import scalar
from venue.history.store import HistoryCopy, Store, open_history, open_passing
from venue.history.tables.spot import BillRow, TransferRow
from venue.history.tables.table import insert_statement, values
from venue.vocabulary import OrderStatus


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_history(None)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tape() -> Tape:
    """A long walk; its last order rests."""
    walked = Tape().walk(seed=7, count=600)
    walked.say(PlaceOrder(walked.uids[2], "BTCUSDT", BUY, LIMIT, 0, 5, 50))
    return walked


@pytest.fixture(scope="module")
def filled(tape: Tape) -> Iterator[Store]:
    opened = open_history(None)
    Projector(opened, Catalog()).project(tape.applied)
    yield opened
    opened.close()


# -- projecting ----------------------------------------------------------------------------------


def test_lots_of_the_test_are_the_instruments() -> None:
    engine = Tape().engine
    assets = {asset.name: asset for asset in engine.ledger.assets}
    for instrument in (BTCUSDT, ETHUSDT):
        base, quote, lot = LOTS[instrument.symbol]
        assert (base, quote) == (instrument.base, instrument.quote)
        assert lot == lot_atoms(instrument, assets[base])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    cuts=st.lists(st.tuples(st.integers(1, 90), st.integers(0, 20)), min_size=1, max_size=8),
)
def test_rows_equal_an_independent_sum_however_batched(
    seed: int, cuts: list[tuple[int, int]]
) -> None:
    """Each batch begins with some of the commands that were already delivered."""
    tape = Tape().walk(seed, 150)
    store = open_history(None)
    try:
        projector = Projector(store, Catalog())
        at = 0
        while at < len(tape.applied):
            for size, again in cuts:
                projector.project(tape.applied[max(at - again, 0) : at + size])
                at += size
        assert rows_of(store) == Sum(tape.applied).rows()
        assert projector.last_sequence() == tape.engine.sequence
        assert check(store.connection, tape.engine) == []
    finally:
        store.close()


def test_the_walk_goes_everywhere(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)
    assert {order[12] for order in rows["orders"]} == set(OrderStatus)
    assert any(
        maker[3] == taker[3] for taker, maker in zip(*[iter(rows["fills"])] * 2, strict=True)
    )
    assert {bill[4] for bill in rows["bills"]} == {
        "deposit", "withdraw", "transfer_in", "transfer_out", "trade_in", "trade_out",
    }  # fmt: skip
    assert len(rows["bills"]) > 100
    assert {row[2] for row in rows["transfers"]} == {"USDT", "BTC", "ETH"}


def test_a_trade_with_oneself_has_two_fills_and_four_bills(store: Store) -> None:
    tape = Tape(owners=1)
    (uid,) = tape.uids
    tape.say(PlaceOrder(uid, "BTCUSDT", SELL, LIMIT, 0, 5, 100))
    before = len(tape.applied)
    tape.say(PlaceOrder(uid, "BTCUSDT", BUY, LIMIT, 0, 3, 100))
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:before])
    bills = len(rows_of(store)["bills"])
    projector.project(tape.applied[before:])
    rows = rows_of(store)
    # 3 lots of 10^4 atoms for 3 x 100 ticks of 100 atoms; the taker pays 0.2 %, the maker 0.1 %.
    fills = [(row[1], row[5], row[7], row[8], row[9], row[10]) for row in rows["fills"]]
    assert fills == [(0, BUY, 3, 30_000, 60, "BTC"), (1, SELL, 3, 30_000, 30, "USDT")]
    assert [(row[3], row[4], row[5], row[6], row[7]) for row in rows["bills"][bills:]] == [
        ("USDT", "trade_out", -30_000, RICH - 30_000, 0),
        ("BTC", "trade_in", 29_940, RICH + 29_940, 60),
        ("BTC", "trade_out", -30_000, RICH + 29_940 - 30_000, 0),
        ("USDT", "trade_in", 29_970, RICH - 30_000 + 29_970, 30),
    ]
    assert [order[10:13] for order in rows["orders"]] == [
        (3, 30_000, OrderStatus.PARTIALLY_FILLED),
        (3, 30_000, OrderStatus.FILLED),
    ]


def test_delivered_again_changes_nothing(store: Store, tape: Tape) -> None:
    projector = Projector(store, Catalog())
    projector.project(tape.applied)
    before = rows_of(store)
    projector.project(tape.applied)
    projector.project(tape.applied[100:200])
    projector.project([])
    assert rows_of(store) == before


def test_a_gap_is_a_defect_and_leaves_no_trace(store: Store, tape: Tape) -> None:
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:50])
    before = rows_of(store)
    with pytest.raises(AssertionError):
        projector.project(tape.applied[50:60] + tape.applied[61:70])
    assert rows_of(store) == before
    assert projector.last_sequence() == 50
    projector.project(tape.applied[50:])
    assert rows_of(store) == Sum(tape.applied).rows()


def test_rows_and_sequence_are_written_together(store: Store, tape: Tape) -> None:
    """The batch's last table refuses: nothing of the batch stays, and it can come again."""
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:50])
    before = rows_of(store)
    planted = TransferRow(10**15 + 5, 0, "", 0, 0, 0, 0)
    store.connection.execute(insert_statement(TransferRow), values(planted))
    with pytest.raises(apsw.ConstraintError):
        projector.project(tape.applied[50:])
    assert projector.last_sequence() == 50
    store.connection.execute("DELETE FROM transfers WHERE uid = 0")
    assert rows_of(store) == before
    projector.project(tape.applied[50:])
    assert rows_of(store) == Sum(tape.applied).rows()


def test_a_reopened_file_goes_on_where_it_was(tmp_path: Path, tape: Tape) -> None:
    path = str(tmp_path / "venue.history")
    for start, end in ((0, 100), (60, 333), (333, len(tape.applied))):
        engine = Engine()
        for done in tape.applied[:start]:
            engine.apply(done.command)
        store = open_history(path)
        projector = Projector(store, listed(engine))
        assert projector.last_sequence() == (0, 100, 333)[(0, 60, 333).index(start)]
        projector.project(tape.applied[start:end])
        assert projector.checkpoint() == end
        store.close()
    store = open_history(path)
    try:
        assert rows_of(store) == Sum(tape.applied).rows()
    finally:
        store.close()


def test_cleared_and_projected_anew_it_is_the_same(tmp_path: Path, tape: Tape) -> None:
    store = open_history(str(tmp_path / "venue.history"))
    try:
        Projector(store, Catalog()).project(tape.applied)
        before = rows_of(store)
        store.clear()
        assert rows_of(store) == {name: [] for name in before} | {"progress": [(0,)]}
        Projector(store, Catalog()).project(tape.applied)
        assert rows_of(store) == before
    finally:
        store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "venue.history"
    path.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(HistoryDamaged, match=r"venue\.history is damaged: "):
        open_history(str(path))
    assert path.read_text().startswith("not a database")


# -- damage --------------------------------------------------------------------------------------

Damage = Callable[[Connection, Tape], str]


def _nth(connection: Connection, table: str, column: str, number: int) -> int:
    found = [one for (one,) in connection.execute(f"SELECT {column} FROM {table} ORDER BY 1")]
    return int(found[number])


def _lost_bill(connection: Connection, tape: Tape) -> str:
    lost = _nth(connection, "bills", "bill_id", 40)
    connection.execute("DELETE FROM bills WHERE bill_id = ?", (lost,))
    return " is not "


def _lost_last_bill(connection: Connection, tape: Tape) -> str:
    connection.execute("DELETE FROM bills WHERE bill_id = (SELECT max(bill_id) FROM bills)")
    return "the last bill says"


def _altered_amount(connection: Connection, tape: Tape) -> str:
    bill_id = _nth(connection, "bills", "bill_id", 50)
    connection.execute("UPDATE bills SET amount = amount + 1 WHERE bill_id = ?", (bill_id,))
    return f"bill {bill_id} of owner"


def _altered_balance(connection: Connection, tape: Tape) -> str:
    connection.execute(
        "UPDATE bills SET after = after + 1, amount = amount + 1"
        " WHERE bill_id = (SELECT max(bill_id) FROM bills)"
    )
    return "the last bill says"


def _stranger(connection: Connection, tape: Tape) -> str:
    bill = BillRow(1, 5, 0, "BTC", "deposit", 1, 1, 0, None, None, None, 1)
    connection.execute(insert_statement(BillRow), values(bill))
    return "bills of owner 5, spot wallet, BTC, unknown to the engine"


def _lost_fill(connection: Connection, tape: Tape) -> str:
    trade_id = _nth(connection, "fills", "trade_id", 20)
    connection.execute("DELETE FROM fills WHERE trade_id = ? AND is_maker = 1", (trade_id,))
    return f"trade {trade_id} has 1 fills, not 2"


def _altered_fill(connection: Connection, tape: Tape) -> str:
    trade_id = _nth(connection, "fills", "trade_id", 20)
    connection.execute(
        "UPDATE fills SET notional = notional - 1 WHERE trade_id = ? AND is_maker = 0", (trade_id,)
    )
    return "its fills say"


def _lost_order(connection: Connection, tape: Tape) -> str:
    order_id = _nth(connection, "fills", "order_id", 20)
    connection.execute("DELETE FROM orders WHERE order_id = ?", (order_id,))
    return f"fills of order {order_id}, which is missing"


def _closed_order(connection: Connection, tape: Tape) -> str:
    order_id = next(iter(tape.engine.spot_account(tape.uids[2]).orders))
    change = "UPDATE orders SET status = ? WHERE order_id = ?"
    connection.execute(change, (int(OrderStatus.CANCELED), order_id))
    return f"order {order_id} (uid, executed, quote, status): the engine says"


def _opened_order(connection: Connection, tape: Tape) -> str:
    filled = (int(OrderStatus.FILLED),)
    order_id = scalar(connection, "SELECT min(order_id) FROM orders WHERE status = ?", filled)
    change = "UPDATE orders SET status = ? WHERE order_id = ?"
    connection.execute(change, (int(OrderStatus.NEW), order_id))
    return f"order {order_id} is open in history, not in the engine"


def _behind(connection: Connection, tape: Tape) -> str:
    connection.execute("UPDATE progress SET sequence = 5")
    return f"history reaches command 5, the engine {tape.engine.sequence}"


def _other_chain(connection: Connection, tape: Tape) -> str:
    connection.execute("UPDATE bills SET amount = amount + 1")
    return "more like the last"


@pytest.mark.parametrize(
    "damage",
    [
        _lost_bill, _lost_last_bill, _altered_amount, _altered_balance, _stranger, _lost_fill,
        _altered_fill, _lost_order, _closed_order, _opened_order, _behind, _other_chain,
    ],
)  # fmt: skip
def test_damage_is_found(tape: Tape, filled: Store, damage: Damage) -> None:
    assert check(filled.connection, tape.engine) == []
    filled.connection.execute("BEGIN")
    words = damage(filled.connection, tape)
    problems = check(filled.connection, tape.engine)
    filled.connection.execute("ROLLBACK")
    assert any(words in problem for problem in problems), problems
    assert len(problems) <= 5 * (PROBLEMS_MAX + 1)


def test_questions_are_answered_between_the_pieces_of_a_copy(
    filled: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A history of more than 256 MB was not copied at all."""
    encode = msgspec.msgpack.Encoder().encode
    worker, path = Worker(filled), str(tmp_path / "copy")
    monkeypatch.setattr(worker_module, "COPIED_PAGES", 4)
    for _ in range(3):
        assert worker.answer(COPY, encode((path, False))) is True
        assert worker.answer(ASK, pickle.dumps((reached_by, ()))) == filled.last_sequence()
    assert worker.answer(COPY, encode((path, True))) is False
    with closing(open_passing(path)) as copied:
        assert rows_of(copied) == rows_of(filled)
    monkeypatch.setattr(worker_module, "COPIED_MAX", 1 << 12)
    assert worker.answer(COPY, encode((str(tmp_path / "other"), False))) is None
    assert not (tmp_path / "other").exists()


def reached_by(connection: Connection) -> int:
    """A question."""
    return scalar(connection, "SELECT sequence FROM progress")


@pytest.mark.parametrize("opened", [open_history, open_passing])
def test_a_copy_is_made_in_pieces_between_which_history_goes_on(
    tape: Tape, filled: Store, opened: Callable[[str], Store], tmp_path: Path
) -> None:
    """Enemy: a history of gigabytes, which nothing else could be asked of while it is copied."""
    half = len(tape.applied) // 2
    catalog = Catalog()
    with closing(opened(str(tmp_path / "history"))) as whole:
        projector = Projector(whole, catalog)
        projector.project(tape.applied[: half // 2])
        copy = HistoryCopy(whole, str(tmp_path / "copy"))
        pieces = 0
        for applied in tape.applied[half // 2 : half]:
            pieces += copy.go_on(4)
            projector.project([applied])
        assert pieces > 5
        copy.finish()
    for commands in ([], tape.applied[half:], []):  # a copy goes on, and is opened again
        with closing(open_passing(str(tmp_path / "copy"))) as copied:
            Projector(copied, catalog).project(commands)
    with closing(open_passing(str(tmp_path / "copy"))) as copied:
        assert copied.last_sequence() == filled.last_sequence()
        assert rows_of(copied) == rows_of(filled)
