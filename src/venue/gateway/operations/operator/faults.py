"""Operator operations on faults."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from msgspec import structs

from venue.api import errors, own
from venue.api.documents.table import ROWS
from venue.api.operation import Empty, Row
from venue.api.operator.faults import (
    ChangeFaultRequest,
    Effect,
    FaultId,
    FaultMatch,
    FaultRequest,
    FaultView,
    Preset,
    PresetRequest,
    Tried,
    TryRequest,
    When,
)
from venue.candles import DAY_US
from venue.gateway.door import Call, Door
from venue.gateway.faults.effects import check, shown_side
from venue.gateway.faults.presets import PRESETS, make_rarer
from venue.gateway.faults.rules import (
    OF_READS,
    READING,
    RULES_MAX,
    FaultRules,
    Rule,
    RuleSubject,
    is_like,
)
from venue.gateway.operations.operator.venue import owner
from venue.node.node import Node
from venue.times import INSTANT_RULE, instant_us, span_us
from venue.vocabulary import Access

MIDNIGHT: Final = "midnight"
TIME_RULE: Final = f"{INSTANT_RULE}, a span from now such as +90s, {MIDNIGHT} or {MIDNIGHT}+30s"
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)(%?)", re.ASCII)
_RESERVED: Final = ("try", "presets")  # they are paths of their own
_HIT: Final = [  # by rules: what stands under /_venue/ is not
    row for row in ROWS if row.access is not Access.OPERATOR and row not in own.ROWS
]


def faults(call: Call, _: Empty) -> list[FaultView]:
    """Return the rules with their counts."""
    return [rule.view() for rule in call.door.faults.all()]


def add_fault(call: Call, request: FaultRequest) -> FaultView:
    """Return a new rule."""
    rules = call.door.faults
    rule_id = request.id if request.id is not None else rules.new_id()
    if rules.find(rule_id) is not None:
        raise errors.invalid("id", "a rule has this id; change or remove that one")
    return _put_rule(call.door, rule_id, request).view()


def change_fault(call: Call, request: ChangeFaultRequest) -> FaultView:
    """Change a rule, which keeps its place."""
    rule = _find_rule(call.door.faults, request.id)
    if request.match is not None or request.when is not None or request.effect is not None:
        changed = FaultRequest(
            effect=request.effect or rule.effect,
            match=request.match or rule.match,
            when=request.when or rule.when,
            enabled=rule.enabled,
        )
        rule = _put_rule(call.door, request.id, changed)
    if request.enabled is not None:
        rule.enabled = request.enabled
    return rule.view()


def remove_fault(call: Call, request: FaultId) -> FaultView:
    """Forget a rule."""
    rule = _find_rule(call.door.faults, request.id)
    call.door.faults.remove(request.id)
    return rule.view()


def clear_faults(call: Call, _: Empty) -> list[FaultView]:
    """Forget all rules; the rules as they were."""
    rules = call.door.faults
    views = [rule.view() for rule in rules.all()]
    rules.clear()
    return views


def try_fault(call: Call, request: TryRequest) -> list[Tried]:
    """Return the rules that a request would meet."""
    node = call.node
    key = call.door.keys.by_key(request.key.encode()) if request.key is not None else None
    uid = key.view.uid if key is not None else 0
    if request.owner is not None:
        uid = owner(node, request.owner).uid
    method, path = request.method or "GET", request.path or ""
    row = _row(method, path)
    asked = RuleSubject(
        operation=row.name if row is not None else "",
        path=path,
        method=method,
        uid=uid,
        key=request.key or "",
        symbol=(request.symbol or "").upper(),
        side=request.side or "",
        channel=request.channel or "",
        places=row is not None and row.orders > 0,
        reads=row is not None and row.access in READING,
    )
    return call.door.faults.try_rules(asked, node.clock.now())


def _row(method: str, path: str) -> Row | None:
    for row in ROWS:
        if row.method == method and row.path == path:
            return row
    return None


def fault_presets(call: Call, _: Empty) -> list[Preset]:
    """Return the sets of rules that there are."""
    return [
        Preset(name, outage.description, [f"{name}.{rule.id}" for rule in outage.rules])
        for name, outage in PRESETS.items()
    ]


def apply_fault_preset(call: Call, request: PresetRequest) -> list[FaultView]:
    """Add the rules of a preset: all of them, or on ApiError none."""
    outage = PRESETS.get(request.name)
    if outage is None:
        raise errors.invalid("name", f"must be one of {', '.join(PRESETS)}")
    rate = _rate(request.rate)
    wanted = {}
    for rule in outage.rules:
        when = make_rarer(rule.when, rate) if rate is not None else rule.when
        wanted[f"{request.name}.{rule.id}"] = FaultRequest(
            effect=rule.effect, match=rule.match, when=when
        )
    _check_room(call.door.faults, *wanted)  # the one reason to refuse a preset's rule
    return [_put_rule(call.door, rule_id, one).view() for rule_id, one in wanted.items()]


def _find_rule(rules: FaultRules, rule_id: str) -> Rule:
    rule = rules.find(rule_id)
    if rule is None:
        known = ", ".join(rule.id for rule in rules.all()) or "there is none"
        raise errors.invalid("id", f"no such rule; known: {known}")
    return rule


def _put_rule(door: Door, rule_id: str, request: FaultRequest) -> Rule:
    """Check a rule and put it in place; on ApiError nothing has changed."""
    rules, node = door.faults, door.node
    now = node.clock.now()
    if rule_id in _RESERVED:
        raise errors.invalid("id", f"must not be {' or '.join(_RESERVED)}")
    _check_room(rules, rule_id)
    match = _checked_match(node, request.match or FaultMatch(), request.effect)
    when = request.when or When()
    if when.probability is not None and float(when.probability) > 1:
        raise errors.out_of_range("when.probability", "allowed: 0 to 1")
    begin = _time("when.from", when.from_, now) or 0
    end = _time("when.until", when.until, now)
    if end is not None and end <= begin:
        raise errors.time_order("when.from", "when.until")
    uid = owner(node, match.owner).uid if match.owner is not None else None
    rule = rules.add(rule_id, match, when, _check_effect(request.effect), uid=uid)
    rule.begin, rule.end, rule.enabled = begin, end, request.enabled
    return rule


def _check_room(rules: FaultRules, *rule_ids: str) -> None:
    """ApiError when these rules would be too many; one takes the place of the rule of its id."""
    new = [rule_id for rule_id in rule_ids if rules.find(rule_id) is None]
    if new and len(rules.all()) + len(new) > RULES_MAX:
        raise errors.out_of_range("id", f"at most {RULES_MAX} rules are kept")


def _check_effect(effect: Effect) -> Effect:
    """Return an effect that is as its kind needs it, with its side named."""
    check(effect)
    return structs.replace(effect, side=shown_side(effect))


def _checked_match(node: Node, match: FaultMatch, effect: Effect) -> FaultMatch:
    method = match.method.upper() if match.method is not None else None
    _check_met(match.operation, method, effect.kind)
    symbol = match.symbol.upper() if match.symbol is not None else None
    if symbol is not None:
        _check_listed(node, symbol)
    return structs.replace(match, symbol=symbol, method=method)


def _check_listed(node: Node, symbol: str) -> None:
    """ApiError -1142 when neither product has a market of this name: the rule would hit nothing."""
    listed = [*node.engine.spot_markets, *node.engine.perps]
    if symbol not in listed:
        near = get_close_matches(symbol, listed, n=1)
        meant = f"; {near[0]} is one" if near else ""
        raise errors.invalid("match.symbol", f"no such market{meant}")


def _check_met(operation: str | None, method: str | None, kind: str) -> None:
    """ApiError -1142 when no request that clients can send has this operation; of a stale answer
    when none that reads has it and the method."""
    rows = [row for row in _HIT if operation is None or is_like(operation, row.name)]
    if operation is not None and not rows:
        near = get_close_matches(operation, [row.name for row in _HIT], n=1)
        meant = f"; {near[0]} is one" if near else ""
        raise errors.invalid("match.operation", f"no such operation of clients{meant}")
    if kind not in OF_READS:
        return
    rows = [row for row in rows if row.access in READING]
    if not rows:
        raise errors.invalid("match.operation", f"it reads nothing, and only reads can be {kind}")
    if method is not None and all(row.method != method for row in rows):
        raise errors.invalid("match.method", f"it reads nothing, and only reads can be {kind}")


def _time(name: str, text: str | None, now: int) -> int | None:
    """Return a venue time in µs, None without a text; ApiError for a text that is no time."""
    if text is None:
        return None
    base, plus, span = text.partition("+")
    try:
        if plus and base in ("", MIDNIGHT):
            return (now if not base else _midnight(now)) + span_us(span)
        return _midnight(now) if text == MIDNIGHT else instant_us(text)
    except ValueError:
        raise errors.invalid(name, TIME_RULE) from None


def _midnight(now: int) -> int:
    """Return the next midnight, UTC."""
    return (now // DAY_US + 1) * DAY_US


def _rate(text: str | None) -> float | None:
    if text is None:
        return None
    found = _PERCENT.fullmatch(text)
    rate = float(found[1]) / (100 if found[2] else 1) if found is not None else -1.0
    if not 0 <= rate <= 1:
        raise errors.out_of_range("rate", "allowed: 0 to 1, or 0% to 100%")
    return rate
