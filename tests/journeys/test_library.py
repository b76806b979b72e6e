"""The venue as a library: orders, money, time and tables, and every way to misuse it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.lived import journal_of, packed
from support.moved import Moved
from support.waits import WAIT_S
from venue import Client, Misused, Refused, Venue
from venue.library.progress import Progress

SYMBOL = "BTCUSDT"
DAY_MS = 86_400_000


@pytest.fixture(scope="module")
def quiet() -> Iterator[Venue]:
    """A venue without agents: its owners are alone."""
    with Venue(agents=False) as found:
        yield found


def bought(v: Venue, price: str = "64000", quantity: str = "0.5") -> None:
    """Alice buys from bob."""
    v.account("bob").sell(SYMBOL, quantity, price=price)
    v.account("alice").buy(SYMBOL, quantity)


def test_an_order_and_its_money(quiet: Venue) -> None:
    alice = quiet.account("alice")
    before = alice.balance("USDT")
    placed = alice.buy(SYMBOL, "0.01", price="63900", client_id="first-1")
    order = alice.order(placed)
    assert (order.status, order.price, order.quantity) == ("NEW", Decimal("63900"), Decimal("0.01"))
    assert order.client_id == placed.client_id == "first-1"
    assert [open_.order_id for open_ in alice.orders(SYMBOL)] == [placed.order_id]
    assert alice.balance("USDT").locked - before.locked == Decimal("639")
    assert quiet.market(SYMBOL).book().bids[0].price == Decimal("63900")
    alice.cancel(placed)
    assert alice.balance("USDT") == before
    assert alice.order(placed).status == "CANCELED"


def test_fills_bills_and_equity_agree(quiet: Venue) -> None:
    alice = quiet.account("alice")
    bought(quiet)
    fill = alice.fills(SYMBOL)[0]
    assert (fill.side, fill.price, fill.quantity) == ("BUY", Decimal(64000), Decimal("0.5"))
    sold = quiet.account("bob").fills(SYMBOL)[0]
    assert (fill.fee_asset, sold.fee_asset) == ("BTC", "USDT")
    money, coins = sorted(alice.bills()[:2], key=lambda bill: bill.amount)
    assert (money.asset, money.amount) == ("USDT", Decimal("-32000"))
    assert (coins.asset, coins.amount) == ("BTC", fill.quantity - fill.fee)
    trade = quiet.market(SYMBOL).trades()[0]
    assert (trade.side, trade.value) == ("BUY", Decimal(32000))
    assert quiet.market(SYMBOL).ticker().last == Decimal(64000)
    now = alice.equity()[-1]
    assert now.equity == now.spot + now.contract
    assert alice.bills(limit=3)[-1].ts <= quiet.ts


def test_more_bills_than_a_page(quiet: Venue) -> None:
    bob = quiet.account("bob")
    for _ in range(60):
        bought(quiet, quantity="0.001")
    bills = bob.bills()
    assert len(bills) > 120
    assert len({bill.bill_id for bill in bills}) == len(bills)
    assert [bill.bill_id for bill in bills] == sorted((b.bill_id for b in bills), reverse=True)


def test_contracts_and_time() -> None:
    with Venue(seed=7, equity_every="10s") as v:
        alice = v.account("alice")
        leverage = {"symbol": SYMBOL, "marginType": "CROSSED", "crossLeverage": "5"}
        alice.call("set_leverage", **leverage)
        taken = alice.buy(SYMBOL, "0.1", product="contract", position="LONG")
        held = alice.position(SYMBOL, "LONG")
        assert held is not None
        assert (held.size, held.leverage, held.side) == (Decimal("0.1"), Decimal(5), "LONG")
        assert alice.position(SYMBOL, "SHORT") is None
        assert alice.positions() == [held]
        assert alice.order(taken).status == "FILLED"
        fill = alice.fills(SYMBOL, product="contract")[0]
        assert fill.quantity <= Decimal("0.1")
        assert fill.fee_asset == "USDT"
        assert alice.income()[0].symbol == SYMBOL
        rests = alice.sell(SYMBOL, "0.1", price="99000", product="contract", position="LONG")
        (order,) = alice.orders(SYMBOL, product="contract")
        assert (order.order_id, order.price) == (rests.order_id, Decimal(99000))
        alice.cancel(order)
        begin = v.ts
        told = v.run("30s")
        assert (told.begin, told.end, v.ts) == (begin, begin + 30_000, begin + 30_000)
        assert [row.ts - begin for row in alice.equity()] == [0, 10_000, 20_000, 30_000]
        assert v.market(SYMBOL, product="contract").ticker().bid > 0
        assert v.market(SYMBOL).candles("1m", 5)[-1].ts <= v.ts
        seen = v.preview("alice", SYMBOL, "BUY", "0.1", product="contract", position="LONG")
        assert seen.accepted
        assert sum(fill.quantity for fill in seen.fills) == seen.filled == Decimal("0.1")


def test_funding_is_lived_through(quiet: Venue) -> None:
    told = quiet.advance(to_next="funding")
    assert {due.kind for due in told.settled} <= {"funding", "funding skipped"}
    assert told.end % (DAY_MS // 6) == 0  # a share's contract has funding every four hours


# -- the same run ---------------------------------------------------------------------------------


def test_explanations_and_problems(quiet: Venue) -> None:
    alice, bob = quiet.account("alice"), quiet.account("bob")
    order = alice.buy(SYMBOL, "0.01", price="60000")
    bob.sell(SYMBOL, "0.004", price="60000")
    told = quiet.explain("order", order)
    assert (told.kind, told.owner) == ("order", "alice")
    assert told.sentences[-1].endswith(
        "0.00400 at 60000.00 as the resting order; 0.00600 of it were left."
    )
    assert quiet.explain("order", alice.order(order)) == told
    bill = quiet.explain("bill", alice.bills()[0])
    assert "alice bought 0.00400 BTCUSDT of bob at 60000.00" in " ".join(bill.sentences)
    assert quiet.problems() == []
    ledger = quiet._node.engine.ledger
    wallet = ledger.accounts[ledger.names["alice"]].spot[0]
    wallet.free += 1
    assert "the sum over all accounts is 1, not zero" in quiet.problems()[0]
    wallet.free -= 1
    alice.cancel(order)


@pytest.mark.parametrize("agents", [True, False], ids=["agents", "alone"])
def test_server_library_and_world_write_the_same_journal(tmp_path: Path, agents: bool) -> None:
    """A world's journal continues that of its founding, which many worlds share: together they are
    the whole one. The second world is made of a snapshot, and does not begin again either."""
    mine, theirs = tmp_path / "library.db", tmp_path / "server" / "venue.db"
    with Venue(seed=7, agents=agents, state=mine) as v:
        alice = v.account("alice")
        resting = alice.buy(SYMBOL, "0.01", price="63900", client_id="mine")
        v.run("5s")
        v.account("bob").sell(SYMBOL, "0.004", price="63900", client_id="his")
        if agents:  # without them the contract has no price
            terms = {"product": "contract", "position": "SHORT", "client_id": "s"}
            alice.sell(SYMBOL, "0.2", price="60000", **terms)
        alice.cancel(resting)
        v.run("1s500ms")
        v.run("3m", sparse=True)
    options = ["--seed", "7", "--state", str(theirs), *([] if agents else ["--no-agents"])]
    with Moved(tmp_path / "server", *options, program=("support.noting",)) as served:
        served.ok(served.anyone.post("/_venue/worlds", {"name": "w", "agents": agents}))
        for place in ("/w/w", ""):
            trade(served, place, contract=agents)
        body = {"name": "r", "agents": agents, "from": "ready"}
        served.ok(served.anyone.post("/_venue/worlds", body))
        trade(served, "/w/r", contract=agents)
        hashes = [
            served.ok(served.anyone.get(f"{place}/_venue/health"))["stateHash"]
            for place in ("", "/w/w", "/w/r")
        ]
        assert hashes == [hashes[0]] * 3
        assert served.server.stop() == 0
    whole = b"".join(packed(journal_of(mine)))
    assert len(whole) > (10_000 if agents else 1_000)
    assert b"".join(packed(journal_of(theirs))) == whole
    begun, lived, _, again = (
        (tmp_path / "server" / f"world-{number}.journal").read_bytes() for number in range(4)
    )
    assert lived == again
    assert begun + lived == whole


def trade(served: Moved, place: str, *, contract: bool) -> None:
    """The library's calls of the test above, over HTTP, below an address."""
    limit = {"symbol": SYMBOL, "type": "LIMIT", "price": "63900"}

    def post(path: str, name: str, **body: Any) -> Any:
        act: dict[str, str | None] = {"X-Venue-Act-As": name} if name else {}
        return served.ok(served.anyone.post(place + path, body, headers=act))

    buy = {**limit, "side": "BUY", "quantity": "0.01", "newClientOrderId": "mine"}
    resting = post("/api/v3/order", "alice", **buy)
    post("/_venue/clock/advance", "", by="5s")
    sell = {**limit, "side": "SELL", "quantity": "0.004", "newClientOrderId": "his"}
    post("/api/v3/order", "bob", **sell)
    short = {**limit, "side": "SELL", "positionSide": "SHORT", "price": "60000", "quantity": "0.2"}
    if contract:
        post("/capi/v3/order", "alice", **short, timeInForce="GTC", newClientOrderId="s")
    page = f"{place}/api/v3/order?orderId={resting['orderId']}"
    served.ok(served.anyone.delete(page, headers={"X-Venue-Act-As": "alice"}))
    post("/_venue/clock/advance", "", by="1s500ms")
    post("/_venue/clock/advance", "", by="3m", sparse=True)


def test_a_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "venue.db"
    with Venue(agents=False, state=path) as v:
        placed = v.account("alice").buy(SYMBOL, "0.01", price="63900")
        v.run("1h")
        left = v.ts
    with Venue(agents=False, state=path) as v:
        assert v.ts == left
        assert v.account("alice").order(placed).status == "NEW"


def test_a_snapshot_takes_everything_back_again_and_again() -> None:
    with Venue(seed=7, equity_every="1s") as v:
        alice = v.account("alice")
        v.run("2s")
        alice.buy(SYMBOL, "0.1")
        v.snapshot("kept")

        def told() -> Any:
            book = v.market(SYMBOL).book()
            return v.ts, alice.balances(), alice.bills(), alice.equity(), book

        before = told()
        after = []
        for _ in range(2):
            alice.sell(SYMBOL, "0.3")
            v.run("3s")
            after.append(told())
            v.revert("kept")
            assert told() == before
        assert after[0] == after[1] != before
        v.reset()
        assert v.ts == before[0] - 2_000
        assert len(alice.bills()) < len(before[2])
        with pytest.raises(Refused, match="kept"):
            v.revert("lost")


# -- a door ---------------------------------------------------------------------------------------


def test_it_serves_the_same_state_with_faults(quiet: Venue) -> None:
    from urllib.error import HTTPError
    from urllib.request import urlopen

    door = quiet.serve()
    assert quiet.serve() == door
    placed = quiet.account("alice").buy(SYMBOL, "0.02", price="61000")
    page = f"{door.url}/api/v3/market/depth?symbol={SYMBOL}&limit=15"
    with urlopen(page) as answer:
        assert ["61000.00", "0.02000"] in json.load(answer)["bids"]
    quiet.fault("status", match={"operation": "depth"}, when={"count": 1}, status=503)
    with pytest.raises(HTTPError, match="503"):
        urlopen(page)
    quiet.clear_faults()
    quiet.account("alice").cancel(placed)
    with pytest.raises(Misused, match="must be one of 127"):
        Venue(agents=False).serve(host="0.0.0.0")
    with Venue(agents=False) as other, pytest.raises(Misused, match="port 65536: must be an int"):
        other.serve(65536)


# -- misuse and refusals --------------------------------------------------------------------------

FLOAT: Any = 0.1
BYTES: Any = b"1"
BAD: list[tuple[Callable[[Venue], Any], int, str]] = [
    (lambda v: v.account("alice").buy(SYMBOL, FLOAT), -1142, "quantity.*float"),
    (lambda v: v.account("alice").buy(SYMBOL, "0.1", price=6.4e4), -1142, "price.*float"),
    (lambda v: v.account("alice").buy(SYMBOL, Decimal("NaN")), -1142, "quantity.*finite"),
    (lambda v: v.account("alice").buy(SYMBOL, BYTES), -1142, "quantity.*bytes"),
    (lambda v: v.account("alice").buy(SYMBOL, "-1"), -1142, "quantity"),
    (lambda v: v.account("alice").buy("BTCUSDX", "1"), -2007, "symbol"),
    (lambda v: v.account("alice").buy(SYMBOL, "1", product="option"), -1142, "product"),
    (lambda v: v.account("alice").buy(SYMBOL, "1", product="contract"), -1141, "positionSide"),
    (lambda v: v.account("alice").buy(SYMBOL, "1", position="LONG"), -1142, "positionSide"),
    (lambda v: v.account("alice").buy("\ud800", "1"), -1142, "whole characters"),
    (lambda v: v.account("carol").buy(SYMBOL, "1", price="64000"), -1054, "amount not enough"),
    (lambda v: v.account("alice").cancel(5), -2200, "order not found"),
    (lambda v: v.account("mallory"), -1142, "no such owner"),
    (lambda v: v.market("BTCUSDX"), -2007, "symbol"),
    (lambda v: v.market(SYMBOL).candles("7m"), -1142, "interval"),
    (lambda v: v.account("alice").call("place_ordr"), -1142, "no such row"),
    (lambda v: v.call("advance_clock", by="1h", forth="2h"), -1142, "forth"),
    (lambda v: v.run("soon"), -1142, "by"),
    (lambda v: v.run("-2h"), -1142, "by"),
    (lambda v: v.advance(), -1142, "by"),
    (lambda v: v.fault("explode"), -1142, "kind"),
    (lambda v: v.explain("order", 5), -1142, "no such order"),
    (lambda v: v.explain("wish", 5), -1142, "kind"),
    (lambda v: v.explain("bill", 1.5), -1142, "float"),  # type: ignore[arg-type]
    (lambda v: v.preview("mallory", SYMBOL, "BUY", "1"), -1142, "owner"),
    (lambda v: v.market(SYMBOL).book(-1), -1142, "levels"),
    (lambda v: v.market(SYMBOL).book("5"), -1142, "levels"),  # type: ignore[arg-type]
    (lambda v: v.account("alice").bills(-1), -1142, "limit"),
    (lambda v: v.account("alice").income(2.5), -1142, "limit"),  # type: ignore[arg-type]
    (lambda v: v.account("alice").order("5"), -1142, "order"),  # type: ignore[arg-type]
    (lambda v: v.account("alice").cancel(None), -1142, "order"),  # type: ignore[arg-type]
    (lambda v: v.account("alice").position(SYMBOL, "long"), -1142, "side.*LONG or SHORT"),
    (lambda v: v.account(5), -1142, "name.*text"),  # type: ignore[arg-type]
    (lambda v: v.account([]), -1142, "name.*text"),  # type: ignore[arg-type]
    (lambda v: v.market(None), -1142, "symbol.*text"),  # type: ignore[arg-type]
    (lambda v: v.explain([], 5), -1142, "kind"),  # type: ignore[arg-type]
    (lambda v: v.call([]), -1142, "operation"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "code", "words"), BAD, ids=lambda value: str(value)[:20])
def test_a_refusal_names_the_field_and_changes_nothing(
    quiet: Venue, call: Callable[[Venue], Any], code: int, words: str
) -> None:
    before = (quiet.ts, quiet.account("alice").balances(), quiet.account("alice").orders())
    with pytest.raises(Refused, match=words) as refusal:
        call(quiet)
    assert refusal.value.code == code or code == -1142, refusal.value
    assert refusal.value.rule
    assert before == (quiet.ts, quiet.account("alice").balances(), quiet.account("alice").orders())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clock": "fast"}, "clock 'fast'"),
        ({"clock": "rate 0"}, "rate"),
        ({"clock": "rate 20000"}, "rate"),
        ({"clock": 5}, "clock 5"),
        ({"seed": "x"}, "seed 'x'"),
        ({"clock": "rate x"}, "clock 'rate x'"),
        ({"at": "tomorrow"}, "at 'tomorrow'"),
        ({"at": 5}, "at 5"),
        ({"agents": "no"}, "agents 'no'"),
        ({"state": ""}, "state ''"),
        ({"state": 5}, "state 5"),
        ({"clock": "real", "at": "2026-01-01T00:00:00Z"}, "not real"),
        ({"equity_every": "10ms"}, "equity_every"),
    ],
)
def test_options_that_are_none(options: dict[str, Any], words: str) -> None:
    before = threading.active_count()
    with pytest.raises((Misused, Refused), match=words):
        Venue(**options)
    assert threading.active_count() == before


def test_after_close_and_from_another_thread(quiet: Venue) -> None:
    told: list[str] = []

    def other() -> None:
        for call in (lambda: quiet.ts, lambda: quiet.run("1s"), quiet.close):
            try:
                call()
            except Misused as problem:
                told.append(str(problem))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert len(told) == 3
    assert all("belongs to the thread that made it" in text for text in told)
    before = threading.active_count()
    v = Venue(agents=False)
    alice = v.account("alice")
    v.close()
    v.close()
    with pytest.raises(Misused, match="is closed"):
        alice.buy(SYMBOL, "0.01")
    with pytest.raises(Misused, match="is closed"):
        v.run("1s")
    assert threading.active_count() == before


def test_a_bar_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    assert not Progress(terminal).shown
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    progress = Progress(terminal)
    assert progress.shown
    progress.show(0, 50, 100)
    assert " 50 %" in terminal.getvalue()
    progress.clear()
    assert terminal.getvalue().endswith("\r")


def test_the_package_alone_is_light() -> None:
    program = "import sys, venue; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"uvicorn", "numpy", "uvloop", "msgspec", "asyncio", "apsw"}


def test_a_venue_that_is_not_closed_ends_with_the_process() -> None:
    program = "from venue import Venue; print(Venue(agents=False).serve().url)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        env=os.environ,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:")


def test_time_is_held_while_a_client_works() -> None:
    with Venue(agents=False, clock="skip") as v:
        with v.hold(), v.hold():
            stands = v.ts
            assert {v.ts for _ in range(20)} == {stands}
        with v.hold(), pytest.raises(ZeroDivisionError), v.hold():
            raise ZeroDivisionError
        while v.ts < stands + 3_600_000:
            continue


def test_an_index_is_held_inside_a_with() -> None:
    with Venue() as v:
        with v.hold_index(SYMBOL, "61000", jump=True):
            v.run("3s")
            (held,) = v.call("references")
            assert (held.symbol, held.price) == (SYMBOL, "61000.00")
        assert v.call("references") == []
        with pytest.raises(Refused), v.hold_index("NOPE", "1"):
            pass
    with pytest.raises(Misused), v.hold():
        pass


def test_a_client_in_this_process_has_the_methods_of_one_over_http() -> None:
    with Venue(seed=7) as venue:
        alice = venue.client("alice")
        buy: dict[str, Any] = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT"}
        placed = [
            alice.place_order(**buy, quantity=Decimal("0.01"), price=50_000 + one)
            for one in range(3)
        ]
        ids = [order.order_id for order in alice.each_all_orders(symbol="BTCUSDT", limit=2)]
        assert ids == [ack.order_id for ack in reversed(placed)]
        with Client(venue.serve().url, act_as="alice") as remote:
            assert alice.open_orders() == remote.open_orders()
            assert alice.contract_exchange_info() == remote.contract_exchange_info()
            with pytest.raises(Refused) as here:
                alice.cancel_order(order_id=5)
            with pytest.raises(Refused) as there:
                remote.cancel_order(order_id=5)
        assert str(here.value) == str(there.value)
        assert venue.client().instruments() != []
        untyped: Any = alice
        with pytest.raises(TypeError, match="symbl"):
            untyped.depth(symbl="BTCUSDT")
        with pytest.raises(Refused, match="float"):
            untyped.place_order(**buy, quantity=0.5)
        with pytest.raises(Refused):
            venue.client("nobody").open_orders()
