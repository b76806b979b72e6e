"""Whom deleveraging asks first: the highest score among all positions of a side (rule 7.5)."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, SYMBOL, ContractWorld, of, wide
from venue.core.contract.collateral import FUND_UID
from venue.core.contract.position import equity
from venue.core.contract.records import Position
from venue.core.contract.risk.deleveraging import bearable
from venue.core.contract.risk.ranking import SCORED_PER_UNIT, score
from venue.core.engine import Engine
from venue.core.messages.commands import PostIndex, Proceed, SetLeverage, SetMarginMode
from venue.core.messages.contract_events import Deleveraged, LiquidationStep
from venue.core.messages.events import Event
from venue.core.state import snapshot
from venue.vocabulary import CROSSED, ISOLATED, SEPARATED, SHORT

pytestmark = pytest.mark.core

HUNDREDFOLD = replace(CONTRACT, leverage_max=100, tiers=wide(100, 5_000), index_step_ppm=3_000)
SLICE = 400  # units of liquidating per slice
Asked = tuple[int, int, int]  # (position id, lots, score)


def crowded(honest: int, *, checked: bool = True) -> ContractWorld:
    """No fund. `honest` are short 2 lots each at 1,010 with all of their value; thief is short 20
    at 1,000 with 240; ann, long 20 in an isolated pool of 1,000, is bankrupt at 950."""
    world = ContractWorld("ann", "zoe", fund=0, contract=HUNDREDFOLD, checked=checked)
    world.isolate("ann")
    world.owner("thief", 240)
    world.ok(SetLeverage(world.uids["thief"], SYMBOL, cross=100))
    world.post(1_010)
    for number in range(honest):
        world.owner(f"honest{number}", 2_030)
        world.short(f"honest{number}", 2, 1_010)
        world.long("zoe", 2, 1_010)
    world.post(1_000)
    world.short("thief", 20, 1_000)
    world.long("ann", 20, 1_000)
    return world


def asked(events: list[Event]) -> list[Asked]:
    return [(event.position_id, event.quantity, event.score) for event in of(events, Deleveraged)]


def twin(world: ContractWorld, mark: int) -> Engine:
    """The same state, whose mark has moved."""
    engine = snapshot.load(snapshot.dump(world.engine))
    engine.contracts.markets[SYMBOL].mark = mark
    return engine


def expected(engine: Engine, step: LiquidationStep) -> list[Asked]:
    """All positions of the other side by score, each with what it can bear, until the lots end."""
    positions = engine.contracts.markets[SYMBOL].positions
    others: list[Position] = [
        other
        for other in positions.values()
        if other.side != step.side and other.pool.account.uid != FUND_UID
    ]
    others.sort(key=lambda other: (-score(other, equity(other.pool)), other.position_id))
    left = step.wanted - step.filled - step.taken_over
    found = []
    for other in others:
        lots = bearable(other, min(left, other.quantity), step.bankruptcy_price)
        if lots:
            found.append((other.position_id, lots, score(other, equity(other.pool))))
            left -= lots
        if not left:
            break
    return found


def first_step(events: list[Event]) -> LiquidationStep:
    return of(events, LiquidationStep)[0]


def test_one_at_100x_goes_before_65_honest_shorts() -> None:
    """The honest gain 11 % at leverage 0.8, the thief 10 % at nearly 9: it gives up its 20 lots,
    however many better entry prices there are."""
    world = crowded(65)
    thief = world.position("thief", SHORT)
    engine = twin(world, 900)
    events = world.post(900)
    (only,) = asked(events)
    assert only[:2] == (thief.position_id, 20)
    assert of(events, Deleveraged)[0].rank == 1
    assert [only] == expected(engine, first_step(events))
    assert all(world.position(f"honest{number}", SHORT).quantity == 2 for number in range(65))


@pytest.mark.parametrize("seed", range(12))
def test_the_ranking_is_the_one_of_all_scores(seed: int) -> None:
    """Owners with every leverage, entry and size; each fall of the mark asks in the naive order,
    and a twin loaded from the state between says the same."""
    chance = random.Random(seed)
    world = ContractWorld("ann", "zoe", fund=0, contract=HUNDREDFOLD, money=10**9, checked=False)
    world.isolate("ann")
    count = chance.choice([5, 90, 150])
    for number in range(count):
        price = chance.randrange(990, 1_011)
        lots = chance.randrange(1, 9)
        leverage = chance.choice([1, 2, 5, 20, 60, 100])
        name = f"short{number}"
        world.post(price)
        world.owner(name, lots * price // leverage + chance.randrange(40) + 20)
        world.ok(SetLeverage(world.uids[name], SYMBOL, leverage, leverage, leverage))
        if chance.random() < 0.3:
            mode = chance.choice([CROSSED, ISOLATED])
            world.ok(SetMarginMode(world.uids[name], SYMBOL, mode, SEPARATED))
            while lots > 1:
                world.short(name, 1, price)
                world.long("zoe", 1, price)
                lots -= 1
        world.short(name, lots, price)
        world.long("zoe", lots, price)
    world.post(1_000)
    for mark in sorted(chance.sample(range(880, 945), 3), reverse=True):
        world.post(1_000)
        lots = chance.randrange(1, count * 2)
        world.short("zoe", lots, 1_000)
        world.long("ann", lots, 1_000)
        engine = twin(world, mark)
        other = snapshot.load(snapshot.dump(world.engine))
        events = world.post(mark)
        said = PostIndex(SYMBOL, "desk", mark, world.time, jump=True)
        assert other.apply(said) == events
        first = first_step(events)
        naive = expected(engine, first)
        told = asked(events)[: len(naive)]
        assert told
        assert told == naive[: len(told)]
        assert len(told) == len(naive) or world.pending()  # the slice ended before the lots
        while world.pending():
            events = world.ok(Proceed())
            assert other.apply(Proceed(time=world.time)) == events


def test_many_are_ranked_in_slices_while_marks_move() -> None:
    """1,250 positions take several slices, in which nobody is liquidated; every slice is bounded,
    the mark may move meanwhile, and a twin goes on from the state between two slices."""
    world = crowded(1_250, checked=False)
    thief = world.position("thief", SHORT)
    positions = len(world.perp.positions)
    world.tick()
    while world.pending():  # every pool was looked at
        world.ok(Proceed())
    assert asked(world.post(900)) == []
    slices = 1
    found: list[Event] = []
    while not found:
        assert world.pending()
        other = snapshot.load(snapshot.dump(world.engine))
        if slices == 1:
            found = world.post(901)
            assert other.apply(PostIndex(SYMBOL, "desk", 901, world.time, jump=True)) == found
        else:
            found = world.ok(Proceed())
            assert other.apply(Proceed(time=world.time)) == found
        found = of(found, Deleveraged)
        slices += 1
    assert slices == -(-positions // (SLICE * SCORED_PER_UNIT))
    assert asked(found)[0][:2] == (thief.position_id, 20)
    assert not world.pending()


def split(pieces: int, mode: int) -> ContractWorld:
    """No fund. honest is short 100 lots at 1,000 with 30,000, thief with 5,200 in so many pieces;
    ann, long 100 with 5,200, is bankrupt at 948."""
    world = ContractWorld("zoe", fund=0, checked=pieces < 100)
    world.owner("honest", 30_000)
    world.owner("thief", 5_300)
    world.owner("ann", 5_200)
    if pieces > 1:
        world.ok(SetMarginMode(world.uids["thief"], SYMBOL, mode, SEPARATED))
    elif mode == ISOLATED:
        world.isolate("thief")
    for _ in range(pieces):
        world.short("thief", 100 // pieces, 1_000)
    world.short("honest", 100, 1_000)
    world.long("ann", 100, 1_000)
    world.long("zoe", 100, 1_000)
    return world


@pytest.mark.parametrize("mode", [CROSSED, ISOLATED], ids=["cross", "isolated"])
@pytest.mark.parametrize("pieces", [1, 2, 5, 20, 100])
def test_pieces_are_asked_like_the_whole(pieces: int, mode: int) -> None:
    """5 lots of 100 counted as a twentieth of the leverage, and the honest short was asked."""
    world = split(pieces, mode)
    events = world.post(930)
    while world.pending():
        events += world.ok(Proceed())
    deleveraged = of(events, Deleveraged)
    assert {event.uid for event in deleveraged} == {world.uids["thief"]}
    assert sum(event.quantity for event in deleveraged) == 100
    assert deleveraged[0].score > 500_000
    assert world.position("honest", SHORT).quantity == 100


@pytest.mark.parametrize("seed", range(6))
def test_the_score_of_a_piece_is_that_of_the_whole(seed: int) -> None:
    """Two owners with one money and the same trades, one combined, one in pieces, cross: at each
    mark each piece has the score of the whole. In isolated pieces none gains less than all do."""
    chance = random.Random(seed)
    world = ContractWorld("zoe", fund=0, contract=HUNDREDFOLD)
    for name, mode in (("pieces", CROSSED), ("apart", ISOLATED), ("whole", CROSSED)):
        world.owner(name, 40_000)
        world.ok(SetLeverage(world.uids[name], SYMBOL, 4, 4, 4))
        if name != "whole":
            world.ok(SetMarginMode(world.uids[name], SYMBOL, mode, SEPARATED))
    lots = [chance.randrange(1, 9) for _ in range(7)]
    for each in lots:
        price = chance.randrange(1_000, 1_051)
        world.post(price)
        for name in ("pieces", "apart", "whole"):
            world.short(name, each, price)
        world.long("zoe", 3 * each, price)
    total = sum(lots)
    for mark in (940, 1_000, 1_060):
        world.post(mark)
        whole = world.position("whole", SHORT)
        expected = score(whole, equity(whole.pool))
        pieces = list(world.holding("pieces").positions.values())
        assert len(pieces) == len(lots)
        assert {score(piece, equity(piece.pool)) for piece in pieces} == {expected}
        gain = total * mark - whole.value
        for piece in world.holding("apart").positions.values():
            own = equity(piece.pool)
            at_mark = piece.quantity * mark
            least = -gain * at_mark * 1_000_000 // (whole.value * own) if gain < 0 else -(10**15)
            assert score(piece, own) >= least
