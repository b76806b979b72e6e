"""A bot as it trades on the exchange: its settings name no address, and its keys are not in it."""

import os

import ccxt

exchange = ccxt.weex(
    {
        "apiKey": os.environ["WEEX_API_KEY"],
        "secret": os.environ["WEEX_API_SECRET"],
        "password": os.environ["WEEX_PASSPHRASE"],
    }
)
order = exchange.create_order("BTC/USDT", "limit", "buy", 0.01, 60000)
print(exchange.fetch_order(order["id"], "BTC/USDT")["status"])
exchange.cancel_order(order["id"], "BTC/USDT")
