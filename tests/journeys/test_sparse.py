"""A sparse advance: agents act once a minute, and everything that is due has its instant."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.lived import SYMBOL, Life, journal_of
from venue import Refused, Venue
from venue.core.engine import Engine
from venue.core.messages.commands import Tick
from venue.core.units import DAY_US
from venue.node import timekeeper
from venue.node.due import Due, upcoming
from venue.times import US_PER_MS

HOUR_US = 3_600_000_000
EACH_TEN = [f"{n // 6:02}:{n % 6}0" for n in range(144)]


def _settled(folder: Path, *, sparse: bool) -> list[tuple[str, int, str]]:
    """The things due in 15 minutes among people, with two fundings, a countdown and a stop."""
    with Life(folder, "--no-agents") as life:
        change = {"symbol": SYMBOL, "fundingTimes": EACH_TEN}
        assert life.venue.anyone.post("/_venue/contracts/change", change).status == 200
        life.venue.advance(by="6m")
        life.begin()
        told = life.reading(lambda: life.venue.advance(by="15m", sparse=sparse))
        rows: list[dict[str, Any]] = told["settled"]
        return [(row["kind"], row["at"], row["symbol"]) for row in rows]


def test_all_that_is_due_is_settled_at_its_instant(tmp_path: Path) -> None:
    full, sparse = (_settled(tmp_path / str(flag), sparse=flag) for flag in (False, True))
    assert full == sparse
    assert {"funding", "countdown", "trigger"} <= {kind for kind, _, _ in full}


def test_agents_act_once_a_minute_at_prices_that_are_known() -> None:
    """Nothing is in doubt at any time of a minute, and trades go on."""
    with Venue(seed=7) as v:
        begin = v.advance("1s").sequence
        doubts = []
        for _ in range(12):
            told = v.advance("10m5s", sparse=True)
            markets = v._node.engine.contracts.markets.values()
            doubts += [perp.symbol for perp in markets if perp.doubt and not perp.reopens]
        assert doubts == []
        assert told.sequence - begin < 20_000
        candles = v.market(SYMBOL).candles("1m", 119)
        assert len(candles) == 119
        assert sum(candle.volume > 0 for candle in candles) > 40


def test_a_span_in_two_parts_is_the_same_span() -> None:
    def lived(*spans: str) -> Any:
        with Venue(seed=7) as v:
            for span in spans:
                v.advance(span, sparse=True)
            market = v.market(SYMBOL)
            return market.ticker(), market.candles("1m", 100)

    assert lived("40m") == lived("12m30s", "27m30s")


def test_time_in_which_nothing_happens_is_one_step() -> None:
    """Each funding of 25 hours is skipped at its instant; nothing else is journaled."""
    with Venue(agents=False) as v:
        quiet = v.advance("1s").sequence
        told = v.advance("25h", sparse=True)
        assert {due.kind for due in told.settled} == {"funding skipped"}
        assert len({due.ts for due in told.settled}) == 3
        assert told.sequence - quiet <= 6


def test_what_falls_due_is_asked_once_an_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(engine: Engine, now: int) -> Iterator[Due]:
        asked.append(now)
        return upcoming(engine, now)

    monkeypatch.setattr(timekeeper, "upcoming", counted)
    with Venue(seed=7) as v:
        v.advance("10m", sparse=True)
    assert len(asked) == len(set(asked)) >= 120


def test_a_held_index_stays_known() -> None:
    with Venue(agents=False) as v:
        alice = v.account("alice")
        with v.hold_index(SYMBOL, "60000", jump=True):
            v.advance("10s")
            order = alice.buy(SYMBOL, "0.01", price="59000", product="contract", position="LONG")
            v.advance("1d", sparse=True)
            (rests,) = alice.orders(SYMBOL, product="contract")
            assert rests.order_id == order.order_id
            bob = v.account("bob").sell(
                SYMBOL, "0.01", price="59000", product="contract", position="SHORT"
            )
            assert v.account("bob").order(bob).status == "FILLED"
            assert alice.position(SYMBOL, "LONG") is not None
            assert v.market(SYMBOL, product="contract").ticker().last == Decimal(59000)


@pytest.mark.parametrize("given", ["yes", 2, [True]])
def test_sparse_is_a_flag(given: Any) -> None:
    with Venue(agents=False) as v, pytest.raises((Refused, TypeError, ValueError), match="sparse"):
        v.advance("1s", sparse=given)


def test_a_day_ends_at_midnight_where_nothing_else_is_due(tmp_path: Path) -> None:
    """Rewards and fee tiers go by days; funding is at noon here."""
    path = tmp_path / "venue.db"
    with Venue(agents=False, state=path) as v:
        for perp in v._node.engine.contracts.markets.values():
            v.call("change_contract", symbol=perp.symbol, fundingTimes=["12:00"])
        v.advance("1d6h", sparse=True)
        begin = v.ts * US_PER_MS - 30 * HOUR_US
    ticks = {command.time for command in journal_of(path) if isinstance(command, Tick)}
    midnight = (begin // DAY_US + 1) * DAY_US
    assert midnight in ticks
    assert len(ticks) < 10
