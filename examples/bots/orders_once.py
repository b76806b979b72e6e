"""Buys 0.01 BTC five times. Each order has an id of its own: the venue takes it once, however often
it is sent."""

import os
import time

import ccxt

url = os.environ["VENUE_URL"]
api = dict.fromkeys(["public", "private", "contract", "contractPrivate"], url)
keys = {"apiKey": "VENUE_KEY", "secret": "VENUE_SECRET", "password": "VENUE_PASSPHRASE"}
exchange = ccxt.weex({name: os.environ[variable] for name, variable in keys.items()})
exchange.urls["api"] = exchange.urls["test"] = api
exchange.enableRateLimit = False


def insisted(ask_for, *arguments):
    for pause_s in (0.02, 0.1, 0.4, 1, 2, 2, 2, 2):
        try:
            return ask_for(*arguments)
        except ccxt.BaseError:
            time.sleep(pause_s)
    raise SystemExit  # given up: the bot buys no more


for number in range(5):
    ask = insisted(exchange.fetch_ticker, "BTC/USDT")["ask"]
    order = ("BTC/USDT", "limit", "buy", 0.01, ask * 1.001, {"clientOrderId": f"plan-{number}"})
    insisted(exchange.create_order, *order)
