"""kill -9 under load: each acknowledged order is there exactly once (acceptance of durability)."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

from support.client import Client
from support.server import Server, environment
from venue.cli.verify import verify

KILLS = 20
CLIENTS = 8
DEMO = ("alice", "bob", "carol")
KEPT = "erin"
ACKS_PER_ROUND = (20, 60)


def free_port() -> int:
    """A port nobody listens on: the venue must come back where its clients look for it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def owners(server: Server) -> list[dict[str, Any]]:
    """Funded owners: the demo ones, and one whose key is kept by the venue. Its passphrase is
    compared with a hash after each start, which takes longer than all else that it does."""
    operator = Client(server.port)
    assert operator.post("/_venue/owners", {"name": KEPT}).status == 200
    permissions = ["READ", "SPOT_TRADE"]
    key = operator.post("/_venue/keys", {"owner": KEPT, "permissions": permissions}).json
    found = [server.account(name) for name in DEMO] + [{"name": KEPT, **key}]
    for owner in found:
        for asset, amount in (("USDT", "10000000"), ("BTC", "200")):
            money = {"owner": owner["name"], "wallet": "SPOT", "asset": asset, "amount": amount}
            assert operator.post("/_venue/deposit", money).status == 200
    operator.close()
    return found


def start(folder: Path, port: int) -> Server:
    state = str(folder / "venue.db")
    return Server("--state", state, "--no-agents", "--no-limits", folder=folder, port=port)


def ledger_of(folder: Path, clients: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The notes of the clients with this key: intents, and answers that they were given."""
    names = [client["name"] for client in clients if client["key"] == key]
    texts = [(folder / f"{name}.jsonl").read_text() for name in names]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def all_pages(client: Client, target: str) -> list[dict[str, Any]]:
    """Every order of the owner, page after page."""
    found: list[dict[str, Any]] = []
    page = 1
    while rows := client.get(f"{target}&limit=1000&page={page}").json:
        found += rows
        page += 1
    return found


def check_owner(client: Client, entries: list[dict[str, Any]]) -> None:
    """Compare an owner's own ledger with what the venue says now."""
    orders = all_pages(client, "/api/v3/allOrders?symbol=BTCUSDT")
    by_client_id = Counter(order["clientOrderId"] for order in orders)
    by_id = {str(order["orderId"]): order for order in orders}
    assert len(by_id) == len(orders)
    assert max(by_client_id.values(), default=0) <= 1
    intended = {entry["client_id"] for entry in entries if entry.get("intent") == "place"}
    assert set(by_client_id) <= intended, "an order nobody placed"
    trades = client.get("/api/v3/myTrades?symbol=BTCUSDT&limit=1000").json
    trade_ids = Counter(str(trade["id"]) for trade in trades)
    for entry in entries:
        if entry.get("ack") == "place":
            assert by_id[entry["order_id"]]["clientOrderId"] == entry["client_id"]
        elif entry.get("ack") == "cancel":
            assert by_id[entry["order_id"]]["status"] == "CANCELED"
        elif entry.get("ack") == "gone":
            assert by_id[entry["order_id"]]["status"] != "NEW"
        elif entry.get("ack") == "fill" and len(trades) < 1000:
            # With the limit in sight a trade of its own may be listed twice, as maker and taker.
            assert trade_ids[entry["trade_id"]] in (1, 2)
    if len(trades) < 1000:
        check_fills(orders, trades)


def check_fills(orders: list[dict[str, Any]], trades: list[dict[str, Any]]) -> None:
    executed: dict[int, Decimal] = {}
    for trade in trades:
        executed[trade["orderId"]] = executed.get(trade["orderId"], Decimal(0)) + Decimal(
            trade["qty"]
        )
    for order in orders:
        assert Decimal(order["executedQty"]) == executed.get(order["orderId"], Decimal(0)), order


def test_nothing_acknowledged_is_lost_or_doubled_by_kill_9(tmp_path: Path) -> None:
    random = Random(20)
    port = free_port()
    ledgers = tmp_path / "ledgers"
    ledgers.mkdir()
    server = start(tmp_path, port)
    accounts = owners(server)
    facts = tmp_path / "load.json"
    clients = [
        {**account, "name": f"client{number}"}
        for number, account in zip(range(CLIENTS), cycle(accounts), strict=False)
    ]
    facts.write_text(json.dumps({"rest": server.url, "accounts": clients}))
    load = subprocess.Popen(
        [sys.executable, "-m", "support.load", str(facts), str(ledgers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert load.stdin is not None
    assert load.stdout is not None
    try:
        assert load.stdout.readline() == "loaded\n"
        for _ in range(KILLS):
            load.stdin.write("go\n")
            load.stdin.flush()
            kill_in_flight(server, load.stdout, random.randint(*ACKS_PER_ROUND))
            findings = verify(str(tmp_path / "venue.db"))
            assert findings.problems == []
            server = start(tmp_path, port)
            for account in accounts:
                client = Client(port, account)
                check_owner(client, ledger_of(ledgers, clients, account["key"]))
                client.close()
        load.stdin.close()
        assert load.wait(30) == 0
    finally:
        load.kill()
        load.wait(30)
        load.stdout.close()
        if server.process.poll() is None:
            assert server.stop() == 0
    assert verify(str(tmp_path / "venue.db")).problems == []


def kill_in_flight(server: Server, said: Any, acks: int) -> None:
    """Kill the venue once that many answers came and others are under way; wait for all clients."""
    seen = 0
    for line in said:
        if line.startswith("ack"):
            seen += 1
            if seen >= acks and int(line.split()[1]) > 0:
                break
    server.kill()
    for line in said:
        if line == "down\n":
            return
    raise AssertionError("the load ended")
