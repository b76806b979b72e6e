"""An asyncio client in the place of a blocking one, so that the same tests try both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, cast

from venue import AsyncClient, Client


class Awaiting:
    """Awaits each call of an asyncio client, all on one loop."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self._client = AsyncClient(*given, **more)
        self._runner = asyncio.Runner()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(**given: Any) -> Any:
            made = method(**given)
            return self._runner.run(_items(made) if name.startswith("each_") else made)

        return call

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Client:
        return cast(Client, self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._client.__aexit__(kind, problem, trace))
        self._runner.close()


async def _items(found: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in found]
