"""Articles and banners, as the engine has them."""

from __future__ import annotations

from venue.api import errors
from venue.api.operation import Empty
from venue.api.spot.content import (
    ArticleHead,
    ArticleRequest,
    Articles,
    ArticlesOfCoinRequest,
    ArticlesRequest,
    ArticleView,
    Banners,
    BannerView,
)
from venue.core.content import Article
from venue.gateway.door import Call
from venue.gateway.operations.spot.commissions import coin_of
from venue.times import US_PER_MS


def article(call: Call, request: ArticleRequest) -> ArticleView:
    """Return one article."""
    found = call.node.engine.content.articles.get(request.id)
    if found is None:
        raise errors.invalid("id", "no such article")
    return ArticleView(
        found.content_id, found.title, found.text, found.coins, found.time // US_PER_MS
    )


def articles(call: Call, request: ArticlesRequest) -> Articles:
    """Return a page of all."""
    found = list(call.node.engine.content.articles.values())
    return _page(found, request.page, request.page_size)


def articles_of_coin(call: Call, request: ArticlesOfCoinRequest) -> Articles:
    """Return a page of those about a coin."""
    coin = coin_of(call.node, request.coin)
    found = [one for one in call.node.engine.content.articles.values() if coin in one.coins]
    return _page(found, request.page, request.page_size)


def banners(call: Call, _: Empty) -> Banners:
    """Return all banners."""
    found = reversed(call.node.engine.content.banners.values())
    return Banners(
        [
            BannerView(one.content_id, one.title, one.image, one.link, one.time // US_PER_MS)
            for one in found
        ]
    )


def _page(found: list[Article], page: int, size: int) -> Articles:
    found.reverse()
    pages = -(-len(found) // size)
    heads = [
        ArticleHead(one.content_id, one.title, one.coins, one.time // US_PER_MS)
        for one in found[(page - 1) * size : page * size]
    ]
    return Articles(heads, len(found), size, page, pages, page < pages)
