"""Buys 0.05 BTC in orders of 0.01. It counts what its stream tells it: what if one update is left
out?"""

import asyncio
import os

import ccxt.pro

url = os.environ["VENUE_URL"]
api = dict.fromkeys(["public", "private", "contract", "contractPrivate"], url)
streams = {"spot": os.environ["VENUE_WS_SPOT"], "contract": os.environ["VENUE_WS_CONTRACT"]}
keys = {"apiKey": "VENUE_KEY", "secret": "VENUE_SECRET", "password": "VENUE_PASSPHRASE"}
exchange = ccxt.pro.weex({name: os.environ[variable] for name, variable in keys.items()})
exchange.urls["api"] = exchange.urls["test"] = {**api, "ws": streams}
exchange.enableRateLimit = False
filled = {}
told = asyncio.Event()


async def listen():
    while True:
        for order in await exchange.watch_orders("BTC/USDT"):
            filled[order["id"]] = order["filled"]
        told.set()


async def main():
    async with exchange:
        listening = asyncio.create_task(listen())
        book = await exchange.watch_order_book("BTC/USDT")  # ccxt goes on to change it
        while sum(filled.values()) < 0.05:
            order = ("BTC/USDT", "limit", "buy", 0.01, book["asks"][0][0] * 1.001)
            told.clear()
            await exchange.create_order(*order, {"timeInForce": "IOC"})
            try:
                await asyncio.wait_for(told.wait(), 0.3)
            except TimeoutError:
                continue  # the order bought nothing
        listening.cancel()


asyncio.run(main())
