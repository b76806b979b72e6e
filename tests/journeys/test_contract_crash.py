"""kill -9 amid a liquidation cascade and a funding settlement: nothing is lost or doubled."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from support.contract_world import CONTRACT_WALLET, HOUR, ISOLATED, SECOND, SYMBOL
from support.crash_stage import (
    ASSET,
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
from support.told import Told
from venue.cli.verify import verify
from venue.core.contract.collateral import FUND_UID
from venue.core.contract.consequences import LIQUIDATIONS_MAX
from venue.core.contract.reference.funding import CHUNK
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    FundingDue,
    FundingSettled,
    Income,
    PositionClosed,
)
from venue.core.units import PPB
from venue.history.tables import contract as tables
from venue.vocabulary import GTC, SeparatedMode

# The cascade: of five longs one survives, a third of the others are isolated; a short per block.
LONGS: Final = 1_600
BLOCK: Final = 20
CRASH: Final = 900
BID: Final = 960
BID_LOTS: Final = 105  # gone with the first command's pools
FUND: Final = 200_000
CASCADE_KILLS: Final = (0, 9, 2)  # commands seen after the crash's answer
# No second passes: at each the fund gives back of what it took over, and ten make an index stale.
STANDS: Final = ("--clock", "manual")

# The settlement: isolated, separated positions, and two owners who trade while it is under way.
PAIRS: Final = 2_000
PER_OWNER: Final = 25  # within a tier of leverage 20
MARK: Final = 1_003
RATE_PPB: Final = 300_000  # the interest of 0.01 % per 8 hours, for a whole day
# Steps seen before the kill, and whether the venue is then stopped amid the settlement.
FUNDING_KILLS: Final = ((1, False), (3, True), (2, False))
ATTEMPTS_MAX: Final = 4  # of each kill: one that comes when all is settled says nothing


# -- the cascade ----------------------------------------------------------------------------------


class Cascade:
    """Longs that the crash ruins, and those it does not; by owner."""

    def __init__(self) -> None:
        stage = self.stage = Stage(HOUR)
        self.lots: dict[int, int] = {}
        self.safe: list[int] = []
        stage.do(commands.Deposit(FUND_UID, CONTRACT_WALLET, ASSET, FUND))
        for first in range(0, LONGS, BLOCK):
            numbers = range(first, first + BLOCK)
            seller = stage.owner(f"short{first}", 20_000 + 100 * first)
            stage.short(seller, sum(10 + number % 7 for number in numbers))
            for number in numbers:
                self._long(number)
        buyer = stage.owner("buyer", 10_000_000)
        stage.long(buyer, BID_LOTS, BID, GTC)
        stage.do(commands.Tick())
        stage.finish()
        self.ruined = [uid for uid in self.lots if uid not in self.safe]

    def _long(self, number: int) -> None:
        lots = 10 + number % 7
        safe = number % 5 == 0
        uid = self.stage.owner(f"long{number}", lots * (1_010 if safe else 70))
        if number % 3 == 1 and not safe:
            self.stage.do(commands.SetMarginMode(uid, SYMBOL, ISOLATED))
        self.stage.long(uid, lots)
        self.lots[uid] = lots
        if safe:
            self.safe.append(uid)

    def straight(self) -> tuple[Engine, Told]:
        """The same crash without a kill."""
        told = Told()
        stage = self.stage
        told.events += stage.do(commands.PostIndex(SYMBOL, "desk", CRASH, jump=True))
        told.events += stage.finish()
        return stage.engine, told


def closed(told: Told) -> list[PositionClosed]:
    """The lives of positions that ended, without what a clock or counter has in them."""
    lives = [replace(life, position_id=0, created=0) for life in told.of(PositionClosed)]
    return sorted(lives, key=lambda life: (life.uid, life.open_size, life.open_value))


def holdings(engine: Engine) -> dict[int, list[tuple[int, ...]]]:
    """Each owner's pools: the collateral, then side, lots and open value of each position."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for uid in engine.ledger.accounts:
        pools = found[uid] = []
        for pool in engine.holding(uid).pools():
            pools.append((0, pool.cash.collateral, 0))
            pools += [(held.side, held.quantity, held.value) for held in pool.positions]
    return found


def test_a_killed_cascade_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    cascade = Cascade()
    path = tmp_path / "venue.db"
    cascade.stage.write(path)
    expected, straight = cascade.straight()
    order = straight.victims()
    done: list[int] = []
    for beyond in CASCADE_KILLS:
        with start(path, *STANDS) as server:
            client = server.client()
            post(client, CRASH)
            reached = reach(client, sequence(client) + beyond)
            server.kill()
        done = check_killed_cascade(path, order, reached, done)
    keep(path, *STANDS)
    finish_cascade(path, open_positions(expected))
    assert verify(str(path)).problems == []
    engine, told = recovered(path)
    assert not engine.schedule.pending
    assert closed(told) == closed(straight)
    assert holdings(engine) == holdings(expected)
    check_cascade(path, cascade, engine)


def check_killed_cascade(
    path: Path, order: list[int], reached: int, before: list[int]
) -> list[int]:
    """The journal ends amid the cascade, with all that was answered; return the liquidated."""
    engine, told = recovered(path)
    assert engine.sequence >= reached
    assert engine.schedule.pending
    done = told.victims()
    assert done[: len(before)] == before
    assert len(before) < len(done) <= len(order) - LIQUIDATIONS_MAX
    assert done == order[: len(done)]
    assert verify(str(path)).problems == []
    return done


def open_positions(engine: Engine) -> int:
    return len(engine.contracts.markets[SYMBOL].positions)


def finish_cascade(path: Path, left: int) -> None:
    """Start once more, wait until so many positions are left, and stop."""
    with start(path, *STANDS) as server:
        until_left(server.client(), CRASH, left)
        assert server.stop() == 0


def check_cascade(path: Path, cascade: Cascade, engine: Engine) -> None:
    """By history's rows alone: everyone once, every lot once, every atom somewhere."""
    items = check_money(path, engine)
    kinds = Counter((item.uid, item.kind) for item in items)
    lives = Counter(row.life.uid for row in rows(path, tables.EndedPosition))
    liquidated = rows(path, tables.LiquidationRow)
    assert all(row.finished for row in liquidated)
    liquidations = Counter(row.uid for row in liquidated)
    opened: Counter[int] = Counter()
    ended: Counter[int] = Counter()
    for fill in rows(path, tables.ContractFill):
        (opened if fill.opens else ended)[fill.uid] += fill.quantity
    for uid in cascade.ruined:
        assert (kinds[uid, "start_liquidate"], kinds[uid, "finish_liquidate"]) == (1, 1)
        assert (liquidations[uid], lives[uid]) == (1, 1)
        assert opened[uid] == ended[uid] == cascade.lots[uid]
    for uid in cascade.safe:
        assert (liquidations[uid], lives[uid], ended[uid]) == (0, 0, 0)
        assert opened[uid] == cascade.lots[uid]
    steps = rows(path, tables.StepRow)
    for way in ("filled", "taken_over", "deleveraged"):
        assert sum(getattr(step, way) for step in steps) > 0, way
    for step in steps:
        assert step.filled + step.taken_over + step.deleveraged == step.wanted
    earned = sum(item.amount for item in items if item.kind == "order_liquidate_fee_income")
    assert earned == sum(step.fee for step in steps)
    assert sum(item.amount for item in items if item.kind == "order_fix_margin_amount") == 0
    assert sum(item.amount for item in items if item.uid == FUND_UID) == (
        engine.account(FUND_UID).contract[engine.ledger.ordinals[ASSET]].collateral
    )


# -- the settlement -------------------------------------------------------------------------------


class Payday:
    """Positions whose funding is due and waits for a current index: (owner, side, lots) by id."""

    def __init__(self) -> None:
        stage = self.stage = Stage(-HOUR)
        for first in range(0, PAIRS, PER_OWNER):
            buyer, seller = (self._separated(f"{name}{first}") for name in ("long", "short"))
            for number in range(first, first + PER_OWNER):
                stage.short(seller, 5 + number % 13)
                stage.long(buyer, 5 + number % 13)
        # The newest positions: a settlement comes to them last.
        self.movers = [stage.owner(name, 1_000_000) for name in ("mover-a", "mover-b")]
        stage.short(self.movers[1], 40)
        stage.long(self.movers[0], 40)
        stage.time = stage.due - 20 * SECOND
        stage.post(MARK)  # the last mark that is known when it is due
        for passed in (-5, 5):  # ticks before and after the due time, when the index is stale
            stage.time = stage.due + passed * SECOND
            stage.do(commands.Tick())
            stage.finish()
        perp = stage.engine.contracts.markets[SYMBOL]
        self.positions = {
            held.position_id: (held.pool.account.uid, held.side, held.quantity)
            for held in perp.positions.values()
        }

    def _separated(self, name: str) -> int:
        uid = self.stage.owner(name, 200_000)
        mode = commands.SetMarginMode(uid, SYMBOL, ISOLATED, int(SeparatedMode.SEPARATED))
        self.stage.do(mode)
        return uid

    def payment(self, position_id: int) -> int:
        """Longs pay, rounded up; shorts receive, rounded down (atoms)."""
        _, side, lots = self.positions[position_id]
        return -side * lots * MARK * RATE_PPB // PPB


def test_a_killed_settlement_pays_every_position_once(tmp_path: Path) -> None:
    payday = Payday()
    stage = tmp_path / "stage"
    stage.mkdir()
    payday.stage.write(stage / "venue.db")
    for chunks, stopped in FUNDING_KILLS:
        path = tmp_path / f"killed-at-{chunks}" / "venue.db"
        kill_settlement(payday, stage, path, chunks)
        if stopped:
            keep(path)
        finish_settlement(path)
        assert verify(str(path)).problems == []
        check_settlement(path, payday)


def kill_settlement(payday: Payday, stage: Path, path: Path, chunks: int) -> None:
    """Kill a venue when that many steps of the settlement, or some more, were seen."""
    for _ in range(ATTEMPTS_MAX):
        shutil.rmtree(path.parent, ignore_errors=True)
        shutil.copytree(stage, path.parent)
        with start(path) as server:
            client = server.client()
            post(client, MARK)
            reached = reach(client, sequence(client) + chunks)
            server.kill()
        engine, told = recovered(path)
        assert engine.sequence >= reached
        perp = engine.contracts.markets[SYMBOL]
        if perp.settlement is None:
            continue  # the kill came too late
        assert engine.schedule.pending
        assert (chunks - 1) * CHUNK < perp.settlement.count < len(payday.positions)
        assert [event.due for event in told.of(FundingDue)] == [payday.stage.due]
        assert told.of(FundingSettled) == []
        paid = [event for event in told.of(Income) if event.kind == "position_funding"]
        assert len(paid) == perp.settlement.count
        assert verify(str(path)).problems == []
        return
    raise AssertionError("every kill came too late")


def finish_settlement(path: Path) -> None:
    """Start again; two positions shrink before the settlement comes to them; see it through."""
    with start(path) as server:
        operator = server.client()
        orders = (("mover-a", "SELL", "LONG"), ("mover-b", "BUY", "SHORT"))
        for name, side, position_side in orders:
            permissions = ["READ", "CONTRACT_TRADE"]
            key = operator.post("/_venue/keys", {"owner": name, "permissions": permissions}).json
            body = {
                "symbol": SYMBOL, "side": side, "positionSide": position_side, "type": "LIMIT",
                "timeInForce": "GTC", "quantity": "25", "price": str(MARK),
                "newClientOrderId": f"{name}-1",
            }  # fmt: skip
            answer = server.client(key).post("/capi/v3/order", body)
            assert answer.status == 200, answer.body
        post(operator, MARK)  # a settlement waits while the index is stale
        work_off(operator)
        assert server.stop() == 0


def check_settlement(path: Path, payday: Payday) -> None:
    """Check every position's payment by hand, and the account that got the difference."""
    engine, told = recovered(path)
    expected = {number: payday.payment(number) for number in payday.positions}
    items = [item for item in check_money(path, engine) if item.kind == "position_funding"]
    assert len(items) == len(payday.positions)
    crossed = {uid: number for number, (uid, _, _) in payday.positions.items()}
    paid = {item.position_id or crossed[item.uid]: item.amount for item in items}
    assert paid == expected
    (settled,) = told.of(FundingSettled)
    assert settled.positions == len(payday.positions)
    assert settled.paid == -sum(amount for amount in expected.values() if amount < 0)
    assert settled.received == sum(amount for amount in expected.values() if amount > 0)
    assert engine.ledger.dust[engine.ledger.ordinals[ASSET]] == settled.paid - settled.received > 0
    found = rows(path, tables.FundingRateRow)  # other contracts' may be due at the same time
    (row,) = [row for row in found if (row.symbol, row.due) == (SYMBOL, payday.stage.due)]
    assert (row.rate_ppb, row.mark_price, row.positions) == (RATE_PPB, MARK, settled.positions)
    assert (row.skipped, row.paid, row.received) == (0, settled.paid, settled.received)
    perp = engine.contracts.markets[SYMBOL]
    assert perp.settlement is None
    assert {number: held.funding_fee for number, held in perp.positions.items()} == expected
    assert [perp.positions[crossed[uid]].quantity for uid in payday.movers] == [15, 15]
