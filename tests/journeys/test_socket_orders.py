"""Orders over the private socket against a real server: as over REST, and in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from support.listening import Listener, Message, login
from support.listening_room import KEYS, ListeningRoom
from support.server import Server, flawless
from support.socket_desk import (
    CONTRACT,
    PRODUCTS,
    SPOT,
    Product,
    at_once,
    cancel_all,
    open_ids,
    place,
    placed,
    price_contracts,
)
from support.waits import WAIT_S
from venue.gateway.streams.limits import SessionLimits, SocketLimits

MANY = 200
WEIGHTY = 300  # messages of one connection, within what may be sent in a second
CONNECTIONS = 18  # so many use up an account's weight of ten seconds
TRIES_MAX = 5  # a window of weights ends every ten seconds
PUBLIC = ("/spot/v3/ws/public", "/contract/v3/ws/public")
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("socket-orders")
    options = ("--no-agents", "--no-limits", "--clock", "manual", "--state", str(folder / "state"))
    with flawless(*options, folder=folder) as found:
        price_contracts(found.client())
        yield found


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    cancel_all(server.client("alice"))


def entered(server: Server, product: Product, account: Any = "alice") -> Listener:
    """A private socket of an account."""
    found = server.account(account) if isinstance(account, str) else account
    return Listener(server.port, product.socket, login(found))


# -- as over REST ---------------------------------------------------------------------------------


@BY_NAME
def test_orders_are_those_of_rest(server: Server, product: Product) -> None:
    alice = server.client("alice")
    by_rest = alice.post(product.order, {**product.plain, "newClientOrderId": "by-rest"}).json
    with entered(server, product) as desk:
        desk.subscribe("orders")
        sent = place(product, "first", newClientOrderId="by-socket")
        answer = desk.ask(sent)
        assert list(answer) == ["id", "status", "result"]
        assert (answer["id"], answer["status"]) == ("first", 200)
        result = answer["result"]
        assert list(result) == list(by_rest)
        assert result["clientOrderId"] == "by-socket"
        numbers = [int(by_rest["orderId"]), int(result["orderId"])]
        assert type(result["orderId"]) is type(by_rest["orderId"])
        (frame,) = desk.settle()
        assert [(item["id"], item["status"]) for item in frame["d"]] == [(str(numbers[1]), "NEW")]
        own = alice.get(product.open).json
        assert sorted(order["orderId"] for order in own) == numbers
        one, other = (_but_its_own(order) for order in own)
        assert one == other
        # Cancelled by id over one door, by client id over the other.
        for number, params in ((0, {"orderId": numbers[0]}), (1, {"orderId": str(numbers[1])})):
            told = desk.ask({"method": "ORDER.CANCEL", "id": number, "params": params})
            assert (told["id"], told["status"]) == (number, 200)
            assert str(told["result"]["orderId"]) == str(numbers[number])
        (frame, last) = desk.settle()
        assert [frame["d"][0]["status"], last["d"][0]["status"]] == ["CANCELED", "CANCELED"]
    assert open_ids(alice, product) == []


def _but_its_own(order: Message) -> Message:
    own = ("orderId", "clientOrderId", "time", "updateTime")
    return {name: value for name, value in order.items() if name not in own}


@BY_NAME
def test_cancels_are_answered_as_over_rest(server: Server, product: Product) -> None:
    alice = server.client("alice")
    query = f"symbol={product.plain['symbol']}"
    with entered(server, product) as desk:
        for name in ("one", "two"):
            placed(desk, product, newClientOrderId=name)
        one = alice.delete(f"{product.order}?origClientOrderId=one").json
        cancel = {"method": "ORDER.CANCEL", "params": {"origClientOrderId": "two"}}
        two = desk.ask(cancel)["result"]
        assert (one.pop("origClientOrderId"), two.pop("origClientOrderId")) == ("one", "two")
        assert _without_id(one) == _without_id(two)
        answers = []
        for by_rest in (True, False):
            ids = [placed(desk, product), placed(desk, product)]
            if by_rest:
                told = alice.delete(f"{product.all}?{query}").json
            else:
                params = {"symbol": product.plain["symbol"]}
                told = desk.ask({"method": "ORDER.CANCEL_ALL", "params": params})["result"]
            assert [item["orderId"] for item in told] == ids
            answers.append([_without_id(item) for item in told])
        assert answers[0] == answers[1]
    assert open_ids(alice, product) == []


def _without_id(answer: Message) -> Message:
    return {name: value for name, value in answer.items() if name != "orderId"}


@BY_NAME
def test_a_freeze_ends_orders_as_an_operators_act(server: Server, product: Product) -> None:
    """Rule 2.7: the owner is told which orders ended, and by whom."""
    operator = server.client()
    with entered(server, product, "bob") as desk:
        desk.subscribe("orders")
        ended = placed(desk, product)
        desk.settle()
        freeze = {"owner": "bob", "frozen": True}
        assert operator.post("/_venue/owners/freeze", freeze).status == 200
        (frame,) = desk.settle()
        (item,) = frame["d"]
        told = (item["id"], item["status"], item["cancelReason"])
        assert told == (str(ended), "CANCELED", "ADMIN_CANCELED")
        answer = desk.ask(place(product))
        assert (answer["status"], answer["error"]["code"]) == (400, -1057)
        assert operator.post("/_venue/owners/freeze", freeze | {"frozen": False}).status == 200
        assert desk.ask(place(product))["status"] == 200
    cancel_all(server.client("bob"), [product])


@BY_NAME
def test_cancel_all_after(server: Server, product: Product) -> None:
    with entered(server, product) as desk:
        for timeout in (60, 0):
            message = {"method": "ORDER.CANCEL_AFTER", "id": 1, "params": {"timeout": timeout}}
            answer = desk.ask(message)
            assert (answer["status"], answer["result"]["timeout"]) == (200, timeout)
            assert bool(answer["result"]["triggerTime"]) is bool(timeout)


@BY_NAME
def test_the_client_id_makes_an_order_safe_to_repeat(server: Server, product: Product) -> None:
    with entered(server, product) as desk, entered(server, product) as other:
        first = placed(desk, product, newClientOrderId="once")
        assert placed(other, product, newClientOrderId="once") == first
        repeated = server.client("alice").post(
            product.order, {**product.plain, "newClientOrderId": "once"}
        )
        assert int(repeated.json["orderId"]) == first
    assert open_ids(server.client("alice"), product) == [first]


def test_unknown_parameters_are_named(server: Server) -> None:
    with entered(server, SPOT) as desk:
        answer = desk.ask(place(SPOT, recvWindow=5000, é="x"))
        assert answer["status"] == 200
        assert answer["ignored"] == ["recvWindow", "\\xe9"]


def test_a_refused_order_of_v2_names_the_fields_of_v3(server: Server) -> None:
    with entered(server, SPOT) as desk:
        told = desk.ask(place(SPOT, side="buy", force="fok", clientOrderId="v2"))["error"]["msg"]
        assert told.endswith(
            " V2 was shut down on 2026-09-30; in V3 'force' fok is 'timeInForce' FOK, "
            "'clientOrderId' is 'newClientOrderId'."
        )


@pytest.mark.parametrize("identity", [1, 0, -7, 10**19, "1", "", "a-b", "🙂"])
@pytest.mark.parametrize("price", ["60000.00", "none"])
def test_ids_come_back_as_they_were(server: Server, identity: Any, price: str) -> None:
    with entered(server, SPOT) as desk:
        answer = desk.ask(place(SPOT, identity, price=price))
        assert answer["status"] == (400 if price == "none" else 200)
        assert answer["id"] == identity
        assert type(answer["id"]) is type(identity)


def test_no_id_is_no_id(server: Server) -> None:
    message = place(SPOT)
    del message["id"]
    with entered(server, SPOT) as desk:
        assert list(desk.ask(message)) == ["status", "result"]
        assert list(desk.ask({"method": "ORDER.CANCEL"})) == ["status", "error"]


@pytest.mark.parametrize(
    ("socket", "takes"),
    [("spot", True), ("contract", True), ("spot_public", False), ("contract_public", False)],
)
def test_the_document_has_the_methods(server: Server, socket: str, takes: bool) -> None:
    document = server.client().get("/asyncapi.json").json
    product, _, kind = socket.partition("_")
    channel = document["channels"][f"{product}_v3_ws_{kind or 'private'}"]
    messages = [document["components"]["messages"][name] for name in channel["messages"]]
    methods = {
        message["payload"]["properties"]["method"].get("const")
        for message in messages
        if "method" in message["payload"].get("properties", {})
    }
    own = {f"ORDER.{name}" for name in ("PLACE", "CANCEL", "CANCEL_ALL", "CANCEL_AFTER")}
    own |= {"SESSION.CANCEL_ON_DISCONNECT", "CLOCK.HOLD"}
    assert methods - {None} == (own if takes else set())


# -- in order -------------------------------------------------------------------------------------


@BY_NAME
def test_many_orders_keep_their_order(server: Server, product: Product) -> None:
    """Place and cancel by client id, in one piece: each cancel finds its order before it."""
    with entered(server, product) as desk:
        messages = []
        for number in range(0, MANY, 2):
            name = f"{product.name}-{number}"
            messages.append(place(product, number, newClientOrderId=name))
            params = {"origClientOrderId": name}
            messages.append({"method": "ORDER.CANCEL", "id": number + 1, "params": params})
        answers = at_once(desk, messages)
        assert {answer["status"] for answer in answers} == {200}
        by_id = {answer["id"]: answer["result"] for answer in answers}
        assert sorted(by_id) == list(range(MANY))
        numbers = [int(by_id[number]["orderId"]) for number in range(0, MANY, 2)]
        assert numbers == sorted(numbers)
        orders = at_once(desk, [place(product, number) for number in range(MANY)])
        numbers = [int(answer["result"]["orderId"]) for answer in sorted(orders, key=_id)]
        assert numbers == sorted(numbers)
        message = {"method": "ORDER.CANCEL_ALL", "params": {"symbol": product.plain["symbol"]}}
        assert [item["orderId"] for item in desk.ask(message)["result"]] == numbers


def _id(answer: Message) -> int:
    return int(answer["id"])


def test_what_is_in_flight_is_bounded() -> None:
    limits = SocketLimits(session=SessionLimits(in_flight=3, messages=None, faults=0))
    with (
        ListeningRoom(limits) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        answers = at_once(desk, [place(SPOT, number) for number in range(10)])
        served = [answer["id"] for answer in answers if answer["status"] == 200]
        assert served == [0, 1, 2]
        error = {
            "code": -1003,
            "msg": "Too many requests: 3 of this connection are in flight; wait for an answer.",
        }
        refused = [answer for answer in answers if answer["status"] != 200]
        assert refused == [
            {"id": number, "status": 429, "error": error, "retryAfter": 1}
            for number in range(3, 10)
        ]
        assert placed(desk, SPOT)  # there is room again, and no refusal was a fault


# -- who may --------------------------------------------------------------------------------------


def key_of(server: Server, *permissions: str) -> Message:
    """A new key of alice's."""
    made = server.client().post("/_venue/keys", {"owner": "alice", "permissions": permissions})
    assert made.status == 200, made
    return dict(made.json)


@BY_NAME
def test_a_key_that_only_reads(server: Server, product: Product) -> None:
    account = key_of(server, "READ")
    refused = server.client(account).post(product.order, product.plain)
    with entered(server, product, account) as desk:
        answer = desk.ask(place(product))
        assert (answer["status"], answer["error"]) == (refused.status, refused.json)
        assert refused.json["code"] == -1052
        message = {"method": "SESSION.CANCEL_ON_DISCONNECT", "params": {"enabled": True}}
        words = f"INVALID_ARGUMENT: not permitted : {refused.json['msg']}"
        assert desk.ask(message) == {"result": False, "msg": words}
    assert open_ids(server.client("alice"), product) == []


def test_a_key_of_the_other_product(server: Server) -> None:
    account = key_of(server, "READ", "CONTRACT_TRADE")
    with entered(server, SPOT, account) as spot, entered(server, CONTRACT, account) as contract:
        assert spot.ask(place(SPOT))["error"]["code"] == -1052
        assert placed(contract, CONTRACT)


@BY_NAME
def test_a_revoked_key_does_not_trade(server: Server, product: Product) -> None:
    account = key_of(server, "READ", "SPOT_TRADE", "CONTRACT_TRADE")
    with entered(server, product, account) as desk:
        order_id = placed(desk, product)
        revoked = server.client().post("/_venue/keys/revoke", {"key": account["key"]})
        assert revoked.status == 200, revoked
        with pytest.raises(ConnectionClosed) as closed:
            desk.ask(place(product, "late"))
        assert closed.value.rcvd is not None
        found = (closed.value.rcvd.code, closed.value.rcvd.reason)
        assert found == (1008, "the API key is no longer valid")
    assert open_ids(server.client("alice"), product) == [order_id]


@pytest.mark.parametrize("path", PUBLIC)
@pytest.mark.parametrize("method", ["ORDER.PLACE", "SESSION.CANCEL_ON_DISCONNECT"])
def test_public_sockets_take_no_orders(server: Server, path: str, method: str) -> None:
    with Listener(server.port, path) as public:
        answer = public.ask({"method": method, "id": 1, "params": SPOT.plain})
        words = f"INVALID_ARGUMENT: invalid event : {method}"
        assert answer == {"result": False, "id": 1, "msg": words}


@BY_NAME
def test_other_methods_are_unknown(server: Server, product: Product) -> None:
    with entered(server, product) as desk:
        methods: list[Any] = ["ORDER.place", "ORDER.", "ORDER.CANCEL_BATCH", ["ORDER.PLACE"], {}]
        for method in methods:
            answer = desk.ask({"method": method, "id": 1, "params": product.plain})
            assert answer["result"] is False


# -- what is malformed, and how much --------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "code", "words"),
    [
        ("[]", -1142, "'params' is invalid: must be an object"),
        ('"symbol"', -1142, "'params' is invalid: must be an object"),
        ("5", -1142, "'params' is invalid: must be an object"),
        ("true", -1142, "'params' is invalid: must be an object"),
        ('{"symbol":"BTCUSDT","symbol":"ETHUSDT"}', -1135, "duplicate key"),
        ('{"symbol":"BTCUSDT","quantity":1e3}', -1135, "not a plain decimal"),
        ('{"symbol":' + "[" * 300 + "]" * 300 + "}", -1135, "nested too deeply"),
    ],
)
def test_malformed_params(server: Server, params: str, code: int, words: str) -> None:
    with entered(server, SPOT) as desk:
        answer = desk.ask(f'{{"method":"ORDER.PLACE","id":1,"params":{params}}}')
        assert (answer["id"], answer["status"]) == (1, 400)
        assert answer["error"]["code"] == code
        assert words in answer["error"]["msg"]


@pytest.mark.parametrize("params", [None, [], {}, {"enabled": 1}, {"enabled": None}, True])
def test_malformed_switches(server: Server, params: Any) -> None:
    with entered(server, SPOT) as desk:
        answer = desk.ask({"method": "SESSION.CANCEL_ON_DISCONNECT", "id": 1, "params": params})
        words = 'invalid params : must be {"enabled": true} or false'
        assert answer == {"result": False, "id": 1, "msg": f"INVALID_ARGUMENT: {words}"}


def test_only_what_cannot_be_read_is_a_fault() -> None:
    limits = SocketLimits(session=SessionLimits(messages=None, faults=2))
    with (
        ListeningRoom(limits) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        for _ in range(10):
            assert desk.ask(place(SPOT, price="0"))["status"] == 400
        for number in range(3):
            desk.say({"method": "ORDER.PLACE", "id": number, "params": []})
            assert desk.receive()["error"]["code"] == -1142
        with pytest.raises(ConnectionClosed) as closed:
            desk.socket.recv(WAIT_S)
        assert closed.value.rcvd is not None
        found = (closed.value.rcvd.code, closed.value.rcvd.reason)
        assert found == (1008, "more than 2 refused messages")


def test_messages_in_a_second_are_bounded() -> None:
    """A message that comes too fast is refused by itself; ten times as many end the connection."""
    with (
        ListeningRoom(SocketLimits(session=SessionLimits(messages=20))) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        answers = at_once(desk, [place(SPOT, number) for number in range(25)])
        refused = [answer for answer in answers if answer["status"] == 429]
        assert [answer["id"] for answer in refused] == list(range(20, 25))
        words = "Too many requests: more than 20 messages in a second."
        assert refused[0]["error"] == {"code": -1003, "msg": words}
        assert refused[0]["retryAfter"] == 1
        with pytest.raises(ConnectionClosed) as closed:
            at_once(desk, [place(SPOT)] * 200)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.reason == "more than 20 messages in a second"


def test_other_messages_that_come_too_fast_end_the_connection() -> None:
    with (
        ListeningRoom(SocketLimits(session=SessionLimits(messages=20))) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
        pytest.raises(ConnectionClosed) as closed,
    ):
        at_once(desk, [{"method": "PING"}] * 21)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.reason == "more than 20 messages in a second"


def test_weights_are_those_of_rest(tmp_path: Any) -> None:
    """One budget for both doors: weight spent over sockets is refused over REST."""
    query = f"symbol={CONTRACT.plain['symbol']}"
    message = {"method": "ORDER.CANCEL_ALL", "params": dict([query.split("=")])}
    with Server("--no-agents", folder=tmp_path) as other:
        carol = other.client("carol")
        for _ in range(TRIES_MAX):
            answers = []
            for _ in range(CONNECTIONS):
                with entered(other, CONTRACT, "carol") as desk:
                    answers += at_once(desk, [message] * WEIGHTY)
            rest = carol.delete(f"{CONTRACT.all}?{query}")
            if rest.status == 429:
                break
        refused = [answer for answer in answers if answer["status"] != 200]
        assert rest.status == 429
        words = "Too many requests: this account used its weight of"
        assert refused[0]["error"]["msg"].startswith(words)  # in time its address did too
        for answer in refused:
            assert (answer["status"], answer["error"]["code"]) == (429, -1003)
            assert 1 <= answer["retryAfter"] <= 10
        assert other.stop() == 0
        assert other.errors.read_text() == ""


def test_orders_keep_a_connection_open() -> None:
    # Long enough that no pause of a busy machine between two orders is as long.
    limits = SocketLimits(session=SessionLimits(idle_s=2.0, messages=None))
    with (
        ListeningRoom(limits) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as quiet,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        while True:  # until the connection that is as old, and orders nothing, is closed
            assert desk.ask(place(SPOT, timeInForce="IOC"))["id"] == 1
            try:
                quiet.socket.recv(0)
            except TimeoutError:
                continue
            except ConnectionClosed:
                break
        assert desk.ask(place(SPOT, timeInForce="IOC"))["id"] == 1
