"""Buys 0.01 BTC five times. When no answer comes, it orders again: what if only the answer was
lost?"""

import os

import ccxt

url = os.environ["VENUE_URL"]
api = dict.fromkeys(["public", "private", "contract", "contractPrivate"], url)
keys = {"apiKey": "VENUE_KEY", "secret": "VENUE_SECRET", "password": "VENUE_PASSPHRASE"}
exchange = ccxt.weex({name: os.environ[variable] for name, variable in keys.items()})
exchange.urls["api"] = exchange.urls["test"] = api
exchange.enableRateLimit = False

for _ in range(5):
    ask = exchange.fetch_ticker("BTC/USDT")["ask"]
    while True:
        try:
            exchange.create_order("BTC/USDT", "limit", "buy", 0.01, ask * 1.001)
            break
        except ccxt.NetworkError:
            continue
