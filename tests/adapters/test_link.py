"""The pipe to a helper process: no caller waits for an answer that cannot come."""

from __future__ import annotations

import asyncio

import pytest

from venue.history.process import link as room
from venue.history.process.link import HistoryFailed
from venue.history.process.shelf import Shelf


def test_questions_that_waited_for_a_process_fail_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process takes one more and refuses the next: no caller is left without an answer."""
    monkeypatch.setattr(room, "ASKED_MAX", 1)

    async def story() -> None:
        shelf = Shelf(100)
        history = shelf.first()
        share = history._link
        asked = [share.send(b"?", b"") for _ in range(3)]
        done, waiting = await asyncio.wait(asked, timeout=30)
        assert not waiting
        for answer in asked:
            assert isinstance(answer.exception(), HistoryFailed), answer
        await history.close()
        await shelf.close()

    asyncio.run(story())
