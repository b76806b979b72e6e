"""Eight ccxt clients in a process of their own, each with its own ledger of what it was told.

Reads `go` lines from standard input; trades until the venue is gone; then says `down`. Every answer
is a line `ack IN_FLIGHT` on standard output. Ledger lines (JSON) go to FOLDER/CLIENT.jsonl:
an intent before each request, the acknowledged facts after its answer.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import ccxt.async_support as ccxt

SYMBOL = "BTC/USDT"
MID = 50_000


class Trader:
    """One client; `open` are its acknowledged orders that it may still cancel."""

    def __init__(self, venue: dict[str, Any], account: dict[str, Any], folder: Path) -> None:
        url = venue["rest"]
        api = {"public": url, "private": url, "contract": url, "contractPrivate": url}
        self.exchange = ccxt.weex(
            {
                "apiKey": account["key"],
                "secret": account["secret"],
                "password": account["passphrase"],
                "enableRateLimit": False,
                "timeout": 10_000,
                "urls": {"api": api, "test": api},
            }
        )
        self.name = account["name"]
        self.ledger = (folder / f"{self.name}.jsonl").open("a")
        self.random = Random(self.name)
        self.open: list[str] = []
        self.count = 0

    def note(self, **entry: Any) -> None:
        self.ledger.write(json.dumps(entry) + "\n")
        self.ledger.flush()

    async def act(self) -> None:
        """One request, noted before and after."""
        kind = self.random.random()
        if kind < 0.65 or not self.open:
            await self._place()
        elif kind < 0.9:
            await self._cancel()
        else:
            await self._look()

    async def _place(self) -> None:
        self.count += 1
        client_id = f"{self.name}-{self.count}"
        side = self.random.choice(["buy", "sell"])
        price = MID + self.random.randint(-20, 20)
        amount = self.random.randint(1, 30) / 1000
        self.note(intent="place", client_id=client_id)
        order = await self.exchange.create_order(
            SYMBOL, "limit", side, amount, price, {"newClientOrderId": client_id}
        )
        self.note(ack="place", client_id=client_id, order_id=order["id"])
        self.open.append(order["id"])

    async def _cancel(self) -> None:
        order_id = self.open.pop(self.random.randrange(len(self.open)))
        self.note(intent="cancel", order_id=order_id)
        try:
            await self.exchange.cancel_order(order_id, SYMBOL)
        except ccxt.OrderNotFound:
            self.note(ack="gone", order_id=order_id)
        else:
            self.note(ack="cancel", order_id=order_id)

    async def _look(self) -> None:
        trades = await self.exchange.fetch_my_trades(SYMBOL, limit=20)
        for trade in trades:
            self.note(ack="fill", trade_id=trade["id"], order_id=trade["order"])


class Load:
    """All traders, and how many requests are under way."""

    def __init__(self, traders: list[Trader]) -> None:
        self.traders = traders
        self.in_flight = 0

    async def run(self, trader: Trader) -> None:
        """Trade until the venue is gone."""
        while True:
            self.in_flight += 1
            try:
                await trader.act()
            except ccxt.NetworkError as problem:
                trader.note(lost=type(problem).__name__)
                return
            finally:
                self.in_flight -= 1
            say(f"ack {self.in_flight}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main(facts: str, folder: str) -> None:
    venue = json.loads(Path(facts).read_text())
    load = Load([Trader(venue, account, Path(folder)) for account in venue["accounts"]])
    loop = asyncio.get_running_loop()
    for trader in load.traders:
        await trader.exchange.load_markets()
    say("loaded")
    while (await loop.run_in_executor(None, sys.stdin.readline)).strip() == "go":
        await asyncio.gather(*[load.run(trader) for trader in load.traders])
        say("down")
    for trader in load.traders:
        await trader.exchange.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
