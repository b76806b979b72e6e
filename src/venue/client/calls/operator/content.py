"""Calls of venue.api.operator.content. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.content
from venue.client.sending import Send


class OperatorContentCalls:
    """A method for each row."""

    _send: Send

    def post_article(
        self, *, title: str, content: str, coins: list[str] | None = None
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/articles"""
        return self._send(
            venue.api.operator.content.post_article,
            {"title": title, "content": content, "coins": coins},
        )

    def post_banner(
        self, *, title: str, image_url: str, link_url: str
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/banners"""
        return self._send(
            venue.api.operator.content.post_banner,
            {"title": title, "imageUrl": image_url, "linkUrl": link_url},
        )

    def remove_content(self, *, id: int) -> venue.api.operator.content.ContentId:
        """POST /_venue/content/remove"""
        return self._send(venue.api.operator.content.remove_content, {"id": id})
