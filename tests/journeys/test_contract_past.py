"""The past of a contract before its first trade: candles, prices and funding."""

from __future__ import annotations

from msgspec import structs

from support.contract_feed import BEGIN, BTC, contract, instrument
from venue.candles import MINUTE_US, Candle, open_time
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Tick
from venue.core.messages.contract_events import ContractListed, MarkSet
from venue.core.messages.events import Event, InstrumentListed
from venue.lab.backfill import Backfill, Start
from venue.lab.prehistory import GeneratedHistory, rate_of
from venue.node.market_data.views import MarketData

NOTHING_TRADED = dict.fromkeys(("volume", "notional", "count", "taker_volume", "taker_notional"), 0)


def test_each_product_has_a_prehistory_of_its_own() -> None:
    told = GeneratedHistory({BTC: "story"}, 0)
    story = Backfill(3, BEGIN, {"story": Start(50, 1, 50, 30_000)})
    told.begin(3, story)
    data = MarketData(contract_past=told)
    events: list[Event] = [InstrumentListed(instrument(BTC)), ContractListed(contract(BTC))]
    data.follow([Applied(1, BEGIN, Tick(), events)])
    past = story("story", "1m")
    assert data.contract.candles(BTC, "1m", 10, BEGIN) == past[-10:]
    assert data.spot.candles(BTC, "1m", 10, BEGIN) == []
    # Index and mark were where it traded, and go on from there.
    prices = data.contract_data
    alone = [structs.replace(row, **NOTHING_TRADED) for row in past]
    for ask in (prices.index_candles, prices.mark_candles):
        assert ask(BTC, "1m", 1_000, BEGIN) == alone[-1_000:]
    data.follow([Applied(2, BEGIN + MINUTE_US, Tick(), [MarkSet(BTC, 60, 61, True, 0, 0)])])
    later_minute = Candle(open_time("1m", BEGIN) + MINUTE_US, 60, 60, 60, 60, 0, 0, 0, 0, 0)
    later = prices.index_candles(BTC, "1m", 3, BEGIN + MINUTE_US)
    assert later == [*alone[-2:], later_minute]
    assert prices.past_prices(BTC, "1m", past[-5].open_time, 2) == alone[-6:-4]
    funded = prices.past_funding(BTC, BEGIN, 4)
    eights = story("story", "8h")[-4:]
    assert [(row.due, row.mark) for row in funded] == [
        (row.open_time, row.open) for row in reversed(eights)
    ]
    assert all(40_000 <= row.rate_ppb <= 160_000 for row in funded)
    assert prices.past_funding(BTC, BEGIN, 2) == funded[:2]
    thrown = rate_of.cache_info().misses  # dice take 10 us, and one question asks for a thousand
    assert prices.past_funding(BTC, BEGIN, 4) == funded
    assert rate_of.cache_info().misses == thrown
