"""The rules of deliberate faults: the requests and frames that each is about, and its hits.

A rule is asked when a request arrives or a frame is due to leave. Each draws from random numbers of
its own, seeded by the run and its id, so that one more rule does not change when the others hit.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.api.operator.faults import Effect, FaultMatch, FaultView, Tried, When
from venue.api.streams.private import ORDERS
from venue.gateway.faults.stale import StaleAnswers
from venue.node.reverting import random_state
from venue.vocabulary import Access

RULES_MAX: Final = 100
FRAMES: Final = ("ws.disconnect", "ws.silence", "ws.gap", "ws.late", "ws.duplicate", "ws.empty")
NO_PING: Final = "ws.no_ping"
NO_PONG: Final = "ws.no_pong"
REFUSE: Final = "ws.refuse"
REJECT: Final = "reject_rate"
STALE: Final = "stale"
SPARSE: Final = "sparse"
EMPTY: Final = "ws.empty"
OF_READS: Final = (STALE, SPARSE)  # kinds that are about reads alone
READING: Final = (Access.PUBLIC, Access.READ)  # operations that change nothing
ANY: Final = "*"  # at the end of a path, an operation or a channel: any further text


class RuleSubject(Struct):
    """A request or a frame, as far as rules ask; empty text and None are not known.

    `batch` has symbol and side of each order of a batch, in place of `symbol` and `side`.
    """

    operation: str = ""
    path: str = ""
    method: str = ""
    uid: int = 0
    key: str = ""
    symbol: str = ""
    side: str = ""
    batch: tuple[tuple[str, str], ...] = ()
    channel: str = ""
    places: bool = False  # it would place an order
    reads: bool = False  # it changes nothing


class Hit(Struct, frozen=True):
    """One time that a rule hit: the hits of a run are numbered from 1, and the rule's own."""

    number: int
    rule: str
    nth: int
    effect: Effect


class RuleRecord(Struct, array_like=True):
    """A rule as it is kept; `drawn` is the state of its random numbers."""

    rule_id: str
    match: FaultMatch
    when: When
    effect: Effect
    enabled: bool
    uid: int | None
    begin: int
    end: int | None
    matched: int
    hits: int
    drawn: tuple[Any, ...]


class Rule:
    """A rule with its counts. `uid` is the owner it names, `begin` and `end` venue times, in µs."""

    def __init__(
        self,
        rule_id: str,
        match: FaultMatch,
        when: When,
        effect: Effect,
        *,
        uid: int | None,
        seed: str,
    ) -> None:
        self.id = rule_id
        self.match = match
        self.when = when
        self.effect = effect
        self.enabled = True
        self.uid = uid
        self.begin = 0
        self.end: int | None = None
        self.matched = 0
        self.hits = 0
        self.stale = StaleAnswers()
        self._random = Random(f"{seed}/{rule_id}")  # noqa: S311 - it must be repeatable

    def agrees(self, asked: RuleSubject) -> bool:
        """Return whether a request or frame is one that this rule is about."""
        match = self.match
        return (
            (self.uid is None or asked.uid == self.uid)
            and (match.operation is None or is_like(match.operation, asked.operation))
            and match.method in (None, asked.method)
            and match.key in (None, asked.key)
            and self._agrees_on_an_order(asked)
            and (match.channel is None or is_like(match.channel, asked.channel))
            and (match.path is None or is_like(match.path, asked.path))
            and (asked.places or self.effect.kind != REJECT)
            and (asked.reads or self.effect.kind not in OF_READS)
            and (asked.channel == ORDERS or self.effect.kind != EMPTY)
        )

    def _agrees_on_an_order(self, asked: RuleSubject) -> bool:
        """Return whether one order agrees in symbol and side alike: of a batch any one of its
        orders."""
        match = self.match
        return any(
            match.symbol in (None, symbol) and match.side in (None, side)
            for symbol, side in asked.batch or ((asked.symbol, asked.side),)
        )

    def take(self, now: int) -> bool:
        """Count a match at a venue time; whether the rule hits it."""
        self.matched += 1
        drawn = self._random.random()  # always: a match that is left out does not move the others
        if not self._hits(now, self.matched, drawn):
            return False
        self.hits += 1
        return True

    def would_take(self, now: int) -> bool:
        """As `take`, without counting."""
        state = self._random.getstate()
        drawn = self._random.random()
        self._random.setstate(state)
        return self._hits(now, self.matched + 1, drawn)

    def _hits(self, now: int, number: int, drawn: float) -> bool:
        when = self.when
        if not self.enabled or now < self.begin or (self.end is not None and now >= self.end):
            return False
        if when.count is not None and self.hits >= when.count:
            return False
        number -= when.after or 0
        if number < 1 or (when.first is not None and number > when.first):
            return False
        if when.nth is not None and number not in when.nth:
            return False
        if when.every is not None and number % when.every:
            return False
        chance = self.effect.rate if self.effect.kind == REJECT else when.probability
        return chance is None or drawn < float(chance)

    def record(self) -> RuleRecord:
        """Return the whole rule, to be kept."""
        return RuleRecord(
            self.id, self.match, self.when, self.effect, self.enabled, self.uid, self.begin,
            self.end, self.matched, self.hits, self._random.getstate(),
        )  # fmt: skip

    @staticmethod
    def of(record: RuleRecord, seed: str) -> Rule:
        """Return the rule that was kept."""
        rule = Rule(
            record.rule_id, record.match, record.when, record.effect, uid=record.uid, seed=seed
        )
        rule.enabled, rule.begin, rule.end = record.enabled, record.begin, record.end
        rule.matched, rule.hits = record.matched, record.hits
        rule._random.setstate(random_state(record.drawn))
        return rule

    def view(self) -> FaultView:
        """Return the rule as the interface shows it."""
        return FaultView(
            self.id, self.enabled, self.match, self.when, self.effect, self.matched, self.hits
        )


class RulesRecord(Struct, array_like=True):
    """All rules, how many ids were made and how often any hit."""

    rules: list[RuleRecord]
    made: int
    hits: int


_decode: Final = msgspec.msgpack.Decoder(RulesRecord).decode


class FaultRules:
    """All rules, in the order they were made. `seed` names the run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._rules: dict[str, Rule] = {}
        self._made = 0
        self._hits = 0
        self.on_requests = False  # whether any rule is about requests, any about frames
        self.on_frames = False
        self.on_pings = False

    def add(
        self, rule_id: str, match: FaultMatch, when: When, effect: Effect, *, uid: int | None
    ) -> Rule:
        """Return a new rule, or one that begins again in the place of the one with its id."""
        rule = Rule(rule_id, match, when, effect, uid=uid, seed=self._seed)
        self._rules[rule_id] = rule
        self._sort()
        return rule

    def new_id(self) -> str:
        """Return an id that no rule has."""
        while True:
            self._made += 1
            made = f"fault-{self._made}"
            if made not in self._rules:
                return made

    def dump(self) -> bytes:
        """Return the rules with their counts and the states of their random numbers, as msgpack."""
        rules = [rule.record() for rule in self._rules.values()]
        return msgspec.msgpack.encode(RulesRecord(rules, self._made, self._hits))

    def restore(self, data: bytes) -> None:
        """Become the rules of a dump."""
        found = _decode(data)
        self._made, self._hits = found.made, found.hits
        self._rules = {one.rule_id: Rule.of(one, self._seed) for one in found.rules}
        self._sort()

    def find(self, rule_id: str) -> Rule | None:
        """Return the rule with an id."""
        return self._rules.get(rule_id)

    def remove(self, rule_id: str) -> None:
        """Forget a rule."""
        del self._rules[rule_id]
        self._sort()

    def clear(self) -> None:
        """Forget all rules."""
        self._rules.clear()
        self._sort()

    def all(self) -> list[Rule]:
        """Return the rules, in the order they were made."""
        return list(self._rules.values())

    def requests_hit(self, asked: RuleSubject, now: int) -> list[Hit]:
        """Return the rules that hit a request; each that agrees with it counts it."""
        return self._hit(
            (rule for rule in self._rules.values() if is_of_requests(rule)), asked, now
        )

    def frames_hit(self, asked: RuleSubject, now: int) -> list[Hit]:
        """Return the rules that hit a frame."""
        return self._hit(
            (rule for rule in self._rules.values() if rule.effect.kind in FRAMES), asked, now
        )

    def kind_hits(self, kind: str, asked: RuleSubject, now: int) -> list[Hit]:
        """Return the rules of one kind that hit: kinds of pings and of the openings of sockets."""
        return self._hit(
            (rule for rule in self._rules.values() if rule.effect.kind == kind), asked, now
        )

    def try_rules(self, asked: RuleSubject, now: int) -> list[Tried]:
        """Return the rules that agree with a request, and whether each would hit it."""
        return [
            Tried(rule.id, rule.would_take(now))
            for rule in self._rules.values()
            if rule.agrees(asked)
        ]

    def _hit(self, rules: Iterable[Rule], asked: RuleSubject, now: int) -> list[Hit]:
        hits = []
        for rule in rules:
            if rule.agrees(asked) and rule.take(now):
                self._hits += 1
                hits.append(Hit(self._hits, rule.id, rule.hits, rule.effect))
        return hits

    def _sort(self) -> None:
        rules = self._rules.values()
        self.on_requests = any(is_of_requests(rule) for rule in rules)
        self.on_frames = any(rule.effect.kind in FRAMES for rule in rules)
        self.on_pings = any(rule.effect.kind in (NO_PING, NO_PONG) for rule in rules)


def is_of_requests(rule: Rule) -> bool:
    """Return whether a rule is about requests, over REST or over a socket."""
    return not rule.effect.kind.startswith("ws.")


def is_like(wanted: str, text: str) -> bool:
    """Return whether a text is the wanted one, or begins so when that one ends in `*`."""
    return text.startswith(wanted[:-1]) if wanted.endswith(ANY) else text == wanted
