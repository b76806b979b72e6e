"""Stock ccxt pro clients: unmodified, only their URLs and keys are set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import ccxt.pro

from support.server import Server

LOOK_S = 0.05


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

    def until(self, found: Callable[[], Any], name: str, *arguments: Any) -> None:
        """Watch until something is found."""
        self.run(self.watch_until(found, name, *arguments))

    async def watch_until(self, found: Callable[[], Any], name: str, *arguments: Any) -> None:
        """As `until`. A client tells of one message at a time and may pass others over, but keeps
        what they said: so it is asked for that again when nothing comes.
        """
        watching: asyncio.Task[Any] | None = None
        while not found():
            if watching is None or watching.done():
                if watching is not None:
                    watching.result()
                watching = asyncio.create_task(getattr(self.exchange, name)(*arguments))
            await asyncio.wait([watching], timeout=LOOK_S)
        if watching is not None:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def __enter__(self) -> Pro:
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.exchange.close())
        self.loop.close()
