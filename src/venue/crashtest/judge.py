"""Judges a bot's run by the venue's ledger, and by the answers and frames that the bot got."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from msgspec import Struct

from venue.crashtest.record import Record, RecordedExchange, market_of

TWICE: Final = "an intent was executed twice"
ORPHAN: Final = "an order is left that the bot does not know of"
NOT_FLAT: Final = "the bot ended and left something open"
LIMIT: Final = "a limit was not kept"
ENDED: Final = "the bot ended by itself"
HUNG: Final = "the bot did not stop"
FLOOD: Final = "the bot flooded the venue"
HASTE: Final = "the bot went on asking while it was told to wait"
HASTE_MAX: Final = 5
STALE: Final = "an order was placed by a book that had stood still"
STALE_MS: Final = 5_000
UNREAD: Final = "the bot did not read its stream"
MISUSE: Final = "the venue closed a stream for what the bot did"


class Finding(Struct, frozen=True):
    """A broken rule, with the details; nothing of it depends on ids or on the machine's time."""

    rule: str
    words: str


class BotLimits(Struct, frozen=True):
    """The limits that a bot must keep; `may_hold`: positions may be left open at the end."""

    may_hold: bool = False
    max_orders: int | None = None  # open at a time
    max_position: Decimal | None = None  # of a market, in units of the base asset


class JudgedLedger(Struct, frozen=True):
    """The venue's record at the end: the owner's orders and fills, oldest first, with the open
    orders and the positions."""

    orders: list[dict[str, Any]]
    fills: list[dict[str, Any]]
    open_orders: list[dict[str, Any]]
    positions: list[dict[str, Any]]


def judged(
    record: Record, ledger: JudgedLedger, limits: BotLimits, planned: dict[str, int] | None = None
) -> list[Finding]:
    """Return the findings of a run. `planned` is how many orders of each intent the bot executes
    before it exits; None: it runs until it is stopped."""
    done = executed(record, ledger)
    return [
        *(
            finding
            for intent, finding in _repetitions(record, ledger)
            if planned is None or done.get(intent, 0) > planned.get(intent, 0)
        ),
        *_still_open(record, ledger, may_hold=limits.may_hold),
        *_beyond(ledger, limits),
        *_too_early(record),
    ]


def executed(record: Record, ledger: JudgedLedger) -> dict[str, int]:
    """Return how many placements of each intent became orders."""
    counts: dict[str, int] = {}
    placements = record.placements()
    for one in placements:
        if _order_of(one, ledger, placements) is not None:
            counts[_in_words(one)] = counts.get(_in_words(one), 0) + 1
    return counts


def stale(record: Record, ledger: JudgedLedger) -> list[Finding]:
    """Return the first order that a bot placed from outdated data: a stream shows it the market,
    but neither the stream nor an answer had shown it the market for a while."""
    placements = record.placements()
    for at, one in enumerate(placements, 1):
        if (
            one.seen is not None
            and one.time - one.seen > STALE_MS
            and _order_of(one, ledger, placements) is not None
        ):
            words = (
                f"{_in_words(one)} was placed, and for more than {STALE_MS // 1000} s of the venue"
                f" the bot had not been shown this market (placement {at})"
            )
            return [Finding(STALE, words)]
    return []


def _repetitions(record: Record, ledger: JudgedLedger) -> list[tuple[str, Finding]]:
    """Repeated placements, each with its intent: the bot had lost the answer, and had not found the
    order before it repeated it."""
    found = []
    placements = record.placements()
    orders = [_order_of(one, ledger, placements) for one in placements]
    for at, (first, order) in enumerate(zip(placements, orders, strict=True)):
        if order is None or _acknowledged(first, order):
            continue
        for place, (second, other) in enumerate(zip(placements, orders, strict=True)):
            if place <= at or other is None or other is order or not _alike(first, second):
                continue
            if not _was_shown(record, order, first.number, second.number):
                words = (
                    f"{_in_words(first)} was executed, and the bot got no answer (placement"
                    f" {at + 1}); it sent the same order again without looking for the first"
                    f" (placement {place + 1}), and that was executed too"
                )
                found.append((_in_words(first), Finding(TWICE, words)))
            break
    return found


def _order_of(
    placement: RecordedExchange, ledger: JudgedLedger, placements: list[RecordedExchange]
) -> dict[str, Any] | None:
    """Return the order that a placement became; None: it became none, or repeats another
    placement."""
    client = placement.values.get("newClientOrderId")
    if client:
        same = [one for one in placements if one.values.get("newClientOrderId") == client]
        orders = [one for one in ledger.orders if one["clientOrderId"] == client]
        at = same.index(placement)
        # A client id that is used again is an order of its own once the first one has ended.
        return orders[at] if at < len(orders) else None
    there = [
        one
        for one in ledger.orders
        if one["time"] == placement.time
        and one["symbol"] == placement.values.get("symbol")
        and one["side"] == placement.values.get("side")
    ]
    return there[0] if there else None


def _acknowledged(placement: RecordedExchange, order: dict[str, Any]) -> bool:
    return placement.status == 200 and str(order["orderId"]).encode() in placement.answer


def _was_shown(record: Record, order: dict[str, Any], after: int, before: int) -> bool:
    """Return whether the bot was shown an order in between: by its ids, or by the effects of its
    fills."""
    words = [str(order["orderId"]).encode(), str(order["clientOrderId"]).encode()]
    if record.mentions(words, after, before):
        return True
    return float(order["executedQty"]) > 0 and record.shows_effects(after, before)


_SAME: Final = ("symbol", "side", "positionSide", "quantity")


def _alike(first: RecordedExchange, second: RecordedExchange) -> bool:
    """Return whether two placements have the same intent: market, side and quantity; the price may
    differ."""
    return first.operation == second.operation and all(
        str(first.values.get(name)) == str(second.values.get(name)) for name in _SAME
    )


def _still_open(record: Record, ledger: JudgedLedger, *, may_hold: bool) -> list[Finding]:
    """Return the orders and positions that are open at the end."""
    found = []
    counted = len(record.exchanges) + 1
    for order in ledger.open_orders:
        ids = [str(order.get(name, "")).encode() for name in ("orderId", "algoId", "clientOrderId")]
        known = record.mentions([one for one in ids if len(one) > 1], 0, counted)
        words = f"{order.get('side')} {order.get('origQty', '')} {order.get('symbol')} is open"
        found.append(Finding(NOT_FLAT if known else ORPHAN, " ".join(words.split())))
    if not may_hold:
        found += [
            Finding(NOT_FLAT, f"a position {one['side']} {one['size']} {one['symbol']} is held")
            for one in ledger.positions
        ]
    return found


def _beyond(ledger: JudgedLedger, limits: BotLimits) -> list[Finding]:
    """Return the limits that were exceeded."""
    found = []
    if limits.max_orders is not None and _most_open(ledger) > limits.max_orders:
        words = f"more than {limits.max_orders} orders were open at a time"
        found.append(Finding(LIMIT, words))
    held: dict[str, Decimal] = {}
    if limits.max_position is not None:
        for fill in ledger.fills:
            name = f"{fill['symbol']} ({fill['product']})"
            bought = fill["isBuyer"] if fill["product"] == "spot" else fill["side"] == "BUY"
            held[name] = held.get(name, Decimal(0)) + Decimal(fill["qty"]) * (1 if bought else -1)
            words = f"more than {limits.max_position} of {name} was held"
            if abs(held[name]) > limits.max_position and Finding(LIMIT, words) not in found:
                found.append(Finding(LIMIT, words))
    return found


def _most_open(ledger: JudgedLedger) -> int:
    """Return the greatest number of orders that were open at one time."""
    still = [one.get("orderId") for one in ledger.open_orders]
    lives = [
        (one["time"], None if one["orderId"] in still else one["updateTime"])
        for one in ledger.orders
    ]
    return max(
        (sum(begin <= at and (end is None or at < end) for begin, end in lives) for at, _ in lives),
        default=0,
    )


def _too_early(record: Record) -> list[Finding]:
    """Requests that were sent before an answer's Retry-After had passed."""
    until = 0.0
    hasty = 0
    for one in record.exchanges:
        hasty += one.wall < until
        if one.status in (418, 429):
            until = max(until, one.wall + one.retry_after)
    if hasty <= HASTE_MAX:
        return []
    return [Finding(HASTE, f"more than {HASTE_MAX} requests were sent before Retry-After was over")]


def _in_words(placement: RecordedExchange) -> str:
    values = placement.values
    words = [values.get(name, "") for name in ("side", "positionSide", "quantity", "symbol")]
    return " ".join(str(one) for one in words if one) + f" ({market_of(placement)[0]})"
