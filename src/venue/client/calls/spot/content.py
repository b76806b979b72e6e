"""Calls of venue.api.spot.content. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.spot.content
from venue.client import paging
from venue.client.sending import Send


class SpotContentCalls:
    """A method for each row."""

    _send: Send

    def article(self, *, id: int) -> venue.api.spot.content.ArticleView:
        """GET /api/v3/content/articles/detail"""
        return self._send(venue.api.spot.content.article, {"id": id})

    def articles(
        self, *, page: int | None = None, page_size: int | None = None
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/list"""
        return self._send(venue.api.spot.content.articles, {"page": page, "pageSize": page_size})

    def each_articles(
        self, *, page: int | None = None, page_size: int | None = None
    ) -> Iterator[venue.api.spot.content.ArticleHead]:
        """The items of all pages of `articles`."""
        return paging.each(
            self._send, venue.api.spot.content.articles, {"page": page, "pageSize": page_size}
        )

    def articles_of_coin(
        self, *, coin: str, page: int | None = None, page_size: int | None = None
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/listByCoin"""
        return self._send(
            venue.api.spot.content.articles_of_coin,
            {"coin": coin, "page": page, "pageSize": page_size},
        )

    def each_articles_of_coin(
        self, *, coin: str, page: int | None = None, page_size: int | None = None
    ) -> Iterator[venue.api.spot.content.ArticleHead]:
        """The items of all pages of `articles_of_coin`."""
        return paging.each(
            self._send,
            venue.api.spot.content.articles_of_coin,
            {"coin": coin, "page": page, "pageSize": page_size},
        )

    def banners(self) -> venue.api.spot.content.Banners:
        """GET /api/v3/content/banners/latest"""
        return self._send(venue.api.spot.content.banners, {})
