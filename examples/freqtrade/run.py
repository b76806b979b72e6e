"""Runs stock freqtrade against a practice venue for an hour of the venue's time.

    python examples/freqtrade/run.py build/freqtrade [--python PYTHON-OF-AN-ENVIRONMENT]

The folder gets the environment, unless there is one, and the files of the run: freqtrade's log, its
database and result.json. It ends with 0 when freqtrade lived for the hour and the venue's fills are
those that freqtrade knows.
"""

import argparse
import json
import signal
import sqlite3
import subprocess
import sys
import time
import venv
from datetime import UTC, datetime, timedelta
from pathlib import Path

from venue import Client
from venue.practice import Practice, end_with_parent

HERE = Path(__file__).resolve().parent
FREQTRADE = "freqtrade==2026.9"
RATE = 60  # seconds of the venue in one of the machine
AHEAD = timedelta(minutes=90)  # freqtrade takes the machine's time, which must stay later
HOUR_MS = 3_600_000
START_S, LIMIT_S, STOP_S = 60, 180, 30
INTERRUPTED = 130  # freqtrade's exit code after SIGINT


def environment(folder):
    """The python of an environment with freqtrade; made when there is none."""
    python = folder / "env" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "env", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", FREQTRADE], check=True)
    return python


def configured(folder, url):
    """The files of its configuration: ours, and the venue's address and keys."""
    asked = [sys.executable, "-m", "venue", "env", "alice", "--format", "freqtrade", "--url", url]
    reached = folder / "exchange.json"
    reached.write_text(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    return [HERE / "config.json", reached]


def started(python, folder, url):
    """freqtrade as a process, with its log in trade.log."""
    command = [python, "-m", "freqtrade", "trade", "--strategy-path", HERE]
    command += ["--userdir", folder, "--db-url", f"sqlite:///{folder}/trades.sqlite"]
    for path in configured(folder, url):
        command += ["--config", path]
    with (folder / "trade.log").open("wb") as log:
        return subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - one system call
        )


def wait(bot, done, limit_s):
    """Wait for `done()`, the end of the bot, or the limit in seconds: whether it was done."""
    deadline = time.monotonic() + limit_s
    while bot.poll() is None and time.monotonic() < deadline:
        if done():
            return True
        time.sleep(0.5)
    return False


def stopped(bot):
    """Its exit code after SIGINT, which is how a user stops it."""
    if bot.poll() is None:
        bot.send_signal(signal.SIGINT)
    try:
        return bot.wait(STOP_S)
    except subprocess.TimeoutExpired:
        bot.kill()
        return bot.wait()


def known(folder):
    """The ids of the orders of which freqtrade knows fills, with the quantity filled."""
    with sqlite3.connect(folder / "trades.sqlite") as trades:
        rows = trades.execute("SELECT order_id, filled FROM orders WHERE filled > 0").fetchall()
    return {str(number): round(filled, 8) for number, filled in rows}


def filled(client):
    """The same from the venue's fills."""
    found = {}
    for fill in client.my_trades(symbol="BTCUSDT", limit=1000):
        number = str(fill.order_id)
        found[number] = round(found.get(number, 0) + float(fill.qty), 8)
    return found


def lived(folder, python):
    """Run for a venue hour; the facts that were found."""
    at = (datetime.now(UTC) - AHEAD).strftime("%Y-%m-%dT%H:%M:%SZ")
    clock = ["--clock", "rate", "--rate", str(RATE), "--at", at]
    with Practice(folder, *clock) as venue:
        keys = {"key": "demo-alice", "secret": "demo-alice-secret", "passphrase": "demo"}
        client = Client(venue.url, **keys)
        bot = started(python, folder, venue.url)
        try:
            traded = wait(bot, lambda: filled(client), START_S)
            since = client.time().server_time
            wait(bot, lambda: client.time().server_time >= since + HOUR_MS, LIMIT_S)
            minutes = (client.time().server_time - since) // 60_000
        finally:
            code = stopped(bot)
        left = client.open_orders()
        return {
            "traded": traded,
            "minutes": minutes,
            "exit code": code,
            "filled at the venue": (there := filled(client)),
            "filled by freqtrade": (here := known(folder)),
            "equal": here == there,
            "open orders left": left,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the environment and the results go")
    parser.add_argument("--python", type=Path, help="of an environment that has freqtrade")
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("trades.sqlite", "trades.sqlite-wal", "trades.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    result = lived(folder, given.python or environment(folder))
    (folder / "result.json").write_text(json.dumps(result, indent=2, default=str))
    for name, value in result.items():
        print(f"{name}: {len(value) if isinstance(value, dict | list) else value}")
    good = result["traded"] and result["equal"] and result["minutes"] >= 60
    return 0 if good and result["exit code"] == INTERRUPTED else 1


if __name__ == "__main__":
    raise SystemExit(main())
