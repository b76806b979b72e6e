"""Runs freqtrade until it knows of a fill, and ends it as a user does."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

TRADES = Path("trades.sqlite")
STRATEGY = """
from freqtrade.strategy import IStrategy

class Entry(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    stoploss = -0.5

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe
"""
LOOKS = 180  # at most, one each half a second
STOP_S = 30


def filled() -> bool:
    """Whether freqtrade's own database has an order with a fill."""
    with closing(sqlite3.connect(TRADES)) as trades:
        try:
            found = trades.execute("SELECT count(*) FROM orders WHERE filled > 0").fetchone()
        except sqlite3.OperationalError:  # not begun yet
            return False
    return bool(found[0])


command = [sys.executable, "-m", "freqtrade", "trade", "--config", "freqtrade.json"]
command += ["--userdir", ".", "--strategy-path", ".", "--db-url", f"sqlite:///{TRADES}"]
TRADES.unlink(missing_ok=True)
Path("entry.py").write_text(STRATEGY, "utf-8")
with Path("freqtrade.log").open("wb") as log:
    bot = subprocess.Popen(command, stdout=log, stderr=log)
for _ in range(LOOKS):
    if bot.poll() is not None or filled():
        break
    time.sleep(0.5)
bot.send_signal(signal.SIGINT)
bot.wait(STOP_S)
print("open" if filled() else f"no fill; its log is {Path('freqtrade.log').resolve()}")
