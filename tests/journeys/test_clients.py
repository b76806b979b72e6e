"""The clients: every reading row decodes, nothing is ordered twice, pages follow each other."""

from __future__ import annotations

import asyncio
import inspect
import socket
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import NODEFAULT

from support.awaiting import Awaiting
from support.faulty import add
from support.server import Server
from venue import AsyncClient, Client, Misused, Refused, Unreachable
from venue.api.documents.table import ROWS
from venue.api.fields import PAGES
from venue.api.operation import Row, parameters, request_type
from venue.api.operator.faults import Effect
from venue.client.calls import Call, Each
from venue.client.methods import Methods
from venue.vocabulary import Access

ROOT: Final = Path(__file__).resolve().parents[2]
SYMBOL: Final = "BTCUSDT"
# For parameters that a reading row needs.
SAMPLES: Final = {"symbol": SYMBOL, "interval": "1m", "countdown_time": 5_000}
LIMIT: Final[dict[str, Any]] = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("clients")) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


@pytest.fixture
def rules(server: Server) -> Iterator[Server]:
    """Rules of faults end with the test."""
    yield server
    server.client().delete("/_venue/faults")


def keys(name: str) -> dict[str, Any]:
    """A demo account's key."""
    return {"key": f"demo-{name}", "secret": f"demo-{name}-secret", "passphrase": "demo"}


@pytest.fixture(scope="module", params=[Client, Awaiting])
def client_kind(request: pytest.FixtureRequest) -> type[Client]:
    """Both clients."""
    found: type[Client] = request.param
    return found


@pytest.fixture(scope="module")
def alice(server: Server, client_kind: type[Client]) -> Iterator[Client]:
    with client_kind(server.url, **keys("alice")) as client:
        yield client


def test_each_row_has_its_method() -> None:
    """Under its name, with its parameters; and no other method is there but those of a client."""
    methods = {name: value for name, value in vars(Methods).items() if name[0] != "_"}
    rows = {name: method for name, method in methods.items() if isinstance(method, Call)}
    assert list(rows) == [row.name for row in ROWS]
    for row in ROWS:
        method = getattr(Client, row.name)
        assert (method.__name__, method.__doc__) == (row.name, f"{row.method} {row.path}")
        _own, *given = inspect.signature(method).parameters.values()
        assert [one.name for one in given] == [field.name for field in parameters(row)]
        assert {one.kind for one in given} <= {inspect.Parameter.KEYWORD_ONLY}
    assert {name for name, method in methods.items() if isinstance(method, Each)} == {
        f"each_{row.name}" for row in ROWS if paged(row)
    }


def test_each_request_takes_keywords_only() -> None:
    """The order of its fields is no promise to callers."""
    by_place = {
        request_type(row).__name__
        for row in ROWS
        for one in inspect.signature(request_type(row)).parameters.values()
        if one.kind is not inspect.Parameter.KEYWORD_ONLY
    }
    assert by_place == set()


def paged(row: Row) -> bool:
    """Whether a row's list comes in pages: by number, or from an item on."""
    names = {field.encode_name for field in parameters(row)}
    return bool(names & set(PAGES)) or row.name in ("bills", "income")


def test_parameters_that_a_method_does_not_have(alice: Client) -> None:
    untyped: Any = alice
    with pytest.raises(TypeError, match="symbl"):
        untyped.depth(symbl="BTCUSDT")
    with pytest.raises(TypeError, match="symbol"):
        untyped.depth()
    with pytest.raises(TypeError, match="positional"):
        untyped.depth("BTCUSDT")


def needed(row: Row) -> list[str]:
    return [
        field.name
        for field in parameters(row)
        if field.default is NODEFAULT and field.default_factory is NODEFAULT
    ]


READING = [
    row
    for row in ROWS
    if (row.method == "GET" or row.access is Access.READ)
    and set(needed(row)) <= SAMPLES.keys()
    and "cancel_all_after" not in row.name
]
REFUSED: Final = (
    -4002,
    -1140,
    -1142,
    -1141,
    -1128,
    -1051,
    -1052,
    -1054,
    -1150,
    -1190,
    -2200,
    -3200,
)


@pytest.mark.parametrize("row", READING, ids=lambda row: row.name)
def test_every_reading_row_decodes(alice: Client, row: Row) -> None:
    values = {name: SAMPLES[name] for name in needed(row)}
    if row.name in ("keys",):
        values["owner"] = "alice"
    try:
        getattr(alice, row.name)(**values)
    except Refused as refused:
        if refused.code not in REFUSED:  # it asks for one of several, or for another key
            raise


def test_most_rows_read() -> None:
    assert len(READING) > 60


def test_an_order_and_its_end(alice: Client) -> None:
    placed = alice.place_order(**LIMIT, quantity=Decimal("0.0100"), price="50000")
    order = alice.order(order_id=placed.order_id)
    assert (order.price, order.orig_qty, order.status) == ("50000.00", "0.01000", "NEW")
    assert order.client_order_id.startswith("c-")
    assert placed.order_id in {row.order_id for row in alice.open_orders(symbol=SYMBOL)}
    assert alice.cancel_order(order_id=placed.order_id).status == "CANCELED"
    with pytest.raises(Refused, match="order not found") as refusal:
        alice.cancel_order(order_id=placed.order_id)
    assert (refusal.value.code, refusal.value.rule) == (-2200, "SPOT_ORDER_NOT_EXIST")


@pytest.mark.parametrize("kind", ["drop_after", "drop_before", "reset", "truncate", "status"])
def test_a_placement_without_an_answer_is_one_order(
    rules: Server, alice: Client, kind: str
) -> None:
    """The repetition finds the order of the first try; if that was lost, it is the first."""
    more: dict[str, Any] = {"status": 503} if kind == "status" else {}
    if kind in ("reset", "status"):
        more["side"] = "after"
    match = {"operation": "place_order", "owner": "alice"}
    add(rules, kind, match=match, when={"count": 1}, **more)
    before = {row.order_id for row in alice.open_orders(symbol=SYMBOL)}
    placed = alice.place_order(**LIMIT, quantity="0.01", price="50001")
    after = {row.order_id for row in alice.open_orders(symbol=SYMBOL)}
    assert after - before == {placed.order_id}
    alice.cancel_order(order_id=placed.order_id)


def test_a_filled_placement_is_found_again(rules: Server, alice: Client) -> None:
    match = {"operation": "place_order", "owner": "alice"}
    add(rules, "drop_after", match=match, when={"count": 1})
    before = Decimal(_free(alice, "BTC"))
    market = {"symbol": SYMBOL, "side": "SELL", "type": "MARKET"}
    alice.place_order(**market, quantity="0.001")
    assert before - Decimal(_free(alice, "BTC")) == Decimal("0.001")


def _free(client: Client, asset: str) -> str:
    (found,) = [row.free for row in client.account().balances if row.asset == asset]
    return found


def test_a_cancel_without_an_answer_is_told_not_repeated(rules: Server, alice: Client) -> None:
    placed = alice.place_order(**LIMIT, quantity="0.01", price="50002")
    match = {"operation": "cancel_order", "owner": "alice"}
    add(rules, "drop_after", match=match, when={"count": 1})
    with pytest.raises(Unreachable, match="cancel_order") as problem:
        alice.cancel_order(order_id=placed.order_id)
    assert problem.value.unknown
    assert alice.order(order_id=placed.order_id).status == "CANCELED"


def test_a_full_budget_is_waited_for(rules: Server, alice: Client) -> None:
    placed = alice.place_order(**LIMIT, quantity="0.01", price="50003")
    match = {"operation": "cancel_order", "owner": "alice"}
    add(rules, "status", match=match, when={"count": 1}, status=429, side="before")
    assert alice.cancel_order(order_id=placed.order_id).status == "CANCELED"
    add(rules, "status", match={"operation": "time"}, status=503)
    with pytest.raises(Refused) as refusal:
        alice.time()
    assert refusal.value.status == 503


def test_numbers_of_a_reply_are_exact(alice: Client) -> None:
    (listed,) = alice.contract_exchange_info(symbol=SYMBOL).symbols
    assert (listed.price_precision, listed.min_leverage) == (2, 1)
    assert (str(listed.maker_fee_rate), str(listed.min_order_size)) == ("0.0002", "0.0001")


def test_all_pages(alice: Client) -> None:
    for _ in range(12):
        placed = alice.place_order(**LIMIT, quantity="0.01", price="50004")
        alice.cancel_order(order_id=placed.order_id)
    orders = [row.order_id for row in alice.each_all_orders(symbol=SYMBOL, limit=5)]
    assert len(orders) == len(set(orders)) > 12
    for _ in range(6):
        alice.place_order(symbol=SYMBOL, side="BUY", type="MARKET", quantity="0.001")
    bills = [row.bill_id for row in alice.each_bills(limit=4)]
    assert len(bills) == len(set(bills)) > 12
    contract: dict[str, Any] = {
        "symbol": SYMBOL,
        "type": "MARKET",
        "position_side": "LONG",
    }
    for side in ("BUY", "SELL") * 3:
        alice.place_contract_order(**contract, side=side, quantity="0.001")
    items = [row.bill_id for row in alice.each_income(limit=2)]
    assert len(items) == len(set(items)) > 5


def test_calls_of_asyncio_run_side_by_side(server: Server) -> None:
    threads = threading.active_count()

    async def walk() -> None:
        async with AsyncClient(server.url, **keys("bob")) as bob:
            many = [bob.place_order(**LIMIT, quantity="0.01", price="50000") for _ in range(60)]
            placed = await asyncio.gather(*many)
            assert len({ack.order_id for ack in placed}) == 60
            assert threading.active_count() == threads  # no call takes a thread
            found = [row.order_id async for row in bob.each_all_orders(symbol=SYMBOL, limit=6)]
            assert {ack.order_id for ack in placed} <= set(found)
            await bob.cancel_open_orders(symbol=SYMBOL)
            assert await bob.open_orders(symbol=SYMBOL) == []
            with pytest.raises(Refused, match="amount not enough"):
                await bob.place_order(**LIMIT, quantity="90", price="50000")

    asyncio.run(walk())


def test_a_cancelled_call_leaves_no_answer_behind(server: Server) -> None:
    """However far it came: the next call gets its own answer."""

    async def walk() -> None:
        async with AsyncClient(server.url, **keys("bob")) as bob:
            for turns in range(12):
                listing = asyncio.create_task(bob.open_orders(symbol=SYMBOL))
                for _ in range(turns):
                    await asyncio.sleep(0)
                listing.cancel()
                assert (await bob.time()).server_time > 0
                await asyncio.wait([listing])

    asyncio.run(walk())


def test_threads_share_a_client(server: Server) -> None:
    found: list[int] = []
    client = Client(server.url, **keys("alice"))

    def place() -> None:
        for _ in range(5):
            found.append(client.place_order(**LIMIT, quantity="0.01", price="50005").order_id)

    with client:
        threads = [threading.Thread(target=place) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == len(set(found)) == 20
        client.cancel_open_orders(symbol=SYMBOL)


def test_an_operator_acts_for_an_owner(server: Server, client_kind: type[Client]) -> None:
    with client_kind(server.url, act_as="alice") as client:
        assert client.account().uid == server.account("alice")["uid"]
        fault = client.add_fault(effect=Effect("delay", ms=1))
        assert client.remove_fault(id=fault.id).id == fault.id


FLOAT: Any = 0.01
BAD: list[tuple[Callable[[Client], Any], type[Exception], str]] = [
    (lambda c: c.place_order(**LIMIT, quantity=FLOAT, price="5"), Refused, "quantity.*float"),
    (lambda c: c.place_order(**LIMIT, quantity=Decimal("Infinity")), Refused, "finite"),
    (lambda c: c.depth(symbol="BTCUSDX"), Refused, "symbol"),
    (lambda c: c.place_order(**LIMIT, quantity="-1", price="5"), Refused, "quantity"),
    (lambda c: c.depth(symbol="\ud800"), Refused, "symbol.*text"),
    (lambda c: c.order(orig_client_order_id="\ud800"), Refused, "origClientOrderId.*text"),
]


@pytest.mark.parametrize(("call", "kind", "words"), BAD)
def test_what_is_refused(
    alice: Client, call: Callable[[Client], Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call(alice)


def test_clients_that_cannot_ask(server: Server, client_kind: type[Client]) -> None:
    wrongs: list[dict[str, Any]] = [
        {"url": "ftp://x"},
        {"url": "127.0.0.1:8787"},
        {"url": "http://127.0.0.1:99999"},
        {"url": "http://127.0.0.1:x"},
        {"url": "http://[::1"},
        {"url": 5},
        {"url": "http://127.0.0.1:8787/a b"},
        {"retries": -1},
        {"retries": "2"},
        {"retries": 1.5},
        {"timeout_s": "5"},
        {"timeout_s": float("nan")},
        {"timeout_s": None},
        {"act_as": "ali\nce"},
        {"key": "demo\r\nX-Venue-Act-As: bob", "secret": "s", "passphrase": "p"},
        {"key": 5},
    ]
    for options in wrongs:
        with pytest.raises(Misused):
            client_kind(**options)
    with client_kind(server.url) as nobody, pytest.raises(Misused, match="give key"):
        nobody.account()
    wrong = {**keys("alice"), "secret": "wrong"}
    with client_kind(server.url, **wrong) as stranger, pytest.raises(Refused) as refusal:
        stranger.account()
    assert refusal.value.rule == "API_AUTH_ERROR"
    with client_kind(server.url) as closed:
        closed.close()
        with pytest.raises(Misused, match="closed"):
            closed.time()


def test_streams_that_cannot_begin(server: Server) -> None:
    async def story() -> None:
        client = AsyncClient(server.url)
        wrongs: list[dict[str, Any]] = [
            {"quiet_s": 0},
            {"quiet_s": "5"},
            {"quiet_s": float("nan")},
            {"patience_s": -1},
        ]
        for options in wrongs:
            with pytest.raises(Misused, match="number of seconds"):
                client.listen("BTCUSDT@trade", **options)
        client.close()
        with pytest.raises(Misused, match="closed"):
            async with client.listen("BTCUSDT@trade"):
                pass

    asyncio.run(story())


def test_nobody_answers(client_kind: type[Client]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with client_kind(url, retries=1) as client, pytest.raises(Unreachable) as problem:
            client.time()
        assert not problem.value.unknown
        with client_kind(url, **keys("alice")) as alice, pytest.raises(Unreachable) as problem:
            alice.cancel_order(order_id=5)
        assert not problem.value.unknown  # no connection, so nothing was sent
