"""Operator operations that explain past outcomes."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.operator.explain import ExplainRequest, Explanation
from venue.gateway.door import Call, Door
from venue.gateway.operations.operator.wire import found_number
from venue.node.explainer import ExplainQuestion, ExplanationText, TooBusy, TooOld
from venue.times import US_PER_MS

FIRST_REFUSED: Final = 300


def explain_off(door: Door) -> str:
    """Return the reason that keeps explanations closed; empty: they are open."""
    return "" if door.node.practice and door.explainer is not None else errors.PRACTICE


async def explain_order(call: Call, request: ExplainRequest) -> Explanation:
    """Return why an order filled, rested or ended."""
    return await _explain(call.door, ExplainQuestion("order", request.id))


async def explain_bill(call: Call, request: ExplainRequest) -> Explanation:
    """Return where the amount of a bill, or of an income, comes from."""
    return await _explain(call.door, ExplainQuestion("bill", request.id))


async def explain_liquidation(call: Call, request: ExplainRequest) -> Explanation:
    """Return why a pool was liquidated, and each step of it."""
    return await _explain(call.door, ExplainQuestion("liquidation", request.id))


async def explain_refusal(call: Call, request: ExplainRequest) -> Explanation:
    """Return why a request was refused."""
    entry, sequence, uid = found_number(call.door, request.id)
    if entry.status is not None and entry.status < FIRST_REFUSED:
        raise errors.invalid("id", "this request was not refused")
    question = ExplainQuestion("refusal", request.id, uid, sequence, entry.code, entry.msg)
    told = await _explain(call.door, question)
    what = entry.operation or f"{entry.method} {entry.path}"
    status = f"HTTP {entry.status}" if entry.status is not None else "no answer"
    head = f"{what} of {entry.owner or 'nobody known'} was answered with {status}"
    head += f": {entry.code} {entry.msg}" if entry.code else "."
    told.sentences.insert(0, head)
    if entry.fault:
        told.sentences.insert(1, f"A rule of faults had hit it: {entry.fault}.")
    return told


async def _explain(door: Door, question: ExplainQuestion) -> Explanation:
    explainer, node = door.explainer, door.node
    assert explainer is not None, "they are closed then"
    question.epoch = node.engine.epoch
    try:
        told: ExplanationText | None = await explainer.ask(question)
    except TooOld as problem:
        raise errors.invalid("id", str(problem)) from None
    except TooBusy as problem:
        raise errors.busy(f"{problem}; nothing was changed") from None
    if told is None:
        raise errors.invalid("id", f"no such {question.kind}")
    account = node.engine.accounts.get(told.uid)
    return Explanation(
        question.kind,
        question.number,
        account.name if account is not None else "",
        told.sequence,
        told.time // US_PER_MS,
        told.sentences,
    )
