"""The files of examples/freqtrade: their names exist. freqtrade itself is not installed here."""

from __future__ import annotations

import ast
import json
import runpy
from pathlib import Path
from typing import Any

import ccxt

from venue.cli.credentials import FORMATS
from venue.client.blocking import Client

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "freqtrade"
CONFIG: dict[str, Any] = json.loads((FOLDER / "config.json").read_text())
# The methods that freqtrade calls in a strategy: these must be there, and those may be.
CALLED = {"populate_indicators", "populate_entry_trend", "populate_exit_trend"}
MAY = {"lock_pair"}


def test_strategy_is_the_one_configured() -> None:
    tree = ast.parse((FOLDER / "turns.py").read_text())
    strategies = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    body = strategies[CONFIG["strategy"]].body
    methods = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    assert methods >= CALLED
    assert methods <= CALLED | MAY
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert values["timeframe"] == CONFIG["timeframe"]


def test_timeframe_and_exchange_are_those_of_stock_ccxt() -> None:
    assert CONFIG["timeframe"] in ccxt.weex().timeframes
    assert "name" not in CONFIG["exchange"], "venue env names it"
    assert "freqtrade" in FORMATS


def test_script_uses_what_there_is() -> None:
    script = runpy.run_path(str(FOLDER / "run.py"), run_name="imported")
    assert (script["HERE"] / "config.json").exists()
    assert script["Client"] is Client
    for method in ("my_trades", "open_orders", "time"):
        assert hasattr(Client, method)
