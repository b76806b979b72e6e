"""The pipe to a helper process: each failure names the helper."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from support.waits import WAIT_S
from venue.helpers import link as room
from venue.helpers.link import HelperFailed, Link
from venue.history.process.shared_histories import SharedHistories
from venue.history.process.starting import start_worker

EXPLAINER = "venue.explanation.helper"
NOT_THERE = "venue.no_such_module"


async def started() -> Link:
    link, _ = await Link.start(EXPLAINER, name="explanation", patience_s=0.01)
    return link


def test_a_helper_that_hangs_is_named() -> None:
    async def story() -> None:
        link = await started()
        os.kill(link._process.pid, signal.SIGSTOP)
        with pytest.raises(HelperFailed, match=r"^the explanation process did not answer for"):
            await link.send(b"?", b"")
        await link.close()

    asyncio.run(story())


def test_a_helper_that_ends_is_named() -> None:
    async def story() -> None:
        link = await started()
        link._process.kill()
        assert await link.ended == "the explanation process ended"
        await link.close()

    asyncio.run(story())


def test_a_helper_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        with pytest.raises(HelperFailed, match=r"^the archive process ended$"):
            await Link.start(NOT_THERE, name="archive", patience_s=1.0)
        monkeypatch.setattr(room, "START_S", 0.0)
        with pytest.raises(HelperFailed, match=r"^a.db: the history process did not start within"):
            await Link.take_over(await start_worker(), "history", 1.0, path="a.db")

    asyncio.run(story())


def test_too_many_questions_name_their_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "ASKED_MAX", 0)

    async def story() -> None:
        link = await started()
        with pytest.raises(HelperFailed, match=r"^0 questions wait for the explanation process$"):
            link.send(b"?", b"")
        await link.close()

    asyncio.run(story())


def test_questions_that_waited_for_a_process_fail_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process takes one more and refuses the next: no caller is left without an answer."""
    monkeypatch.setattr(room, "ASKED_MAX", 1)

    async def story() -> None:
        histories = SharedHistories(100)
        history = histories.first()
        share = history._link
        asked = [share.send(b"?", b"") for _ in range(3)]
        _, waiting = await asyncio.wait(asked, timeout=WAIT_S)
        assert not waiting
        for answer in asked:
            assert isinstance(answer.exception(), HelperFailed), answer
        await history.close()
        await histories.close()

    asyncio.run(story())
