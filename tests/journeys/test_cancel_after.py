"""Cancel-all-after over REST, with a clock that is set ahead: due, set again, off, restarts."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from support.client import Answer, Client
from support.clocked import Movable
from support.refusals.cases import order, stamped
from support.server import Server
from venue.core.countdowns import CHUNK
from venue.core.messages.commands import Command, CreateOwner, Deposit, PlaceOrder, SetCancelAfter
from venue.core.messages.events import Rejected
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.node.passing_time import tick
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import BUY, GTC, LIMIT, OPEN_ORDERS_PER_SYMBOL_MAX, Wallet

PATIENCE_S: Final = 30
HOUR: Final = 3_600
SPOT, CONTRACT = "/api/v3", "/capi/v3"
PERPETUAL: Final = {"symbol": "BTCSUSDT", "positionSide": "LONG", "timeInForce": "GTC"}
INDEX: Final = {"symbol": "BTCSUSDT", "source": "agents", "price": "64000", "jump": True}
STOP: Final = {"type": "STOP", "triggerPrice": "66000", "clientAlgoId": "waits"}


class Caller:
    """An owner whose requests are signed with the venue's time, which is not the machine's."""

    def __init__(self, server: Server, name: str) -> None:
        self._account = server.account(name)
        self._client = server.client()

    def call(self, method: str, target: str, body: Any = None) -> Answer:
        now = self._client.get(f"{SPOT}/time").json["serverTime"]
        raw = b"" if body is None else json.dumps(body).encode()
        headers = stamped(str(now))(self._account, method, target, raw)
        named: dict[str, str | None] = {name: str(value) for name, value in headers.items()}
        return self._client.call(method, target, raw, named)

    def done(self, method: str, target: str, body: Any = None) -> Any:
        """A request that must be accepted; its answer."""
        answer = self.call(method, target, body)
        assert answer.status == 200, answer
        return answer.json

    def count_down(self, product: str, timeout: Any) -> dict[str, int]:
        reply: dict[str, int] = self.done("POST", f"{product}/cancelAllAfter", {"timeout": timeout})
        assert list(reply) == ["timeout", "triggerTime", "serverTime"]
        assert {type(value) for value in reply.values()} == {int}
        return reply

    def cleared(self) -> Caller:
        """Without orders and countdowns."""
        for product in (SPOT, CONTRACT):
            self.count_down(product, 0)
        for symbol in ("BTCUSDT", "ETHUSDT"):
            self.done("DELETE", f"{SPOT}/openOrders?symbol={symbol}")
        for path in ("allOpenOrders", "algoOpenOrders"):
            self.done("DELETE", f"{CONTRACT}/{path}")
        return self

    def place(self, product: str, path: str = "order", **changes: Any) -> int:
        """An order that rests, or a conditional one that waits; its id."""
        plain = PERPETUAL if product == CONTRACT else {}
        if plain:  # an hour may have passed: an old index is one to open nothing at
            assert self._client.post("/_venue/index", INDEX).status == 200
        reply = self.done("POST", f"{product}/{path}", order(**{**plain, **changes}))
        return int(reply["orderId"])

    def open(self, product: str) -> list[int]:
        # Demo contracts are shown by name only.
        query = "?symbol=BTCSUSDT" if product == CONTRACT else ""
        return [view["orderId"] for view in self.done("GET", f"{product}/openOrders{query}")]

    def wait_until_none(self, product: str) -> None:
        """Time passes once a second."""
        end = time.monotonic() + PATIENCE_S
        while self.open(product):
            assert time.monotonic() < end, "the orders stay"

    def status(self, product: str, order_id: int) -> str:
        return str(self.done("GET", f"{product}/order?orderId={order_id}")["status"])


def venue_at(folder: Path, *arguments: str) -> Server:
    """A venue without agents whose clock SIGUSR2 sets an hour ahead."""
    return Server("--no-agents", *arguments, folder=folder, program=("support.clocked",))


def an_hour_later(server: Server) -> None:
    before = venue_time(server.client())
    server.process.send_signal(signal.SIGUSR2)
    end = time.monotonic() + PATIENCE_S
    while venue_time(server.client()) < before + HOUR * 1000:
        assert time.monotonic() < end, "the clock stands still"


def venue_time(client: Client) -> int:
    return int(client.get(f"{SPOT}/time").json["serverTime"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with venue_at(tmp_path_factory.mktemp("countdown")) as server:
        assert server.client().post("/_venue/index", INDEX).status == 200
        yield server


@pytest.fixture
def alice(server: Server) -> Caller:
    return Caller(server, "alice").cleared()


@pytest.fixture
def bob(server: Server) -> Caller:
    return Caller(server, "bob").cleared()


@pytest.mark.parametrize("product", [SPOT, CONTRACT])
def test_the_reply_tells_when(alice: Caller, product: str) -> None:
    for timeout, seconds in ((60, 60), ("5", 5), ("0086400", 86_400)):
        reply = alice.count_down(product, timeout)
        assert reply["timeout"] == seconds
        assert reply["triggerTime"] == reply["serverTime"] + seconds * 1000
    for _ in range(2):
        off = alice.count_down(product, 0)
        assert (off["timeout"], off["triggerTime"]) == (0, 0)
        assert off["serverTime"] >= reply["serverTime"]


def test_an_owner_who_stays_away(server: Server, alice: Caller, bob: Caller) -> None:
    """Spot first, then contracts; conditional orders and others' orders stay."""
    spot = [alice.place(SPOT, price="60000"), alice.place(SPOT, symbol="ETHUSDT", price="3000")]
    others = bob.place(SPOT, price="59000")
    contract = alice.place(CONTRACT, price="60000")
    waiting = alice.place(CONTRACT, "algoOrder", **STOP, price="66000")
    alice.count_down(SPOT, HOUR)
    alice.count_down(CONTRACT, 2 * HOUR)
    an_hour_later(server)
    alice.wait_until_none(SPOT)
    assert [alice.status(SPOT, number) for number in spot] == ["CANCELED"] * 2
    assert bob.open(SPOT) == [others]
    assert alice.open(CONTRACT) == [contract]
    again = alice.place(SPOT, price="60000")  # the countdown ended with what it did
    an_hour_later(server)
    alice.wait_until_none(CONTRACT)
    assert alice.status(CONTRACT, contract) == "CANCELED"
    assert alice.open(SPOT) == [again]
    algos = alice.done("GET", f"{CONTRACT}/openAlgoOrders?symbol=BTCSUSDT")
    assert [view["algoId"] for view in algos] == [waiting]


def test_who_sets_it_anew_keeps_the_orders(server: Server, alice: Caller, bob: Caller) -> None:
    kept, switched, ended = (
        alice.place(SPOT, price="60000"),
        alice.place(CONTRACT, price="60000"),
        bob.place(SPOT, price="60000"),
    )
    alice.count_down(SPOT, HOUR)
    alice.count_down(CONTRACT, HOUR)
    bob.count_down(SPOT, HOUR)
    alice.count_down(SPOT, 3 * HOUR)
    alice.count_down(CONTRACT, 0)
    an_hour_later(server)
    bob.wait_until_none(SPOT)
    assert bob.status(SPOT, ended) == "CANCELED"
    assert alice.open(SPOT) == [kept]
    assert alice.open(CONTRACT) == [switched]


def test_a_frozen_owners_orders_end_at_once(server: Server, bob: Caller) -> None:
    operator = server.client()
    number = bob.place(SPOT, price="60000")
    assert operator.post("/_venue/owners/freeze", {"owner": "bob", "frozen": True}).status == 200
    assert bob.call("POST", f"{SPOT}/order", order(price="59000")).json["code"] == -1057
    assert bob.open(SPOT) == []
    assert bob.status(SPOT, number) == "CANCELED"
    bob.count_down(SPOT, HOUR)
    assert operator.post("/_venue/owners/freeze", {"owner": "bob", "frozen": False}).status == 200


@pytest.mark.parametrize("killed", [True, False], ids=["kill", "stop"])
def test_a_restart_between_set_and_due(tmp_path: Path, killed: bool) -> None:
    state = ("--state", str(tmp_path / "venue.db"))
    with venue_at(tmp_path, *state) as server:
        alice, bob = Caller(server, "alice"), Caller(server, "bob")
        number, others = alice.place(SPOT, price="60000"), bob.place(SPOT, price="60000")
        alice.count_down(SPOT, HOUR)
        bob.count_down(SPOT, HOUR)
        if killed:
            server.kill()
        else:
            assert server.stop() == 0
    with venue_at(tmp_path, *state) as server:
        alice, bob = Caller(server, "alice"), Caller(server, "bob")
        assert alice.open(SPOT) == [number]
        bob.count_down(SPOT, 0)
        an_hour_later(server)
        alice.wait_until_none(SPOT)
        assert alice.status(SPOT, number) == "CANCELED"
        assert bob.open(SPOT) == [others]
        assert server.stop() == 0


# -- many at once ---------------------------------------------------------------------------------


def test_many_that_are_due_together_are_worked_off_at_once() -> None:
    asyncio.run(_crowd())


async def _crowd() -> None:
    """Cancels that one command may not finish go on in the same second."""
    owners = 3 * CHUNK // OPEN_ORDERS_PER_SYMBOL_MAX
    source = Movable()
    options = Options(agents=False, history=False)
    async with open_venue(options, SystemClock(source), _fail) as door:
        node = door.node
        await _done(node, [CreateOwner(f"owner {number}") for number in range(owners)])
        uids = [node.engine.ledger.names[f"owner {number}"] for number in range(owners)]
        for uid in uids:
            orders: list[Command] = [
                PlaceOrder(uid, "BTCUSDT", BUY, LIMIT, GTC, 10, 1 + place)
                for place in range(OPEN_ORDERS_PER_SYMBOL_MAX)
            ]
            money = Deposit(uid, int(Wallet.SPOT), "USDT", 10**12)
            await _done(node, [money, *orders, SetCancelAfter(uid, 0, 5_000_000)])
        await tick(node.sequencer)
        assert _open(node, uids) == owners * OPEN_ORDERS_PER_SYMBOL_MAX
        source.let_pass(5_000_000)
        before = node.engine.sequence
        await tick(node.sequencer)
        while node.engine.pending():
            await asyncio.sleep(0)
        assert _open(node, uids) == 0
        assert node.engine.sequence - before == 3
        assert not node.engine.pending()


def test_one_that_came_due_while_the_venue_was_down(tmp_path: Path) -> None:
    asyncio.run(_down(str(tmp_path / "venue.db")))


async def _down(path: str) -> None:
    """It acts before anybody can trade, once."""
    source = Movable()
    options = Options(agents=False, state=path)
    order = PlaceOrder(0, "BTCUSDT", BUY, LIMIT, GTC, 10, 1)
    async with open_venue(options, SystemClock(source), _fail) as door:
        node = door.node
        alice = order.uid = node.engine.ledger.names["alice"]
        await _done(node, [order, SetCancelAfter(alice, 0, 5_000_000)])
    source.let_pass(60_000_000)
    for number in range(2):
        async with open_venue(options, SystemClock(source), _fail) as door:
            node = door.node
            assert _open(node, [alice]) == number
            await tick(node.sequencer)
            assert _open(node, [alice]) == number
            if not number:
                await _done(node, [msgspec.structs.replace(order, time=0)])


async def _done(node: Node, commands: list[Command]) -> None:
    for applied in await node.submit(commands):
        assert not any(isinstance(event, Rejected) for event in applied.events), applied


def _open(node: Node, uids: list[int]) -> int:
    return sum(len(node.engine.spot_account(uid).orders) for uid in uids)


def _fail(problem: BaseException) -> None:
    raise AssertionError(problem)
