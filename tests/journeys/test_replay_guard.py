"""The replay of a TRADE request: it has no second effect, and gets the answer of the first."""

import asyncio

import pytest

from support.clocked import Movable
from venue.api.errors import ApiError
from venue.gateway.access import past_requests, replay
from venue.gateway.access.replay import ReplayGuard, request_id
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.venue_clock import VenueClock

NOW_MS = 1_700_000_000_000
NOW = NOW_MS * 1_000
ONE, TWO = b"1" * 16, b"2" * 16
ANSWER = (200, b'{"orderId":1}')


def known(guard: ReplayGuard, time: int, request: bytes, now: int) -> int:
    """How a repetition is answered: a refusal's code, or the first one's status."""
    try:
        answer = guard.enter(time, request, now)
    except ApiError as refused:
        return refused.code
    assert isinstance(answer, tuple)
    return answer[0]


def standing() -> VenueClock:
    """Venue time stands at NOW, years behind the machine's."""
    clock = VenueClock(SystemClock(Movable()))
    clock.begin(0, ClockMode(), ClockMode(Mode.MANUAL), NOW)
    return clock


def gone(guard: ReplayGuard, request: bytes, now: int = NOW) -> None:
    with pytest.raises(ApiError) as caught:
        guard.enter(NOW_MS, request, now)
    assert caught.value.code == -1048


def test_a_repetition_gets_the_recorded_answer() -> None:
    guard = ReplayGuard()
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    assert guard.enter(NOW_MS, ONE, NOW + 30_000_000) == ANSWER
    assert guard.enter(NOW_MS, TWO, NOW) is None


def test_a_repetition_in_flight_waits_for_the_first() -> None:
    async def story() -> None:
        guard = ReplayGuard()
        assert guard.enter(NOW_MS, ONE, NOW) is None
        waits = [guard.enter(NOW_MS, ONE, NOW) for _ in range(3)]
        assert all(isinstance(wait, asyncio.Future) for wait in waits)
        first, second, third = waits
        assert isinstance(first, asyncio.Future)
        first.cancel()
        guard.record(NOW_MS, ONE, ANSWER)
        assert await second == ANSWER  # type: ignore[misc]
        assert await third == ANSWER  # type: ignore[misc]

    asyncio.run(story())


def test_a_lost_answer_is_gone() -> None:
    async def story() -> None:
        guard = ReplayGuard()
        assert guard.enter(NOW_MS, ONE, NOW) is None
        wait = guard.enter(NOW_MS, ONE, NOW)
        guard.lose(NOW_MS, ONE)
        with pytest.raises(ApiError, match="its answer is gone"):
            await wait  # type: ignore[misc]
        gone(guard, ONE)

    asyncio.run(story())


def test_a_request_without_effect_may_be_sent_again() -> None:
    async def story() -> None:
        guard = ReplayGuard()
        assert guard.enter(NOW_MS, ONE, NOW) is None
        wait = guard.enter(NOW_MS, ONE, NOW)
        guard.forget(NOW_MS, ONE)
        assert await wait is None  # type: ignore[misc]
        assert guard.enter(NOW_MS, ONE, NOW) is None

    asyncio.run(story())


def test_seeded_requests_are_known_while_their_timestamp_is_good() -> None:
    """Also those from ahead of a clock that was set back before the start."""
    guard = ReplayGuard()
    times = [NOW_MS - 40_000, NOW_MS, NOW_MS + 3_600_000]
    requests = [request_id(ONE, time) for time in times]
    guard.seed([(request, NOW) for request in requests], NOW)
    for time, request in zip(times, requests, strict=True):
        with pytest.raises(ApiError, match="its answer is gone"):
            guard.enter(time, request, max(NOW, time * 1_000))
        assert guard.enter(time, request_id(TWO, time), max(NOW, time * 1_000)) is None
    with pytest.raises(ApiError, match="became too old"):
        guard.enter(times[2], requests[2], (times[2] + 42_000) * 1_000)


def test_what_was_forgotten_is_refused_when_the_clock_is_set_back() -> None:
    guard = ReplayGuard()
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    assert guard.enter(NOW_MS + 3_600_000, TWO, NOW + 3_600_000_000) is None
    with pytest.raises(ApiError) as refused:
        guard.enter(NOW_MS, ONE, NOW)
    assert refused.value.code == -1046


def test_a_repetition_whose_body_comes_late_has_no_effect() -> None:
    guard = ReplayGuard()
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    assert guard.enter(NOW_MS, ONE, NOW + 40_000_000) == ANSWER
    for request in (ONE, TWO):
        with pytest.raises(ApiError) as late:
            guard.enter(NOW_MS, request, NOW + 42_000_000)
        assert late.value.code == -1046


def test_a_clock_that_is_behind_has_requests_known_for_longer() -> None:
    """A clock a minute behind takes at 61 s a request that the venue's own clock took at 0 s."""
    guard = ReplayGuard()
    guard.reach_back(60_000, NOW)
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    assert guard.enter(NOW_MS, ONE, NOW + 100_000_000) == ANSWER
    assert guard.enter(NOW_MS + 1, TWO, NOW + 100_000_000) is None
    with pytest.raises(ApiError, match="became too old"):
        guard.enter(NOW_MS, ONE, NOW + 102_000_000)


def test_a_clock_that_is_behind_does_not_keep_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many requests to be known for so long: its own are refused instead."""
    monkeypatch.setattr(replay, "REQUESTS_MAX", 2)
    guard = ReplayGuard()
    guard.reach_back(60_000, NOW)
    for request in (ONE, TWO):
        assert guard.enter(NOW_MS, request, NOW) is None
    later = NOW_MS + 50_000
    assert guard.enter(later, b"3" * 16, later * 1_000) is None
    with pytest.raises(ApiError, match="became too old"):
        guard.enter(NOW_MS, ONE, later * 1_000)


def test_requests_and_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "REQUESTS_MAX", 2)
    monkeypatch.setattr(replay, "ANSWER_BYTES_MAX", 200)
    guard = ReplayGuard()
    for request in (ONE, TWO):
        assert guard.enter(NOW_MS, request, NOW) is None
        guard.record(NOW_MS, request, ANSWER)
    gone(guard, ONE)
    assert guard.enter(NOW_MS, TWO, NOW) == ANSWER
    with pytest.raises(ApiError) as full:
        guard.enter(NOW_MS, b"3" * 16, NOW)
    assert full.value.status == 503
    later = NOW_MS + 43_000
    assert guard.enter(later, b"3" * 16, later * 1_000) is None
    assert guard.enter(later, b"4" * 16, later * 1_000) is None


def test_an_answer_from_before_a_revert_does_not_take_the_next_one_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The state went back, the client sent the same bytes again, and then the old answer is
    dropped for want of room."""
    monkeypatch.setattr(replay, "ANSWER_BYTES_MAX", 300)
    guard = ReplayGuard(standing())
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    guard.go_back(NOW + 7_200_000_000, NOW)
    again = (200, b'{"orderId":2}')
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, again)
    assert guard.enter(NOW_MS, TWO, NOW) is None
    guard.record(NOW_MS, TWO, ANSWER)
    assert guard.enter(NOW_MS, ONE, NOW) == again


def test_requests_that_no_clock_accepts_leave_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where venue time stands in the past, those signed by the machine's time leave its window."""
    monkeypatch.setattr(replay, "REQUESTS_MAX", 3)
    monkeypatch.setattr(past_requests, "PAST_BYTES_MAX", 4 * len(b"0 one"))
    machine = Movable()
    clock = VenueClock(SystemClock(machine))
    clock.begin(0, ClockMode(), ClockMode(Mode.MANUAL), NOW)
    guard = ReplayGuard(clock)
    signed: list[tuple[int, bytes]] = []
    for round_ in range(10):
        time = clock.wall() // 1_000
        for request in (b"%d one" % round_, b"%d two" % round_):
            assert guard.enter(time, request, clock.oldest()) is None
            guard.record(time, request, ANSWER)
            signed.append((time, request))
        machine.let_pass(60_000_000)
    clock.move(signed[0][0] * 1_000)  # venue time comes to theirs: none is executed again
    told = [known(guard, time, request, clock.oldest()) for time, request in signed]
    assert told == [-1046] * 14 + [-1048] * 4 + [200] * 2
    assert guard.enter(signed[-1][0], b"three", clock.oldest()) is None


def test_what_the_kept_state_has_is_not_executed_again() -> None:
    clock = standing()
    guard = ReplayGuard(clock)
    assert guard.enter(NOW_MS, ONE, NOW) is None
    guard.record(NOW_MS, ONE, ANSWER)
    kept = guard.dump()
    assert guard.enter(NOW_MS, TWO, NOW) is None
    guard.record(NOW_MS, TWO, ANSWER)
    later = NOW_MS + 8 * 3_600_000
    clock.move(later * 1_000)
    assert guard.enter(later, b"3" * 16, later * 1_000) is None
    clock.go_back(ClockMode(Mode.MANUAL), NOW)
    for _ in range(2):
        guard.restore(kept)
        guard.go_back(clock.wall(), NOW)
        gone(guard, ONE)
        assert guard.enter(NOW_MS, TWO, NOW) is None
        guard.record(NOW_MS, TWO, ANSWER)
        assert guard.enter(NOW_MS, TWO, NOW) == ANSWER


def test_the_machines_requests_stay_known_when_their_time_comes_again() -> None:
    """Real time, ten minutes, and back: requests signed by venue time are taken."""
    machine = Movable()
    clock = VenueClock(SystemClock(machine))
    guard = ReplayGuard(clock)
    begun = clock.wall()
    time = begun // 1_000
    assert guard.enter(time, ONE, clock.oldest()) is None
    guard.record(time, ONE, ANSWER)
    machine.let_pass(600_000_000)
    assert guard.enter(clock.wall() // 1_000, TWO, clock.oldest()) is None
    clock.go_back(ClockMode(), begun)
    guard.restore(b"")
    guard.go_back(clock.wall(), clock.oldest())
    with pytest.raises(ApiError, match="its answer is gone"):
        guard.enter(time, ONE, clock.oldest())
    assert guard.enter(time, b"3" * 16, clock.oldest()) is None


def test_a_clock_that_is_set_back_comes_to_no_time_whose_requests_were_let_go() -> None:
    """Venue time signed them, and they are not kept: the machine's may sign later times only."""
    machine = Movable()
    clock = VenueClock(SystemClock(machine))
    clock.begin(0, ClockMode(), ClockMode(Mode.OFFSET), clock.wall() - 7_200_000_000)
    clock.limit(1 << 62)
    guard = ReplayGuard(clock)
    time = clock.now() // 1_000
    assert guard.enter(time, ONE, clock.oldest()) is None
    guard.record(time, ONE, ANSWER)
    machine.let_pass(3_600_000_000)
    assert guard.enter(clock.wall() // 1_000, TWO, clock.oldest()) is None
    machine.step(-10_800_000_000)
    machine.let_pass(2_000_000)
    assert clock.signs(time, replay.WINDOW_MS)
    assert known(guard, time, ONE, clock.oldest()) == -1046
    assert guard.enter(time + 2_000, b"3" * 16, clock.oldest()) is None


def test_requests_signed_ahead_leave_room_and_are_known_when_their_time_comes() -> None:
    """The machine's clock was an hour ahead; it is put right, and the hour passes."""
    machine = Movable()
    clock = VenueClock(SystemClock(machine))
    guard = ReplayGuard(clock)
    machine.step(3_600_000_000)
    machine.let_pass(2_000_000)
    time = clock.machine() // 1_000
    assert not clock.signs(time, replay.WINDOW_MS)  # the journal does not tell so yet
    times = clock.unrecorded_times()
    assert times is not None
    clock.signed_ahead = times[1]
    assert clock.signs(time, replay.WINDOW_MS)
    assert clock.unrecorded_times() is None
    assert guard.enter(time, ONE, clock.oldest()) is None
    guard.record(time, ONE, ANSWER)
    machine.let_pass(120_000_000)
    assert (
        clock.unrecorded_times() is not None
    )  # a minute and a half of the machine's time is told at most
    assert guard.enter(clock.wall() // 1_000, TWO, clock.oldest()) is None
    assert time // 1_000 not in guard._seconds
    machine.step(-3_600_000_000)
    machine.let_pass(2_000_000)
    clock.wall()  # it looks
    machine.let_pass(3_478_000_000)
    assert abs(clock.wall() // 1_000 - time) < replay.WINDOW_MS
    with pytest.raises(ApiError, match="its answer is gone"):
        guard.enter(time, ONE, clock.oldest())
    assert guard.enter(time, b"3" * 16, clock.oldest()) is None


def test_times_of_requests_that_a_start_does_not_know_are_refused() -> None:
    clock = VenueClock(SystemClock(Movable()))
    guard, wall = ReplayGuard(clock), clock.wall()
    guard.refuse(wall - 5_000_000, wall + 5_000_000)
    for off in (-5, 0, 5):
        assert known(guard, wall // 1_000 + off * 1_000, ONE, clock.oldest()) == -1046, off
    for off in (-7, 7):
        assert guard.enter(wall // 1_000 + off * 1_000, ONE, clock.oldest()) is None, off
