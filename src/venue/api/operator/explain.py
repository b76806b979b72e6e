"""Operator operations that explain past outcomes, of practice venues only."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Id
from venue.api.operation import VENUE, rows

KINDS = ("order", "refusal", "bill", "liquidation")


class ExplainRequest(Struct, kw_only=True):
    """An order of either product, or a conditional one; a bill of a wallet, or an income of a
    contract pool; a liquidation; by its id. A refusal, by its `X-Venue-Request-Id`."""

    id: Id


class Explanation(Struct):
    """The reasons of the outcome, in sentences, each with its numbers.

    They are computed again from the journal: `sequence` is the command's, 0 where none was
    journaled, `time` its time (ms).
    """

    kind: str
    id: int
    owner: str
    sequence: int
    time: int
    sentences: list[str]


_W = (20, 0)
explain_order = VENUE.get("/explain/order/{id}", _W, ExplainRequest, Explanation)
explain_refusal = VENUE.get("/explain/refusal/{id}", _W, ExplainRequest, Explanation)
explain_bill = VENUE.get("/explain/bill/{id}", _W, ExplainRequest, Explanation)
explain_liquidation = VENUE.get("/explain/liquidation/{id}", _W, ExplainRequest, Explanation)

ROWS = rows(globals())
