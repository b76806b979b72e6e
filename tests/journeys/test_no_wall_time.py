"""While time is in the owner's hand, nothing that a client is told is of the machine's time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.client import Answer
from support.lived import SYMBOL, Life
from venue.api.documents.table import ROWS
from venue.api.operation import Row, parameters
from venue.vocabulary import Access

NEAR_S = 3 * 86_400  # a time so near to the machine's is the machine's
ASKED = {
    "symbol": SYMBOL, "symbols": SYMBOL, "interval": "1m", "limit": "5", "countdown": "0",
    "orderId": "1000000000000001", "id": "1000000000000001", "timeout": "0", "owner": "alice",
    "month": "2026-01", "side": "BUY", "type": "LIMIT", "quantity": "0.01", "price": "60000",
    "positionSide": "LONG", "timeInForce": "GTC", "newClientOrderId": "walk", "wallet": "SPOT",
    "asset": "USDT", "amount": "1", "from": "SPOT", "to": "FUNDING", "leverage": "10",
    "marginType": "CROSSED", "key": "demo-dave", "label": "walk", "name": "erin",
    "permissions": ["READ"], "clientAlgoId": "walk", "triggerPrice": "50000", "source": "desk",
}  # fmt: skip
# They change more, or end it.
KEPT = (
    "/_venue/clock", "/_venue/instruments/halt", "/_venue/contracts/halt", "/_venue/reset",
    "/_venue/stop",
)  # fmt: skip


def test_nothing_is_of_the_machines_time(tmp_path: Path) -> None:
    with Life(tmp_path) as life:
        life.venue.advance(by="70s")
        order = {"side": "BUY", "quantity": "0.01", "type": "MARKET"}
        life.order(life.alice, "/api/v3/order", **order)
        life.order(life.alice, "/capi/v3/order", **order, positionSide="LONG")
        told = [_text(life.alice.get("/no/such/path")), _text(_late(life))]
        told += [_text(_call(life, row)) for row in ROWS if row.path not in KEPT]
        answers, pages, frames = life.told()
        told += [one.decode() for one in (*answers, *pages)]
        told += [text for texts in frames.values() for text in texts]
        assert life.venue.server.stop() == 0
        told.append(life.venue.server.errors.read_text())
    assert len(told) > len(ROWS) + 100
    found = [(times, text[:300]) for text in told if (times := list(_near(text)))]
    assert not found, found[:3]


def _call(life: Life, row: Row) -> Answer:
    """An operation, with what it may take of some usual parameters."""
    fields = {field.encode_name for field in _fields(row)}
    asked = {name: value for name, value in ASKED.items() if name in fields}
    client = life.venue.anyone if row.access is Access.OPERATOR else life.alice
    if row.in_body:
        return client.call(row.method, row.path, asked)
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return client.call(row.method, f"{row.path}?{query}" if query else row.path, None)


def _fields(row: Row) -> Any:
    return parameters(row)


def _late(life: Life) -> Answer:
    """Signed by neither clock."""
    sent = life.alice.headers("GET", "/api/v3/account/", b"", ahead_ms=86_400_000)
    return life.alice.call("GET", "/api/v3/account/", None, headers=sent)


def _text(answer: Answer) -> str:
    return f"{answer.status} {answer.headers} {answer.body.decode()}"


def _near(text: str) -> Iterator[str]:
    """The times in a text, in any unit or as a date, that are near the machine's."""
    now = time.time()
    for digits in re.findall(r"(?<![0-9.])[0-9]{10,19}(?![0-9])", text):
        for unit in (1, 10**3, 10**6, 10**9):
            if abs(int(digits) / unit - now) < NEAR_S:
                yield digits
    for days in (-1, 0, 1):
        for form in ("%Y-%m-%d", "%d %b %Y", "%b %d"):
            date = time.strftime(form, time.gmtime(now + days * 86_400))
            if date in text:
                yield date
