"""Stock ccxt clients, synchronous and asynchronous ones with the same call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import ccxt
import ccxt.async_support

from support.server import Server


@contextmanager
def loop_of(kind: str) -> Iterator[asyncio.AbstractEventLoop | None]:
    """The event loop of `async` clients; those that are `sync` have none."""
    loop = asyncio.new_event_loop() if kind == "async" else None
    yield loop
    if loop is not None:
        loop.close()


def number(value: Any) -> Decimal:
    """A ccxt number as it prints: these have at most 15 digits, which a float keeps."""
    return Decimal(str(value))


class Stock:
    """One unmodified ccxt client; only its URLs and keys are set. Use it in a `with`."""

    def __init__(
        self,
        server: Server,
        account: dict[str, Any] | None,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        paced: bool = False,
    ) -> None:
        api = dict.fromkeys(("public", "private", "contract", "contractPrivate"), server.url)
        settings: dict[str, Any] = {"urls": {"api": api, "test": api}, "enableRateLimit": paced}
        if account is not None:
            settings["apiKey"] = account["key"]
            settings["secret"] = account["secret"]
            settings["password"] = account["passphrase"]
        self.loop = loop
        kind = ccxt.weex if loop is None else ccxt.async_support.weex
        self.exchange: Any = kind(settings)

    def __call__(self, name: str, *arguments: Any, **named: Any) -> Any:
        """The result of a unified method; an asynchronous one is awaited."""
        result = getattr(self.exchange, name)(*arguments, **named)
        return result if self.loop is None else self.loop.run_until_complete(result)

    def close(self) -> None:
        """Close its connections."""
        if self.loop is None:
            self.exchange.session.close()
        else:
            self.loop.run_until_complete(self.exchange.close())

    def __enter__(self) -> Stock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
