"""One owner floods a venue beside another: the flood is refused, and nobody else notices."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from support.client import Answer, Client
from support.server import Server
from venue.cli.verify import verify
from venue.core.messages.commands import CancelOrder, PlaceOrder
from venue.journal.opening import open_journal

CONNECTIONS = 30
CAPACITY = 100  # commands a second
REFUSALS = 300
KNOWN = 20  # client ids of ended orders that are remembered of an owner, instead of 100,000
ORDERS_MAX = 2_000  # of one connection
# Waiting commands: of one owner, of all, and beyond these for owners for whom nothing waits.
ROOM = {"OWN_MAX": 200, "NEW_MAX": 300, "PENDING_MAX": 400, "RESERVE": 100}
PERPETUAL = "BTCSUSDT"

Named = Callable[[Client, str], str]  # does something with the order of a client id


class Flood:
    """Alice's orders over many connections, one after another, whatever she is told."""

    def __init__(self, server: Server) -> None:
        self.accepted: list[str] = []
        self.refused: list[Answer] = []
        self.refused_ids: list[str] = []
        self.done = threading.Event()  # enough were refused
        self._server = server

    def goes_on(self, running: list[Future[None]]) -> bool:
        """Whether more refusals are needed and connections that may still meet them are left."""
        return len(self.refused) < REFUSALS and not all(one.done() for one in running)

    def run(self, number: int) -> None:
        """One connection, until it is told to stop."""
        client = Client(self._server.port, self._server.account("alice"))
        for count in range(ORDERS_MAX):
            if self.done.is_set():
                break
            name = f"flood-{number}-{count}"
            answer = place(client, name)
            if answer.status == 200:
                self.accepted.append(name)
                cancelled = client.delete(f"/api/v3/order?origClientOrderId={name}")
                assert cancelled.status == 200, cancelled
            else:
                self.refused.append(answer)
                self.refused_ids.append(name)
        client.close()


def place(client: Client, name: str) -> Answer:
    body = {
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "0.001", "price": "60000", "newClientOrderId": name,
    }  # fmt: skip
    return client.post("/api/v3/order", body)


def test_an_owners_many_client_ids_push_out_its_own_alone(tmp_path: Path) -> None:
    """Enemy: an owner whose orders end by the thousand, so that others' ids were forgotten."""
    program = ("support.tuned", f"core.book.client_ids.CLIENT_IDS_PER_OWNER_MAX={KNOWN}")
    with Server("--no-agents", folder=tmp_path, program=program) as server:
        push_out(server, ended, ended)


def test_an_owners_many_conditional_orders_push_out_its_own_alone(tmp_path: Path) -> None:
    """Enemy: the same with conditional orders, so that another's repetition was placed again."""
    program = ("support.tuned", f"core.contract.ended.CLIENT_IDS_PER_OWNER_MAX={KNOWN}")
    with Server("--no-agents", folder=tmp_path, program=program) as server:
        index = {"symbol": PERPETUAL, "source": "agents", "price": "64000"}
        assert server.client().post("/_venue/index", index).status == 200
        push_out(server, waited, conditional)


def push_out(server: Server, end: Named, repeat: Named) -> None:
    """Orders of alice's end, one more than are known of her: her first is new again, bob's is not.
    Both functions give an order's id."""
    alice, bob = server.client("alice"), server.client("bob")
    first = end(bob, "bob-0")
    flood = [end(alice, f"flood-{number}") for number in range(KNOWN + 1)]
    assert repeat(bob, "bob-0") == first
    assert repeat(alice, "flood-1") == flood[1]
    assert repeat(alice, "flood-0") not in flood


def waited(client: Client, name: str) -> str:
    """A conditional order that was cancelled; its id."""
    number = conditional(client, name)
    answer = client.delete(f"/capi/v3/algoOrder?orderId={number}")
    assert answer.status == 200, answer
    return number


def conditional(client: Client, name: str) -> str:
    """A conditional order that waits, or the one that had this client id; its id."""
    body = {
        "symbol": PERPETUAL, "side": "BUY", "positionSide": "LONG", "type": "STOP_MARKET",
        "quantity": "0.001", "triggerPrice": "66000", "clientAlgoId": name,
    }  # fmt: skip
    answer = client.post("/capi/v3/algoOrder", body)
    assert answer.status == 200, answer
    return str(answer.json["orderId"])


def ended(client: Client, name: str) -> str:
    """An order that finds nothing to take, or the one that had this client id; its order id."""
    body = {
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "IOC",
        "quantity": "0.001", "price": "50000", "newClientOrderId": name,
    }  # fmt: skip
    answer = client.post("/api/v3/order", body)
    assert answer.status == 200, answer
    return str(answer.json["orderId"])


def test_a_flood_is_refused_and_nobody_else_is(tmp_path: Path) -> None:
    options = ("--state", "venue.db", "--no-agents", "--no-limits", "--capacity", str(CAPACITY))
    with Server(*options, folder=tmp_path) as server, ThreadPoolExecutor(CONNECTIONS) as pool:
        flood = Flood(server)
        bob = server.client("bob")
        assert place(server.client("alice"), "before").status == 200  # her passphrase is known
        running = [pool.submit(flood.run, number) for number in range(CONNECTIONS)]
        healthy: list[str] = []
        try:
            while flood.goes_on(running):
                name = f"bob-{len(healthy)}"
                assert place(bob, name).status == 200
                healthy.append(name)
                assert bob.delete(f"/api/v3/order?origClientOrderId={name}").status == 200
                anyone = server.client()
                assert anyone.get("/_venue/health").status == 200
                anyone.close()
        finally:
            flood.done.set()
        for one in running:
            one.result()  # her cancels were never refused
        assert place(server.client("alice"), "after").status == 200
        assert server.stop() == 0

    assert len(flood.refused) >= REFUSALS
    for answer in flood.refused:
        assert answer.status == 503
        assert answer.headers["retry-after"] == "1"
        assert json.loads(answer.body) == {
            "code": -1008, "message": "too many commands are waiting; nothing was done",
        }  # fmt: skip
    placed, cancelled = journaled(tmp_path / "venue.db")
    accepted = ["before", *flood.accepted, *healthy, "after"]
    assert placed == Counter(accepted)
    assert cancelled == Counter(accepted[1:-1])
    assert not placed.keys() & set(flood.refused_ids)
    assert verify(str(tmp_path / "venue.db")).problems == []


def test_an_owners_batches_of_cancels_take_nobody_elses_room(tmp_path: Path) -> None:
    """Enemy: an owner whose cancels, fifty in a request, had those of all others refused."""
    tuned = [f"node.sequencer.{name}={number}" for name, number in ROOM.items()]
    options = ("--no-agents", "--no-limits", "--capacity", str(10 * CAPACITY))
    program = ("support.tuned", *tuned)
    refused: list[Answer] = []
    done = threading.Event()
    with (
        Server(*options, folder=tmp_path, program=program) as server,
        ThreadPoolExecutor(CONNECTIONS) as pool,
    ):

        def cancel(number: int) -> None:
            client = server.client("alice")
            for count in range(ORDERS_MAX):
                if done.is_set():
                    break
                names = [f"{number}-{count}-{place}" for place in range(50)]
                answer = client.delete("/api/v3/order/batch", {"origClientOrderIds": names})
                if answer.status != 200:
                    refused.append(answer)
            client.close()

        bob = server.client("bob")
        assert place(server.client("alice"), "before").status == 200  # her passphrase is known
        running = [pool.submit(cancel, number) for number in range(CONNECTIONS)]
        count = 0
        try:
            while count < 20 or (len(refused) < 20 and not all(one.done() for one in running)):
                count += 1
                assert place(bob, f"bob-{count}").status == 200
                assert bob.delete(f"/api/v3/order?origClientOrderId=bob-{count}").status == 200
        finally:
            done.set()
        for one in running:
            one.result()
        assert server.stop() == 0
    assert len(refused) >= 20
    for answer in refused:
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")


def journaled(path: Path) -> tuple[Counter[str], Counter[str]]:
    """How often each client id was placed and cancelled."""
    journal = open_journal(str(path))
    commands = [command for _, piece in journal.read(0) for command in piece]
    journal.close()
    placed = Counter(one.client_id for one in commands if isinstance(one, PlaceOrder))
    cancelled = Counter(one.client_id for one in commands if isinstance(one, CancelOrder))
    return placed, cancelled


def test_a_repetition_of_what_was_done_gets_its_answer_while_new_orders_are_refused(
    tmp_path: Path,
) -> None:
    options = ("--no-agents", "--no-limits", "--capacity", str(CAPACITY))
    with Server(*options, folder=tmp_path) as server, ThreadPoolExecutor(CONNECTIONS) as pool:
        flood = Flood(server)
        alice = server.client("alice")
        body = json.dumps(
            {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "1", "price": "60000"}
        ).encode()
        headers = alice.headers("POST", "/api/v3/order", body)
        first = alice.post("/api/v3/order", body, headers=headers)
        assert first.status == 200
        running = [pool.submit(flood.run, number) for number in range(CONNECTIONS)]
        try:
            while flood.goes_on(running):
                again = alice.post("/api/v3/order", body, headers=headers)
                assert (again.status, again.body) == (200, first.body)
        finally:
            flood.done.set()
        for one in running:
            one.result()
        assert len(flood.refused) >= REFUSALS
