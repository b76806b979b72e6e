"""Candles of a span: a thousand that are asked for again are encoded once."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from types import FrameType
from typing import Any

import msgspec

from venue.api.contract.market import HistoryKlinesRequest
from venue.api.spot.market import KlinesRequest
from venue.gateway.door import Call
from venue.gateway.operations.contract.market import history_klines
from venue.gateway.operations.spot.market import klines
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options

FAR_MS = 9_000_000_000_000
VIEWS = ("_candle", "_candle_view")


def _fail(problem: BaseException) -> None:
    raise problem


def test_candles_are_encoded_once() -> None:
    """A thousand took 10 ms of the loop each time that anybody asked."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in VIEWS and "operations" in code.co_filename:
            counted["views"] += 1

    async def story() -> None:
        options = Options(agents=False)
        async with open_venue(options, SystemClock(), _fail) as door:
            call = Call(door, 0, b"")
            spot = KlinesRequest(symbol="BTCUSDT", interval="1m", limit=1_000, end_time=FAR_MS)
            contract = HistoryKlinesRequest(
                symbol="BTCUSDT", interval="1m", limit=100, end_time=FAR_MS
            )
            for most in (1_100, 4):  # the second time a minute may have begun
                counted.clear()
                sys.setprofile(count)
                told = [klines(call, spot), await history_klines(call, contract)]
                sys.setprofile(None)
                rows = [len(msgspec.json.decode(one.data)) for one in told]
                assert rows == [1_000, 100]
                assert counted["views"] <= most
            newest = klines(call, KlinesRequest(symbol="BTCUSDT", interval="1m", limit=1_000))
            others = {row[0]: row for row in msgspec.json.decode(newest.data)[:-1]}
            closed = msgspec.json.decode(told[0].data)[10:-1]
            assert [others[row[0]] for row in closed] == closed

    asyncio.run(story())
