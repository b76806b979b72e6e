"""kill -9 amid a copied cascade and amid the daily settlement: nothing is lost or doubled."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Final

from support.contract_world import SYMBOL
from support.crash_stage import (
    ASSET,
    DAY,
    Stage,
    check_money,
    keep,
    post,
    reach,
    recovered,
    rows,
    sequence,
    start,
    until_left,
    work_off,
)
from support.server import Server
from venue.cli.verify import verify
from venue.core.messages import commands
from venue.core.messages.contract_events import Income
from venue.core.messages.copy_commands import CopyConfig, Follow, SetLead
from venue.core.messages.copy_events import CopyClosed, CopySettled
from venue.history.tables import copying as tables
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, MARKET, SELL

FOLLOWERS: Final = 600
GAIN: Final = 1_040  # where the lead closes
LOTS: Final = 7  # of each follower
KILLS: Final = (1, 4, 9)  # commands seen after the lead's answer, or after the start
ATTEMPTS_MAX: Final = 6
STANDING: Final = ("--clock", "manual")  # time stands, so no index gets old on a busy machine
HOW: Final = CopyConfig("", True, 500, 10**9, margin_mode=0, long=15)


def follow(stage: Stage) -> int:
    """A lead that holds 100 lots at 1,000, and its followers 7 each; the lead's uid."""
    lead = stage.owner("lea", 10_000_000)
    stage.do(SetLead(lead, ASSET, True, 100_000))
    for number in range(FOLLOWERS):
        uid = stage.owner(f"f{number}", 10_000)
        stage.do(Follow(uid, lead, True, [HOW]))
    for number in range(8):
        seller = stage.owner(f"short{number}", 10_000_000)
        stage.do(commands.SetLeverage(seller, SYMBOL, 10))
        stage.short(seller, 1_000)
    stage.long(lead, 100)
    stage.finish()
    for number in range(8):
        buyer = stage.owner(f"buyer{number}", 10_000_000)
        stage.do(commands.SetLeverage(buyer, SYMBOL, 10))
        stage.do(
            commands.PlaceContractOrder(buyer, SYMBOL, BUY, LONG, LIMIT, GTC, 1_000, GAIN)
        )  # takes what is left of the offers, and waits above them
    stage.finish()
    return lead


def close(server: Server, lead: str) -> None:
    """The lead closes at market, with a key for copy trading."""
    body = {"owner": lead, "permissions": ["READ", "COPY_TRADE"]}
    made = server.client().post("/_venue/keys", body)
    assert made.status == 200, made.body
    order = {
        "symbol": SYMBOL, "side": "SELL", "positionSide": "LONG", "type": "MARKET",
        "quantity": "100",
    }  # fmt: skip
    answer = server.client(made.json).post("/capi/v3/order", order)
    assert answer.status == 200, answer.body


def copy_of(stage: Path, path: Path) -> None:
    shutil.rmtree(path.parent, ignore_errors=True)
    shutil.copytree(stage, path.parent)


def test_a_killed_cascade_of_closes_goes_on_with_the_next_follower(tmp_path: Path) -> None:
    stage = Stage(0)
    lead = follow(stage)
    (tmp_path / "stage").mkdir()
    stage.write(tmp_path / "stage" / "venue.db")
    left = close_together(stage, lead)
    for beyond in KILLS:
        path = tmp_path / f"killed-{beyond}" / "venue.db"
        done = kill_cascade(tmp_path / "stage", path, beyond)
        if beyond == KILLS[0]:
            keep(path, *STANDING)  # once from a snapshot, otherwise from the journal
        with start(path, *STANDING) as server:
            client = server.client()
            until_left(client, GAIN, left)
            work_off(client)
            assert server.stop() == 0
        check_cascade(path, done)


def close_together(stage: Stage, lead: int) -> int:
    """The lead closes and all follow; how many positions are left."""
    stage.post(GAIN)
    stage.do(commands.PlaceContractOrder(lead, SYMBOL, SELL, LONG, MARKET, IOC, 100, 0))
    stage.finish()
    return len(stage.engine.contracts.markets[SYMBOL].positions)


def kill_cascade(stage: Path, path: Path, beyond: int) -> list[int]:
    """Kill a venue amid the cascade; return the owners of the copies closed by then, in order."""
    for _ in range(ATTEMPTS_MAX):
        copy_of(stage, path)
        with start(path, *STANDING) as server:
            client = server.client()
            post(client, GAIN)
            close(server, "lea")
            reach(client, sequence(client) + beyond)
            server.kill()
        engine, told = recovered(path)
        done = [event.uid for event in told.of(CopyClosed)]
        assert done == sorted(done)
        if engine.copying.books.echoes:
            assert engine.pending()
            assert 0 < len(done) < FOLLOWERS
            assert verify(str(path)).problems == []
            return done
    raise AssertionError("every kill came too late")


def check_cascade(path: Path, done: list[int]) -> None:
    """Each copy is closed once, in the order of following, and its share is there once."""
    assert verify(str(path)).problems == []
    engine, told = recovered(path)
    closed = [event.uid for event in told.of(CopyClosed)]
    assert closed[: len(done)] == done
    assert closed == sorted(dict.fromkeys(closed))
    assert len(closed) == FOLLOWERS
    assert sorted(row.life.uid for row in rows(path, tables.EndedCopy)) == closed
    items = check_money(path, engine)
    paid: Counter[int] = Counter()  # a close of two fills pays twice
    for item in items:
        if item.kind == "tracking_follow_pay":
            paid[item.uid] -= item.amount
    assert paid == Counter({event.uid: event.paid for event in told.of(CopyClosed)})
    assert min(paid.values()) > 0
    assert sum(item.amount for item in items if item.kind.startswith("tracking_")) == 0


def test_a_killed_settlement_settles_every_pair_once(tmp_path: Path) -> None:
    stage = Stage(-DAY)
    lead = follow(stage)
    close_together(stage, lead)
    pairs = stage.engine.copying.books.followings
    due = {pair.account.uid: pair.net // 10 for pair in pairs.values()}
    assert len(due) == FOLLOWERS
    assert min(due.values()) > 0
    (tmp_path / "stage").mkdir()
    stage.write(tmp_path / "stage" / "venue.db")
    for beyond in KILLS:
        path = tmp_path / f"killed-{beyond}" / "venue.db"
        kill_settlement(tmp_path / "stage", path, beyond)
        if beyond == KILLS[-1]:
            keep(path)
        with start(path) as server:
            client = server.client()
            work_off(client)
            assert server.stop() == 0
        assert verify(str(path)).problems == []
        engine, told = recovered(path)
        settled = told.of(CopySettled)
        assert {event.uid: event.paid for event in settled} == due
        assert len(settled) == FOLLOWERS
        income = [event for event in told.of(Income) if event.kind == "tracking_trader_income"]
        assert sum(event.amount for event in income) == sum(due.values())
        assert _tracking(check_money(path, engine)) == 0
        assert engine.ledger.accounts[3].contract[engine.ledger.ordinals[ASSET]].collateral == 0


def kill_settlement(stage: Path, path: Path, beyond: int) -> None:
    for _ in range(ATTEMPTS_MAX):
        copy_of(stage, path)
        with start(path) as server:
            client = server.client()
            reach(client, sequence(client) + beyond)
            server.kill()
        engine, told = recovered(path)
        if engine.copying.settling > 1:
            assert 0 < len(told.of(CopySettled)) < FOLLOWERS
            assert verify(str(path)).problems == []
            return
    raise AssertionError("every kill came too late, or too early")


def _tracking(items: list[Any]) -> int:
    return int(sum(item.amount for item in items if item.kind.startswith("tracking_")))
