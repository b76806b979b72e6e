"""A backtest: hold BTC while the fast average of closes is above the slow one."""

from statistics import mean

from venue import Venue

FAST, SLOW, MINUTES = 3, 8, 8

with Venue(seed=9, clock="manual") as v:
    v.call("deposit", owner="carol", wallet="SPOT", asset="USDT", amount="100000")
    carol, market = v.account("carol"), v.market("BTCUSDT")
    for _ in range(MINUTES):
        v.run("1m")
        finished = market.candles("1m", limit=SLOW + 1)[:-1]
        closes = [candle.close for candle in finished]
        rises, held = mean(closes[-FAST:]) > mean(closes), carol.balance("BTC").free
        if rises and not held:
            carol.buy("BTCUSDT", "0.1")
        elif held and not rises:
            carol.sell("BTCUSDT", held)
    equity = carol.equity().to_pandas().set_index("ts")
    fills = carol.fills("BTCUSDT").to_pandas()

print(equity["equity_f"].describe())
print(len(fills), "fills, fees", fills.groupby("fee_asset")["fee_f"].sum().to_dict())
