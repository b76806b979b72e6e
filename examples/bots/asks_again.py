"""Buys 0.05 BTC in orders of 0.01. It goes on when it knows what became of an order: it asks, when
its stream does not tell."""

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


async def insisted(ask_for, *arguments):
    for pause_s in (0.02, 0.1, 0.4, 1, 2, 2, 2, 2):
        try:
            return await ask_for(*arguments)
        except (ccxt.BaseError, IndexError, TypeError):  # ccxt makes such of half an answer
            await asyncio.sleep(pause_s)
    raise SystemExit  # given up: the bot buys no more


async def listen_to_book():
    while True:
        await insisted(exchange.watch_order_book, "BTC/USDT")


async def listen():
    while True:
        for order in await insisted(exchange.watch_orders, "BTC/USDT"):
            if order["status"] != "open":
                filled[order["clientOrderId"]] = order["filled"]
        told.set()


async def best_ask():
    book = exchange.orderbooks.get("BTC/USDT")
    if book is None or await exchange.fetch_time() - book["timestamp"] > 2_000:
        book = await exchange.fetch_order_book("BTC/USDT")  # the stream stands still
    return book["asks"][0][0]


async def asked(name):
    order = await exchange.fetch_order(None, "BTC/USDT", {"clientOrderId": name})
    return float(order["filled"])


async def bought(name):
    try:
        async with asyncio.timeout(0.3):
            while name not in filled:
                told.clear()
                await told.wait()
    except TimeoutError:  # no stream tells it: the bot asks the venue
        filled[name] = await insisted(asked, name)
    return filled[name]


async def main():
    async with exchange:
        await insisted(exchange.load_markets)
        listening = [asyncio.create_task(one()) for one in (listen_to_book, listen)]
        number = total = 0
        while total < 0.05:
            name = f"plan-{number}"
            given = {"clientOrderId": name, "timeInForce": "IOC"}
            order = ("BTC/USDT", "limit", "buy", 0.01, await insisted(best_ask) * 1.001, given)
            await insisted(exchange.create_order, *order)
            total += await bought(name)
            number += 1
        for task in listening:
            task.cancel()


asyncio.run(main())
