"""Rule 3.6: which client ids of ended conditional orders are remembered, and which go first."""

from __future__ import annotations

import random

import msgspec
import pytest

from support.order_desk import BUY, LONG, OTHER, SECOND, STOP_MARKET, SYMBOL, Desk
from venue.compiled import compiled
from venue.core.contract import consequences, ended
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import AlgoPlaced
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.state import snapshot
from venue.vocabulary import CLIENT_ID_MEMORY_US, CLIENT_IDS_PER_OWNER_MAX, Reject

pytestmark = pytest.mark.core

ABOVE = 1_050  # a trigger price that nothing reaches
OWN, ALL = 3, 7  # how many are remembered of an owner and in all, where a test lowers it
NAMES = ("ann", "ben", "cid", "dan")
STEPS = 400


class Venue:
    """An engine with a desk's owners, what it was told, and what has to be remembered."""

    def __init__(self) -> None:
        desk = Desk(*NAMES)
        self.engine = desk.engine
        self.uids = list(desk.uids.values())
        self.time = desk.time
        self.told: list[Command] = []
        self.begun = snapshot.dump(desk.engine)

    def do(self, command: Command) -> list[Event]:
        """Apply a command now."""
        command.time = self.time
        self.told.append(command)
        return self.engine.apply(msgspec.structs.replace(command))

    def place(self, uid: int, name: str, lots: int = 4, symbol: str = SYMBOL) -> Event:
        """Have a conditional order wait, unless its client id is known."""
        (said,) = self.do(
            commands.PlaceAlgo(uid, symbol, BUY, LONG, STOP_MARKET, lots, ABOVE, 0, 0, name)
        )
        return said

    def end(self, uid: int, name: str, symbol: str = SYMBOL) -> None:
        """One that waits and is cancelled: from now on its client id is one of an ended one."""
        placed = self.place(uid, name, symbol=symbol)
        assert isinstance(placed, AlgoPlaced), placed
        self.do(commands.CancelAlgo(uid, placed.algo_id))

    def known(self) -> list[str]:
        """The client ids that are remembered, oldest first."""
        perp = self.engine.contracts.markets[SYMBOL]
        return [algo.client_id for algo in perp.ended_algos.things()]

    def reload(self) -> None:
        """Go on with what a snapshot keeps."""
        self.engine = snapshot.load(snapshot.dump(self.engine))


@pytest.fixture
def venue() -> Venue:
    return Venue()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended, "CLIENT_IDS_PER_OWNER_MAX", OWN)
    monkeypatch.setattr(ended, "CLIENT_IDS_ENDED_MAX", ALL)


lowered = pytest.mark.skipif(compiled(), reason="compiled, a constant cannot be changed")


def test_an_owners_many_push_out_its_own_oldest_alone(venue: Venue) -> None:
    """Enemy: an owner ends conditional orders by the thousand, so that others' are placed twice."""
    ann, ben, *_ = venue.uids
    venue.end(ann, "first")
    for number in range(CLIENT_IDS_PER_OWNER_MAX + 1):
        venue.end(ben, f"{number}")
    whole = venue.engine
    for going_on in (whole, snapshot.load(snapshot.dump(whole))):
        venue.engine = going_on
        assert len(venue.known()) == CLIENT_IDS_PER_OWNER_MAX + 1
        assert isinstance(venue.place(ann, "first"), OrderRepeated)
        assert isinstance(venue.place(ben, "1"), OrderRepeated)
        refused = venue.place(ben, "1", lots=5)
        assert isinstance(refused, Rejected)
        assert refused.reason == Reject.CLIENT_ID_USED
        venue.end(ben, "0")  # was forgotten, and makes "1" go now
        venue.end(ben, "1")
    assert snapshot.dump(whole) == snapshot.dump(venue.engine)


@lowered
def test_the_oldest_of_all_makes_room_for_anybodys(venue: Venue, few: None) -> None:
    ann, ben, cid, dan = venue.uids
    for number in range(2):
        for uid in (ann, ben, cid):
            venue.end(uid, f"{uid}-{number}")
    venue.end(dan, "a")
    assert len(venue.known()) == ALL
    venue.end(dan, "b")
    assert venue.known() == [
        f"{ben}-0", f"{cid}-0", f"{ann}-1", f"{ben}-1", f"{cid}-1", "a", "b",
    ]  # fmt: skip
    for name in "cdefg":  # its third pushes out another's, all after that its own
        venue.end(dan, name)
    assert venue.known() == [f"{cid}-0", f"{ann}-1", f"{ben}-1", f"{cid}-1", "e", "f", "g"]
    assert isinstance(venue.place(cid, f"{cid}-0"), OrderRepeated)
    assert isinstance(venue.place(ben, f"{ben}-0"), AlgoPlaced)


@lowered
def test_each_contract_has_a_memory_of_its_own(venue: Venue, few: None) -> None:
    ann, *_ = venue.uids
    venue.end(ann, "here")
    for number in range(OWN + 1):
        venue.end(ann, f"{number}", OTHER)
    assert isinstance(venue.place(ann, "here"), OrderRepeated)
    assert isinstance(venue.place(ann, "0"), AlgoPlaced)


@lowered
def test_a_forgotten_id_that_waits_again_stays_known(venue: Venue, few: None) -> None:
    """The older order of the same name goes; the one that waits answers for the name."""
    ann, *_ = venue.uids
    venue.end(ann, "x")
    venue.time += CLIENT_ID_MEMORY_US
    waiting = venue.place(ann, "x")
    assert isinstance(waiting, AlgoPlaced)
    for name in "abc":
        venue.end(ann, name)
    assert venue.known() == ["a", "b", "c"]
    repeated = venue.place(ann, "x")
    assert isinstance(repeated, OrderRepeated)
    assert repeated.order_id == waiting.algo_id


def test_all_are_forgotten_after_a_day_oldest_first(venue: Venue) -> None:
    names = [f"{number}" for number in range(12)]
    begun = venue.time
    for number, name in enumerate(names):
        venue.end(venue.uids[number % len(NAMES)], name)
        venue.time += SECOND
    venue.reload()
    for gone in range(len(names) + 1):
        venue.time = begun + CLIENT_ID_MEMORY_US + gone * SECOND - 1
        venue.do(commands.Tick())
        assert venue.known() == names[gone:]
    holdings = venue.engine.contracts.collateral.holdings.values()
    assert not any(holding.algo_clients for holding in holdings)


@lowered
def test_a_tick_forgets_a_bounded_number_of_all_contracts(
    venue: Venue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others count no more, as if they were forgotten."""
    monkeypatch.setattr(consequences, "FORGOTTEN_MAX", 5)
    ann, *_ = venue.uids
    for number in range(7):
        venue.end(ann, f"{number}")
    venue.end(ann, "there", symbol=OTHER)
    venue.time += CLIENT_ID_MEMORY_US
    venue.do(commands.Tick())
    assert venue.known() == ["5", "6"]
    other = venue.engine.contracts.markets[OTHER].ended_algos
    assert len(other.things()) == 1
    assert isinstance(venue.place(ann, "6"), AlgoPlaced)
    assert isinstance(venue.place(ann, "there"), AlgoPlaced)
    venue.reload()
    venue.do(commands.Tick())
    assert venue.known() == []
    assert venue.engine.contracts.markets[OTHER].ended_algos.things() == []
    assert isinstance(venue.place(ann, "6"), OrderRepeated)


@lowered
def test_a_memory_of_a_former_snapshot_is_kept_and_grows_no_more(
    venue: Venue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Former rules had no bound for an owner: what it has beyond that ends with its day."""
    ann, ben, *_ = venue.uids
    for number in range(ALL + 2):
        venue.end(ann, f"{number}")
    monkeypatch.setattr(ended, "CLIENT_IDS_PER_OWNER_MAX", OWN)
    monkeypatch.setattr(ended, "CLIENT_IDS_ENDED_MAX", ALL)
    before = snapshot.state_hash(venue.engine)
    venue.reload()
    assert snapshot.state_hash(venue.engine) == before
    venue.end(ann, "new")
    assert venue.known() == ["1", "2", "3", "4", "5", "6", "7", "8", "new"]
    venue.end(ben, "his")
    assert venue.known() == ["2", "3", "4", "5", "6", "7", "8", "new", "his"]


class Memory:
    """The ids that have to be remembered, in a plain list: owner, client id, when it ended."""

    def __init__(self) -> None:
        self.ended: list[tuple[int, str, int]] = []

    def keep(self, uid: int, name: str, time: int) -> None:
        self.ended.append((uid, name, time))
        own = [each for each in self.ended if each[0] == uid]
        if len(own) > OWN:
            self.ended.remove(own[0])
        elif len(self.ended) > ALL:
            del self.ended[0]

    def knows(self, uid: int, name: str, time: int) -> bool:
        return any(
            each[:2] == (uid, name) and each[2] > time - CLIENT_ID_MEMORY_US for each in self.ended
        )

    def expire(self, time: int) -> None:
        self.ended = [each for each in self.ended if each[2] > time - CLIENT_ID_MEMORY_US]


@lowered
@pytest.mark.parametrize("seed", range(6))
def test_random_ends_are_remembered_live_reloaded_and_replayed(
    venue: Venue, few: None, seed: int
) -> None:
    chance = random.Random(seed)
    memory = Memory()
    for step in range(STEPS):
        venue.time += chance.choice((1, SECOND, CLIENT_ID_MEMORY_US // 3))
        uid, name = chance.choice(venue.uids), chance.choice("abcdef")
        said = venue.place(uid, name)
        if memory.knows(uid, name, venue.time):
            assert isinstance(said, OrderRepeated)
        else:
            assert isinstance(said, AlgoPlaced)
            venue.do(commands.CancelAlgo(uid, said.algo_id))
            memory.keep(uid, name, venue.time)
        if step % 5 == 0:
            venue.do(commands.Tick())
            memory.expire(venue.time)
        assert venue.known() == [name for _, name, _ in memory.ended]
        if step == STEPS // 2:
            live = venue.engine
            venue.reload()
            rest = len(venue.told)
            assert snapshot.state_hash(venue.engine) == snapshot.state_hash(live)
    for engine, told in ((live, venue.told[rest:]), (snapshot.load(venue.begun), venue.told)):
        replayed(engine, told)
        assert snapshot.dump(engine) == snapshot.dump(venue.engine)


def replayed(engine: Engine, told: list[Command]) -> None:
    for command in told:
        engine.apply(msgspec.structs.replace(command))
