"""Operator operations of content for owners: articles and banners."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Address, Id, Lines, Text, Texts
from venue.api.operation import VENUE, rows


class PostArticleRequest(Struct, kw_only=True):
    """An article that every owner can read, about any of the venue's assets; at most 100."""

    title: Text
    content: Lines
    coins: Texts | None = None


class PostBannerRequest(Struct, rename="camel", kw_only=True):
    """A picture and the page it leads to, by their addresses; at most 20."""

    title: Text
    image_url: Address
    link_url: Address


class RemoveContentRequest(Struct, kw_only=True):
    """An article or a banner is taken away."""

    id: Id


class ContentId(Struct):
    """The article or banner that was posted, or taken away."""

    id: int


_W = (1, 0)
post_article = VENUE.post("/articles", _W, PostArticleRequest, ContentId)
post_banner = VENUE.post("/banners", _W, PostBannerRequest, ContentId)
remove_content = VENUE.post("/content/remove", _W, RemoveContentRequest, ContentId)

ROWS = rows(globals())
