"""Stock ccxt pro clients: unmodified, only their URLs and keys are set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import ccxt.pro

from support.server import Server


class Pro:
    """One client and the loop it lives on. Use it in a `with`."""

    def __init__(self, server: Server, account: dict[str, Any] | None = None) -> None:
        rest = dict.fromkeys(("public", "private", "contract", "contractPrivate"), server.url)
        streams = {"spot": server.facts["ws_spot"], "contract": server.facts["ws_contract"]}
        settings: dict[str, Any] = {"urls": {"api": {**rest, "ws": streams}}}
        settings["enableRateLimit"] = False
        if account is not None:
            settings["apiKey"] = account["key"]
            settings["secret"] = account["secret"]
            settings["password"] = account["passphrase"]
        self.loop = asyncio.new_event_loop()
        self.exchange: Any = ccxt.pro.weex(settings)

    def __call__(self, name: str, *arguments: Any, **named: Any) -> Any:
        """The result of a unified method."""
        return self.run(getattr(self.exchange, name)(*arguments, **named))

    def run(self, awaited: Awaitable[Any]) -> Any:
        """The result of anything that lives on the client's loop."""
        return self.loop.run_until_complete(awaited)

    def __enter__(self) -> Pro:
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.exchange.close())
        self.loop.close()
