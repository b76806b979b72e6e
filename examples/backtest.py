"""A backtest: hold BTC while the fast average of closes is above the slow one."""

from statistics import mean

from venue import Venue

FAST, SLOW, MINUTES = 3, 8, 8

with Venue(seed=7, clock="manual") as v:
    bob, market = v.account("bob"), v.market("BTCUSDT")
    held = None
    for _ in range(MINUTES):
        v.run("1m")
        closes = [candle.close for candle in market.candles("1m", limit=SLOW)]
        rises = mean(closes[-FAST:]) > mean(closes)
        if rises and held is None:
            held = bob.order(bob.buy("BTCUSDT", "0.1"))
        elif not rises and held is not None:
            bob.sell("BTCUSDT", held.filled)
            held = None
    equity = bob.equity().to_pandas().set_index("ts")
    fills = bob.fills("BTCUSDT").to_pandas()

print(equity["equity_f"].describe())
print(len(fills), "fills, fees", fills["fee_f"].sum())
