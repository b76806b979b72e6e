"""Private streams against a real server: the logins that open one; it tells its owner only."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest
from websockets.exceptions import InvalidStatus

from support.client import Client
from support.clocked import Movable
from support.listening import Listener, Message, login
from support.moved import BEGIN_MS
from support.server import Server, flawless
from venue.api.errors import ApiError
from venue.gateway.access.auth import Authenticator, Keyring
from venue.gateway.access.callers import Caller
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.door import Door
from venue.gateway.streams.logins import Logins
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.venue_clock import VenueClock
from venue.vocabulary import Product

INVALID = "INVALID_ARGUMENT: "
PRIVATE = ("/spot/v3/ws/private", "/contract/v3/ws/private", "/v3/ws/private")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--no-limits")
    with flawless(*options, folder=tmp_path_factory.mktemp("logins")) as found:
        yield found


@pytest.mark.parametrize("path", PRIVATE)
def test_login(server: Server, path: str) -> None:
    with Listener(server.port, path, login(server.account("alice"))) as alice:
        assert alice.greeting["event"] == "connected"
        alice.subscribe("orders", "fill", "account", "order")
        assert alice.settle() == []
        alice.say({"method": "PONG", "id": 5})  # stays without an answer
        assert alice.ask({"method": "PING", "id": 6}) == {"result": True, "id": 6}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (PRIVATE[0], "positions"),
        (PRIVATE[0], "BTCUSDT@ticker"),
        (PRIVATE[1], "Orders"),
        (PRIVATE[1], ""),
    ],
)
def test_private_channels_are_few(server: Server, path: str, name: str) -> None:
    with Listener(server.port, path, login(server.account("alice"))) as alice:
        answer = alice.ask({"method": "SUBSCRIBE", "params": [name], "id": 1})
        assert answer["msg"] == f"{INVALID}invalid event : {name}"


def test_own_events_arrive_in_order_and_nobody_elses(server: Server) -> None:
    path = PRIVATE[0]
    with (
        Listener(server.port, path, login(server.account("alice"))) as alice,
        Listener(server.port, path, login(server.account("carol"))) as carol,
    ):
        for listener in (alice, carol):
            listener.subscribe("orders", "fill", "account")
        for name, side in (("alice", "SELL"), ("bob", "BUY")):
            order = {"symbol": "ETHUSDT", "side": side, "type": "LIMIT", "timeInForce": "GTC"}
            body = {**order, "quantity": "0.01", "price": "3100.00"}
            assert server.client(name).post("/api/v3/order", body).status == 200
        frames = alice.settle()
        assert carol.settle() == []
    assert list(frames[0]) == ["e", "E", "v", "seq", "msgEvent", "d"]
    versions = [frame["v"] for frame in frames]
    assert versions == list(range(versions[0], versions[0] + len(versions)))
    statuses = [item["status"] for frame in frames if frame["e"] == "orders" for item in frame["d"]]
    assert statuses == ["NEW", "FILLED"]
    fills = [frame for frame in frames if frame["e"] == "fill"]
    assert [frame["seq"] for frame in fills] == [fills[0]["seq"]]
    for channel in ("orders", "fill", "account"):
        numbers = [frame["seq"] for frame in frames if frame["e"] == channel]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _changed(account: Message, **changes: str | None) -> dict[str, str]:
    headers = login(account)
    names = {name: f"ACCESS-{name.upper()}" for name in changes}
    for name, value in changes.items():
        if value is None:
            del headers[names[name]]
        else:
            headers[names[name]] = value
    return headers


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"key": None}, -1040),
        ({"sign": None}, -1041),
        ({"timestamp": None}, -1042),
        ({"timestamp": "soon"}, -1043),
        ({"key": "nobody"}, -1044),
        ({"timestamp": "1700000000000"}, -1046),
        ({"sign": "AAAA"}, -1047),
        ({"passphrase": "wrong"}, -1049),
        ({"passphrase": None}, -1049),
    ],
)
@pytest.mark.parametrize("path", PRIVATE)
def test_refused_logins(
    server: Server, path: str, changes: dict[str, str | None], code: int
) -> None:
    headers = _changed(server.account("bob"), **changes)
    with pytest.raises(InvalidStatus) as refused:
        Listener(server.port, path, headers)
    _check_refusal(refused.value, 401, code)


def test_a_signature_of_a_request_is_no_login(server: Server) -> None:
    account = server.account("alice")
    headers = Client(server.port, account).headers("GET", "/v3/ws/private", b"")
    given = {name: value for name, value in headers.items() if value is not None}
    with pytest.raises(InvalidStatus) as refused:
        Listener(server.port, PRIVATE[0], given)
    _check_refusal(refused.value, 401, -1047)


def _check_refusal(refused: InvalidStatus, status: int, code: int) -> None:
    assert refused.response.status_code == status
    assert refused.response.headers["content-type"] == "application/json"
    assert f'"code":{code},"msg":'.encode() in refused.response.body


def test_headers_mean_nothing_on_a_public_socket(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/public", {"ACCESS-KEY": "nobody"}) as found:
        assert found.greeting["event"] == "connected"


def test_logins_that_no_clock_accepts_are_not_kept() -> None:
    """Venue time stands in the past: those signed by the machine's leave, and open nothing when
    venue time comes to theirs."""
    machine = Movable()
    clock = VenueClock(SystemClock(machine))
    clock.begin(0, ClockMode(), ClockMode(Mode.MANUAL), BEGIN_MS * 1_000)
    node = SimpleNamespace(clock=clock)
    door = cast(Door, SimpleNamespace(node=node, replays=ReplayGuard(clock)))
    logins = Logins(door, Authenticator(Keyring(), clock))
    callers = []
    for number in range(50):
        callers.append(Caller(1, "key", 0, clock.wall() // 1_000, b"%d" % number))
        logins._once(Product.SPOT, callers[-1], "::1")
        assert len(logins._used) <= 3
        machine.let_pass(60_000_000)
    clock.move(callers[0].timestamp_ms * 1_000)
    for caller in callers:
        with pytest.raises(ApiError, match="was used before"):
            logins._once(Product.SPOT, caller, "::1")
