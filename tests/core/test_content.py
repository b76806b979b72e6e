"""Articles and banners: posted, removed, bounded, and there after a restart."""

from __future__ import annotations

import pytest

from support.world import World, refusal
from venue.core.content import ARTICLES_MAX, BANNERS_MAX, Article
from venue.core.messages.benefit_commands import PostArticle, PostBanner, RemoveContent
from venue.core.messages.benefit_events import ContentPosted, ContentRemoved
from venue.core.state import snapshot
from venue.vocabulary import Reject

pytestmark = pytest.mark.core


def test_ids_are_never_used_twice() -> None:
    world = World()
    assert world.ok(PostArticle("a", "text", ["BTC"])) == [ContentPosted(1)]
    assert world.ok(PostBanner("b", "https://a", "https://b")) == [ContentPosted(2)]
    assert world.ok(RemoveContent(2)) == [ContentRemoved(2)]
    assert refusal(world.apply(RemoveContent(2))) == Reject.CONTENT_UNKNOWN
    assert world.ok(RemoveContent(1)) == [ContentRemoved(1)]
    assert world.ok(PostArticle("c", "text", [])) == [ContentPosted(3)]
    world.engine = snapshot.load(snapshot.dump(world.engine))
    assert list(world.engine.content.articles.values()) == [Article(3, "c", "text", [], world.time)]
    assert world.ok(PostArticle("d", "text", [])) == [ContentPosted(4)]


def test_so_many_and_no_more() -> None:
    world = World()
    for number in range(ARTICLES_MAX):
        world.ok(PostArticle(f"{number}", "text", []))
    for number in range(BANNERS_MAX):
        world.ok(PostBanner(f"{number}", "https://a", "https://b"))
    assert refusal(world.apply(PostArticle("more", "text", []))) == Reject.CONTENT_FULL
    assert refusal(world.apply(PostBanner("more", "", ""))) == Reject.CONTENT_FULL
    world.ok(RemoveContent(1))
    world.ok(PostArticle("more", "text", []))
