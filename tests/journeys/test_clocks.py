"""The venue's clock on a machine whose clock is set: bounds, words, and a venue that uses it."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGUSR2
from typing import Any, Final

import pytest
from websockets.exceptions import InvalidStatus

from support.client import Client
from support.clocked import AHEAD, STEP_AHEAD, STEP_BACK
from support.listening import Listener, login
from support.refusals.cases import order
from support.server import Server
from venue.node.clock import LOOK_US, READING_US, SLEW, SystemClock

START: Final = 1_700_000_000_000_000
SECOND: Final = 1_000_000
HOUR: Final = 3_600 * SECOND
YEAR_S: Final = 365 * 86_400
PATIENCE_S: Final = 30
ORDER: Final = "/api/v3/order"
PRIVATE: Final = "/spot/v3/ws/private"


class Clocks:
    """A machine's clocks, set by the test; reading one takes `held` µs."""

    def __init__(self) -> None:
        self.time = START
        self.passed = 5 * HOUR
        self.held = 0

    def wall(self) -> int:
        self.let_pass(self.held)
        return self.time

    def steady(self) -> int:
        return self.passed

    def let_pass(self, us: int) -> None:
        self.time += us
        self.passed += us


@pytest.mark.parametrize("step", [HOUR, -HOUR, 30 * SECOND, -YEAR_S * SECOND])
def test_a_step_is_approached_by_a_tenth_of_the_time_that_passes(
    step: int, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Clocks()
    clock = SystemClock(machine)
    assert (clock.now(), clock.wall(), clock.steps, clock.problem()) == (START, START, 0, "")
    machine.time += step
    machine.let_pass(LOOK_US)
    before = clock.wall()
    assert abs(before - START - LOOK_US) <= LOOK_US // SLEW
    assert clock.steps == 1
    assert f"was set {'ahead' if step > 0 else 'back'} by {abs(step) / SECOND:.1f} s" in caplog.text
    assert f"{abs(step) / SECOND:.1f} s {'behind' if step > 0 else 'ahead of'}" in clock.problem()
    machine.let_pass(10 * SECOND)
    direction = 1 if step > 0 else -1
    assert clock.wall() - before == 10 * SECOND + direction * 10 * SECOND // SLEW
    assert clock.now() == clock.wall()
    machine.let_pass(SLEW * abs(step))
    assert (clock.now(), clock.wall(), clock.problem()) == (machine.time, machine.time, "")
    assert clock.steps == 1


def test_no_time_goes_back_or_leaves_its_bounds_whatever_the_machine_says() -> None:
    choice = random.Random(5)
    machine = Clocks()
    clock = SystemClock(machine)
    clock.begin(START + 90 * SECOND)
    venue, server, passed = clock.now(), clock.wall(), machine.passed
    for _ in range(20_000):
        machine.held = choice.choice([0, 0, 0, 3, 2 * READING_US])
        if choice.random() < 0.05:
            machine.time += choice.randint(-100 * SECOND, 100 * SECOND)
        machine.let_pass(choice.choice([0, 1, 7, 1_000, SECOND, 40 * SECOND]))
        venue_now, server_now = clock.now(), clock.wall()
        went = machine.passed - passed
        for gone in (venue_now - venue, server_now - server):
            assert abs(gone - went) <= went // SLEW + 10 * READING_US  # reading takes time
            assert gone >= 0
        ahead, server_ahead = clock.ahead()
        assert ahead >= server_ahead
        venue, server, passed = venue_now, server_now, machine.passed


def test_a_drift_is_followed_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    machine = Clocks()
    clock = SystemClock(machine)
    for _ in range(100):
        machine.let_pass(LOOK_US)
        machine.time += 20_000  # two hundredths fast
        clock.now()
    assert clock.steps == 0
    assert abs(clock.now() - machine.time) < 50_000
    assert caplog.text == ""


def test_a_journal_that_is_ahead_of_the_machine(caplog: pytest.LogCaptureFixture) -> None:
    """Venue time goes on from there; signed times are compared with the machine's time."""
    machine = Clocks()
    clock = SystemClock(machine)
    last = START + YEAR_S * SECOND
    clock.begin(last)
    assert (clock.now(), clock.wall()) == (last, START)
    assert f"{YEAR_S}.0 s ahead of the machine's clock" in caplog.text
    assert f"{YEAR_S}.0 s ahead" in clock.problem()
    machine.let_pass(10 * SECOND)
    assert clock.now() == last + 9 * SECOND
    assert clock.wall() == START + 10 * SECOND
    machine.let_pass(SLEW * YEAR_S * SECOND)
    assert (clock.now(), clock.wall(), clock.problem()) == (machine.time, machine.time, "")
    behind = SystemClock(machine)
    behind.begin(START)
    assert behind.now() == machine.time
    assert len(caplog.records) == 1
    assert caplog.records[0].levelno == logging.WARNING


# -- a running venue ------------------------------------------------------------------------------


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], Server]]:
    """Starts a venue on one state file, its machine's clock so many seconds ahead."""
    begun: list[Server] = []

    def started(ahead_s: int) -> Server:
        monkeypatch.setenv(AHEAD, str(ahead_s))
        arguments = ("--no-agents", "--no-limits", "--state", str(tmp_path / "state"))
        begun.append(Server(*arguments, folder=tmp_path, program=("support.clocked",)))
        return begun[-1]

    yield started
    for server in begun:
        server.kill()


class Orders:
    """Alice, who repeats her first order byte by byte."""

    def __init__(self, server: Server, ahead_s: int = 0) -> None:
        self._server = server
        self._ahead_ms = ahead_s * 1_000
        self.raw = json.dumps(order(price="50000")).encode()
        self.headers: dict[str, str | None] = {}

    def place(self) -> Any:
        """The first time; the answer's body."""
        client = self._server.client("alice")
        self.headers = client.headers("POST", ORDER, self.raw, self._ahead_ms)
        answer = client.call("POST", ORDER, self.raw, self.headers)
        assert answer.status == 200, answer
        return answer.json

    def again(self, server: Server) -> tuple[int, Any]:
        """The same bytes once more: status and body."""
        answer = server.client("alice").call("POST", ORDER, self.raw, self.headers)
        return answer.status, answer.json


def open_orders(server: Server) -> int:
    return int(health(server)["openOrders"])


def health(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.client().get("/_venue/health?stateHash=false").json
    return found


def wait(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end


def wait_for_steps(server: Server, count: int) -> None:
    wait(lambda: bool(health(server)["clockSteps"] == count))


def machine_ms() -> int:
    return time.time_ns() // 1_000_000


def pass_an_hour(server: Server) -> None:
    before = health(server)["venueTime"]
    server.process.send_signal(SIGUSR2)
    wait(lambda: bool(health(server)["venueTime"] > before + 3_000_000))


def test_steps_ahead_and_back_place_no_second_order(start: Callable[[int], Server]) -> None:
    server = start(0)
    alice = Orders(server)
    first = alice.place()
    began = time.monotonic_ns()
    for steps, signal in enumerate([STEP_AHEAD, STEP_BACK, STEP_BACK], 1):
        server.process.send_signal(signal)
        wait_for_steps(server, steps)
        off = server.client().get("/api/v3/time").json["serverTime"] - machine_ms()
        count_down(server.client("alice"), 0, off)  # a client that knows the server's time
        assert alice.again(server) == (200, first)
        assert abs(off) < 30_000
    assert open_orders(server) == 1
    assert server.errors.read_text().count("the machine's clock was set") == 3
    # An hour back is told, and does not hold a countdown up. While it was set ahead, the venue
    # followed; after that it came back: both by a part of the time that passed.
    found = health(server)
    passed_ms = (time.monotonic_ns() - began) // 1_000_000
    assert abs(found["clockAhead"] - 3_600_000) <= passed_ms // SLEW + 1
    assert "s ahead of the machine's clock" in found["status"]
    count_down(server.client("alice"), 3_000)
    pass_an_hour(server)
    wait(lambda: open_orders(server) == 0)


def test_steps_ahead_and_back_let_nobody_in_twice(start: Callable[[int], Server]) -> None:
    """Enemy: one who overheard a login, and waits until the clock was set."""
    server = start(0)
    overheard = login(server.account("alice"))
    with Listener(server.port, PRIVATE, overheard):
        pass
    for steps, signal in enumerate([STEP_AHEAD, STEP_BACK], 1):
        server.process.send_signal(signal)
        wait_for_steps(server, steps)
        now_ms = server.client().get("/api/v3/time").json["serverTime"]
        with Listener(server.port, PRIVATE, login(server.account("bob"), str(now_ms))):
            pass  # the past ones are forgotten
        with pytest.raises(InvalidStatus) as refused:
            Listener(server.port, PRIVATE, overheard)
        assert b'"code":-1048,' in refused.value.response.body


def count_down(client: Client, timeout: int, ahead_ms: int = 0) -> None:
    raw = json.dumps({"timeout": timeout}).encode()
    headers = client.headers("POST", "/api/v3/cancelAllAfter", raw, ahead_ms)
    answer = client.call("POST", "/api/v3/cancelAllAfter", raw, headers)
    assert answer.status == 200, answer


def test_a_state_that_ran_a_year_ahead(start: Callable[[int], Server]) -> None:
    server = start(YEAR_S)
    far = Orders(server, YEAR_S)
    far.place()
    server.kill()
    server = start(0)
    assert "the journal's last command is 31535" in server.errors.read_text()
    found = health(server)
    assert found["clockAhead"] > (YEAR_S - 60) * 1_000
    assert "s ahead of the machine's clock" in found["status"]
    assert abs(server.client().get("/api/v3/time").json["serverTime"] - machine_ms()) < 5_000
    assert abs(found["serverTime"] - machine_ms()) < 5_000
    assert far.again(server)[1]["code"] == -1046
    # A request signed with the machine's time is taken, and recognized when it is repeated.
    alice = Orders(server)
    first = alice.place()
    assert first["transactTime"] > machine_ms() + (YEAR_S - 60) * 1_000
    assert alice.again(server) == (200, first)
    count_down(server.client("alice"), 3_000)
    pass_an_hour(server)
    wait(lambda: open_orders(server) == 0)
    server.kill()
    server = start(0)
    status, body = alice.again(server)
    assert (status, body["code"]) == (400, -1048)
    assert open_orders(server) == 0


def test_a_clock_that_was_set_back_between_two_runs(start: Callable[[int], Server]) -> None:
    """A request from then is not forgotten before its time has come, and gone, again."""
    server = start(3_600)
    alice = Orders(server, 3_600)
    alice.place()
    server.kill()
    server = start(0)
    assert alice.again(server)[1]["code"] == -1046
    server.process.send_signal(SIGUSR2)
    wait(lambda: bool(health(server)["serverTime"] > machine_ms() + 3_590_000))
    assert alice.again(server)[1]["code"] == -1048
    assert open_orders(server) == 1


# -- the machine's clock is set back while the venue runs -----------------------------------------

HOUR_S: Final = 3_600


def signed(server: Server, ahead_s: int, price: str = "50000") -> tuple[int, Any]:
    """A new order, signed with the machine's time and so many seconds: status and body."""
    client, raw = server.client("alice"), json.dumps(order(price=price)).encode()
    headers = client.headers("POST", ORDER, raw, ahead_s * 1_000)
    answer = client.call("POST", ORDER, raw, headers)
    return answer.status, answer.json


def set_back(server: Server, steps: int = 1) -> None:
    server.process.send_signal(STEP_BACK)
    wait_for_steps(server, steps)


def test_clients_of_a_machine_whose_clock_is_set_back_go_on(start: Callable[[int], Server]) -> None:
    """They sign with its clock; others sign with server time, which refusals tell."""
    server = start(0)
    set_back(server)
    alice = Orders(server, -HOUR_S)
    first = alice.place()
    assert alice.again(server) == (200, first)
    assert signed(server, 0, "50001")[0] == 200
    status, body = signed(server, -HOUR_S // 2)
    assert (status, body["code"]) == (400, -1046)
    told = int(body["msg"].split("server time ")[1].split(";")[0])
    assert abs(told - machine_ms()) < 60_000
    assert alice.again(server) == (200, first)
    account = server.account("alice")
    back = login(account, str(machine_ms() - HOUR_S * 1_000))
    with Listener(server.port, PRIVATE, back):
        pass
    with pytest.raises(InvalidStatus):
        Listener(server.port, PRIVATE, back)
    assert open_orders(server) == 2
    server.process.send_signal(STEP_AHEAD)  # and put right again
    wait_for_steps(server, 2)
    assert alice.again(server)[1]["code"] == -1046
    assert signed(server, 0, "50002")[0] == 200
    set_back(server, 3)
    assert alice.again(server)[1]["code"] == -1048
    assert open_orders(server) == 3


def test_requests_of_an_hour_ago_have_no_second_effect(start: Callable[[int], Server]) -> None:
    """Enemy: one who overheard requests and logins, and sees the clock set back to their time."""
    server = start(0)
    alice = Orders(server)
    alice.place()
    overheard = login(server.account("alice"))
    with Listener(server.port, PRIVATE, overheard):
        pass
    pass_an_hour(server)
    assert signed(server, HOUR_S, "50001")[0] == 200  # the memory forgets the past
    now_ms = str(server.client().get("/api/v3/time").json["serverTime"])
    with Listener(server.port, PRIVATE, login(server.account("bob"), now_ms)):
        pass
    assert alice.again(server)[1]["code"] == -1046
    set_back(server)

    def repeated() -> None:
        assert alice.again(server)[1]["code"] == -1048
        with pytest.raises(InvalidStatus) as refused:
            Listener(server.port, PRIVATE, overheard)
        assert b'"code":-1048,' in refused.value.response.body

    repeated()
    assert signed(server, 0, "50002")[0] == 200
    # After kill -9 and a start at the right time they are in the journal.
    server.kill()
    server = start(HOUR_S)
    set_back(server)
    repeated()
    assert signed(server, 0, "50003")[0] == 200
    assert open_orders(server) == 4


# -- and ahead ------------------------------------------------------------------------------------


def set_ahead(server: Server, price: str, hours: int = 1) -> None:
    """So many hours, so that an order signed with its time is taken."""
    for steps in range(1, hours + 1):
        server.process.send_signal(STEP_AHEAD)
        wait_for_steps(server, steps)
    wait(lambda: signed(server, hours * HOUR_S, price)[0] == 200)  # once the journal tells so


def test_clients_of_a_machine_whose_clock_is_set_ahead_go_on(
    start: Callable[[int], Server],
) -> None:
    """They sign with its clock; others sign with server time, which refusals tell."""
    server = start(0)
    set_ahead(server, "50001")
    alice = Orders(server, HOUR_S)
    first = alice.place()
    assert alice.again(server) == (200, first)
    assert signed(server, 0, "50002")[0] == 200
    status, body = signed(server, HOUR_S // 2)
    assert (status, body["code"]) == (400, -1046)
    told = int(body["msg"].split("server time ")[1].split(";")[0])
    assert abs(told - machine_ms()) < 60_000
    later = login(server.account("alice"), str(machine_ms() + HOUR_S * 1_000))
    with Listener(server.port, PRIVATE, later):
        pass
    with pytest.raises(InvalidStatus):
        Listener(server.port, PRIVATE, later)
    assert open_orders(server) == 3
    set_back(server, 2)  # put right again
    assert alice.again(server)[1]["code"] == -1046
    assert signed(server, 0, "50003")[0] == 200
    pass_an_hour(server)
    assert signed(server, HOUR_S, "50004")[0] == 200
    status, body = alice.again(server)  # its time has come
    assert (status, body) == (200, first) or body["code"] == -1048
    with pytest.raises(InvalidStatus):
        Listener(server.port, PRIVATE, later)
    assert open_orders(server) == 5


@pytest.mark.parametrize(("hours", "passed"), [(1, 0), (1, 1), (3, 3)])
def test_requests_signed_ahead_have_no_second_effect_after_a_start(
    hours: int, passed: int, start: Callable[[int], Server]
) -> None:
    """Enemy: one who overheard them, and waits until their time comes, over a kill -9."""
    server = start(0)
    set_ahead(server, "50001", hours)
    alice = Orders(server, hours * HOUR_S)
    alice.place()
    server.kill()
    server = start(passed * HOUR_S)
    if not passed:
        assert alice.again(server)[1]["code"] == -1046
        pass_an_hour(server)
    assert alice.again(server)[1]["code"] == -1048
    assert open_orders(server) == 2
