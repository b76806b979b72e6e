"""Operator operations that explain what happened, of practice venues only."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Id
from venue.api.operation import get
from venue.vocabulary import Access

OPERATOR = Access.OPERATOR
KINDS = ("order", "refusal", "bill", "liquidation")


class ExplainRequest(Struct):
    """An order of either product, or a conditional one; a bill of a wallet, or an income of a
    contract pool; a liquidation; by its id. A refusal, by its `X-Venue-Request-Id`."""

    id: Id


class Explanation(Struct):
    """Why it came so, in sentences, each with its numbers.

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
_PATH = "/_venue/explain"
order = get("explain_order", f"{_PATH}/order/{{id}}", OPERATOR, _W, ExplainRequest, Explanation)
refusal = get(
    "explain_refusal", f"{_PATH}/refusal/{{id}}", OPERATOR, _W, ExplainRequest, Explanation
)
bill = get("explain_bill", f"{_PATH}/bill/{{id}}", OPERATOR, _W, ExplainRequest, Explanation)
liquidation = get(
    "explain_liquidation", f"{_PATH}/liquidation/{{id}}", OPERATOR, _W, ExplainRequest, Explanation
)

ROWS = (order, refusal, bill, liquidation)
