"""Converts remembered movements of money, and published articles and banners, to records and
back."""

from __future__ import annotations

import msgspec

from venue.core.content import Article, Banner
from venue.core.engine import Engine
from venue.core.references import KnownMovement
from venue.core.withdrawals import SentWithdrawal


class SentRecord(msgspec.Struct, array_like=True, gc=False):
    """An internal withdrawal whose client id is remembered."""

    uid: int
    client_id: str
    withdraw_id: int
    time: int
    content: tuple[int, int, int, str, int]


class ReferenceRecord(msgspec.Struct, array_like=True, gc=False):
    """A movement of money whose reference is remembered."""

    reference: str
    time: int
    content: str
    answer: list[int]


class ContentState(msgspec.Struct, array_like=True):
    """Everything that is published, and the next id."""

    next_id: int
    articles: list[Article]
    banners: list[Banner]


def dump_sent(engine: Engine) -> list[SentRecord]:
    """Return the withdrawals, each owner's oldest first."""
    return [
        SentRecord(uid, client_id, sent.withdraw_id, sent.time, sent.content)
        for uid, own in engine.withdrawals.sent.items()
        for client_id, sent in own.items()
    ]


def load_sent(engine: Engine, records: list[SentRecord]) -> None:
    """Load the withdrawals."""
    for each in records:
        own = engine.withdrawals.sent.setdefault(each.uid, {})
        own[each.client_id] = SentWithdrawal(each.withdraw_id, each.time, each.content)


def dump_references(engine: Engine) -> list[ReferenceRecord]:
    """Return the movements whose references are remembered, oldest first."""
    return [
        ReferenceRecord(reference, moved.time, moved.content, moved.answer)
        for reference, moved in engine.references.known.items()
    ]


def load_references(engine: Engine, records: list[ReferenceRecord]) -> None:
    """Load the movements."""
    engine.references.known = {
        each.reference: KnownMovement(each.time, each.content, each.answer) for each in records
    }


def dump_content(engine: Engine) -> ContentState | None:
    """Return the published articles and banners; None while nothing was ever published."""
    content = engine.content
    if content.next_id == 1:
        return None
    return ContentState(
        content.next_id, list(content.articles.values()), list(content.banners.values())
    )


def load_content(engine: Engine, state: ContentState) -> None:
    """Load the articles and banners."""
    content = engine.content
    content.next_id = state.next_id
    content.articles = {each.content_id: each for each in state.articles}
    content.banners = {each.content_id: each for each in state.banners}
