"""The kernel's view: the journal's sync comes before the reply it allows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from support.client import Client
from support.tools import needed

ORDERS = 25
CALLS = "trace=pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg"


def test_every_reply_leaves_after_the_sync_of_its_batch(tmp_path: Path) -> None:
    strace = needed("strace")
    trace = tmp_path / "trace.txt"
    state, ready = tmp_path / "venue.db", tmp_path / "ready.json"
    command = [strace, "-f", "-y", "-s", "300", "-e", CALLS, "-o", str(trace), sys.executable]
    command += ["-m", "venue", "dev", "--port", "0", "--quiet", "--no-agents"]
    command += ["--state", str(state), "--ready-file", str(ready)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        facts = json.loads(ready.read_text())
        client = Client(int(facts["rest"].rpartition(":")[2]), facts["accounts"][0])
        for number in range(ORDERS):
            body = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.001"}
            answer = client.post("/api/v3/order", {**body, "price": str(50_000 + number)})
            assert answer.status == 200, answer
        client.close()
    finally:
        os.kill(facts["pid"], signal.SIGTERM)
        assert process.wait(30) == 0
        process.stdout.close()
    check(trace.read_text().splitlines())


def check(lines: list[str]) -> None:
    """Between a reply and the last write to the log before it stands a completed sync of the log.

    One batch is under way at a time here: each order waits for the answer to the one before.
    """
    replies = 0
    unsynced = False
    syncing: set[str] = set()
    for line in lines:
        thread = line.split(" ", 1)[0]
        if "pwrite64(" in line and "venue.db-wal>" in line:
            unsynced = True
        elif "fdatasync(" in line and "venue.db-wal>" in line:
            if "unfinished" in line:
                syncing.add(thread)
            elif line.rstrip().endswith("= 0"):
                unsynced = False
        elif "fdatasync resumed" in line and thread in syncing:
            syncing.discard(thread)
            unsynced = False
        elif "orderId" in line and "transactTime" in line:
            replies += 1
            assert not unsynced, f"answered before the sync: {line[:200]}"
    assert replies == ORDERS
