"""Articles and banners that the operator posts. No public description of these operations exists:
they are paged as their siblings are."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Id, Page, Text, UpTo100
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class ArticlesRequest(Struct, rename="camel", kw_only=True):
    """Articles, newest first.

    No public description of this operation exists: it is paged as others are.
    """

    page: Page = 1
    page_size: UpTo100 = 20


class ArticlesOfCoinRequest(Struct, rename="camel", kw_only=True):
    """Articles about one coin, newest first.

    No public description of this operation exists: it is paged as others are.
    """

    coin: Text
    page: Page = 1
    page_size: UpTo100 = 20


class ArticleRequest(Struct, kw_only=True):
    """One article. No public description of this operation exists."""

    id: Id


class ArticleHead(Struct, rename="camel"):
    """The head of an article, as in a list; time in ms."""

    id: int
    title: str
    coins: list[str]
    create_time: int


class ArticleView(Struct, rename="camel"):
    """One article with its text; time in ms."""

    id: int
    title: str
    content: str
    coins: list[str]
    create_time: int


class Articles(Struct, rename="camel"):
    """A page of articles."""

    items: list[ArticleHead]
    total: int
    page_size: int
    page: int
    pages: int
    has_next_page: bool


class BannerView(Struct, rename="camel"):
    """A picture and the page it leads to; time in ms."""

    id: int
    title: str
    image_url: str
    link_url: str
    create_time: int


class Banners(Struct):
    """All banners, newest first. No public description of this operation exists."""

    items: list[BannerView]


READ = Under("/api/v3/content", Access.READ)
article = READ.get("/articles/detail", (1, 1), ArticleRequest, ArticleView)
articles = READ.get("/articles/list", (1, 1), ArticlesRequest, Articles)
articles_of_coin = READ.get("/articles/listByCoin", (1, 1), ArticlesOfCoinRequest, Articles)
banners = READ.get("/banners/latest", (1, 1), Empty, Banners)

ROWS = rows(globals())
