"""Rules of faults, their hits, and how they are refused."""

from __future__ import annotations

from typing import Any

from support.client import Answer, Client
from support.server import Server
from support.socket_desk import Product, open_ids

TIME = "/api/v3/time"
TIMER_S = 0.01  # a loop counts its time in whole ms, from when its turn began


def add(server: Server, kind: str, **more: Any) -> dict[str, Any]:
    """Add a rule; `match` and `when` are its own, the rest belongs to the effect."""
    parts = {name: more.pop(name) for name in ("id", "match", "when") if name in more}
    answer = server.client().post("/_venue/faults", {**parts, "effect": {"kind": kind, **more}})
    assert answer.status == 200, answer
    return dict(answer.json)


def hits(server: Server, rule: str) -> tuple[int, int]:
    """The numbers of times that a rule has matched, and hit."""
    (found,) = [one for one in server.client().get("/_venue/faults").json if one["id"] == rule]
    return found["matched"], found["hits"]


def resting(server: Server, product: Product) -> int:
    """How many orders of alice rest."""
    return len(open_ids(server.client("alice"), product))


def statuses(client: Client, count: int) -> str:
    """One letter for each of so many requests: whether it was hit."""
    return "".join("x" if client.get(TIME).status == 503 else "." for _ in range(count))


def refused(answer: Answer, code: int, *words: str) -> None:
    """The answer is this refusal, in words that help."""
    assert (answer.status, answer.json["code"]) == (400, code), answer
    for word in words:
        assert word in answer.json["msg"], answer
