"""Operator operations of content for owners."""

from __future__ import annotations

from venue.api import errors
from venue.api.operator.content import (
    ContentId,
    PostArticleRequest,
    PostBannerRequest,
    RemoveContentRequest,
)
from venue.core.messages.benefit_commands import PostArticle, PostBanner, RemoveContent
from venue.core.messages.benefit_events import ContentPosted, ContentRemoved
from venue.core.messages.commands import Command
from venue.gateway.door import Call
from venue.gateway.operations.operator.venue import submit_command


async def post_article(call: Call, request: PostArticleRequest) -> ContentId:
    """Publish an article."""
    coins = list(dict.fromkeys(coin.upper() for coin in request.coins or ()))
    for coin in coins:
        if coin not in call.node.engine.ordinals:
            raise errors.invalid("coins", "no such asset")
    return await _submit(call, PostArticle(request.title, request.content, coins))


async def post_banner(call: Call, request: PostBannerRequest) -> ContentId:
    """Publish a banner."""
    return await _submit(call, PostBanner(request.title, request.image_url, request.link_url))


async def remove_content(call: Call, request: RemoveContentRequest) -> ContentId:
    """Take an article or a banner away."""
    return await _submit(call, RemoveContent(request.id))


async def _submit(call: Call, command: Command) -> ContentId:
    event = (await submit_command(call, command))[0]
    assert isinstance(event, ContentPosted | ContentRemoved), event
    return ContentId(event.content_id)
