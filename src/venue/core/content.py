"""The operator's articles and banners, as many as can be kept in memory."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.core.messages.benefit_commands import PostArticle, PostBanner, RemoveContent
from venue.core.messages.benefit_events import ContentPosted, ContentRemoved
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import Reject

ARTICLES_MAX: Final = 100
BANNERS_MAX: Final = 20


class Article(Struct, array_like=True, frozen=True):
    """A text about `coins` (asset names), posted at `time` (µs)."""

    content_id: int
    title: str
    text: str
    coins: list[str]
    time: int


class Banner(Struct, array_like=True, frozen=True):
    """A picture and the page it leads to, posted at `time` (µs)."""

    content_id: int
    title: str
    image: str
    link: str
    time: int


class Content:
    """All published articles and banners, oldest first; both kinds draw ids from one sequence."""

    __slots__ = ("articles", "banners", "next_id")

    def __init__(self) -> None:
        self.next_id = 1
        self.articles: dict[int, Article] = {}
        self.banners: dict[int, Banner] = {}

    def post_article(self, command: PostArticle) -> list[Event]:
        if len(self.articles) >= ARTICLES_MAX:
            return [Rejected(Reject.CONTENT_FULL, ARTICLES_MAX)]
        number = self._number()
        self.articles[number] = Article(
            number, command.title, command.text, command.coins, command.time
        )
        return [ContentPosted(number)]

    def post_banner(self, command: PostBanner) -> list[Event]:
        if len(self.banners) >= BANNERS_MAX:
            return [Rejected(Reject.CONTENT_FULL, BANNERS_MAX)]
        number = self._number()
        self.banners[number] = Banner(
            number, command.title, command.image, command.link, command.time
        )
        return [ContentPosted(number)]

    def remove(self, command: RemoveContent) -> list[Event]:
        number = command.content_id
        if self.articles.pop(number, None) is None and self.banners.pop(number, None) is None:
            return [Rejected(Reject.CONTENT_UNKNOWN)]
        return [ContentRemoved(number)]

    def _number(self) -> int:
        number = self.next_id
        self.next_id = number + 1
        return number
