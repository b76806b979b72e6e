"""Operator operations of what owners can read: articles and banners."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Address, Id, Lines, Text, Texts
from venue.api.operation import post
from venue.vocabulary import Access

OPERATOR = Access.OPERATOR


class PostArticleRequest(Struct):
    """An article that every owner can read, about any of the venue's assets; at most 100."""

    title: Text
    content: Lines
    coins: Texts | None = None


class PostBannerRequest(Struct, rename="camel"):
    """A picture and the page it leads to, by their addresses; at most 20."""

    title: Text
    image_url: Address
    link_url: Address


class RemoveContentRequest(Struct):
    """An article or a banner is taken away."""

    id: Id


class ContentId(Struct):
    """What was posted, or taken away."""

    id: int


_W = (1, 0)
post_article = post("post_article", "/_venue/articles", OPERATOR, _W, PostArticleRequest, ContentId)
post_banner = post("post_banner", "/_venue/banners", OPERATOR, _W, PostBannerRequest, ContentId)
remove_content = post(
    "remove_content", "/_venue/content/remove", OPERATOR, _W, RemoveContentRequest, ContentId
)

ROWS = (post_article, post_banner, remove_content)
