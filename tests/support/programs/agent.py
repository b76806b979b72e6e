"""An agent's turn at a server of tools: it places an order and reads what is open."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ACCOUNT = {
    "name": "alice",
    "exchange_id": "weex",
    "sandbox": False,
    "api_key": os.environ["WEEX_API_KEY"],
    "secret": os.environ["WEEX_API_SECRET"],
    "password": os.environ["WEEX_PASSPHRASE"],
}
LIMIT = {"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": 0.01, "price": 60_000}


async def main() -> None:
    accounts = Path("accounts.json")
    accounts.write_text(json.dumps({"accounts": [ACCOUNT]}), "utf-8")
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mcp_ccxt.cli", "run", "--config", str(accounts)],
        env=dict(os.environ),
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.call_tool("create_order", LIMIT)
        found = await session.call_tool("fetch_open_orders", {"symbol": "BTC/USDT"})
    print("open" if '"status":"open"' in str(found.content) else found)


asyncio.run(main())
