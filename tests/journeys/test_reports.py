"""Reports without a browser: the data in them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from support.command import run
from support.reports import whole_text
from support.server import Server
from venue.lab import demo
from venue.report.data import EquityCurve, ReportAbout, ReportData
from venue.report.making import report_of

SYMBOL = "BTCUSDT"
FILLS = 130  # more than a page of fills holds


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server("--clock", "manual", "--seed", "7", folder=tmp_path) as found:
        yield found


def curve(data: ReportData, product: str) -> EquityCurve:
    (found,) = (one for one in data.equity if (one.owner, one.product) == ("alice", product))
    return found


def advance(server: Server, by: str) -> None:
    assert server.client().post("/_venue/clock/advance", {"by": by}).status == 200


def test_the_equity_of_contracts_is_that_of_the_balance(server: Server) -> None:
    alice = server.client("alice")

    def order(side: str, position: str, quantity: str) -> None:
        body = {
            "symbol": SYMBOL, "side": side, "positionSide": position, "type": "MARKET",
            "quantity": quantity,
        }  # fmt: skip
        told = alice.post("/capi/v3/order", body)
        assert told.status == 200, told.body

    assert alice.get("/capi/v3/account/balance").status == 200  # the run begins
    advance(server, "1m")
    order("BUY", "LONG", "0.5")
    order("SELL", "SHORT", "0.2")
    for number in range(FILLS):
        order(*(("BUY", "LONG", "0.001") if number % 2 else ("SELL", "LONG", "0.002")))
        if number % 30 == 0:
            advance(server, "1m")
    advance(server, "30s")  # the last candle has not ended: its close is the mark price now
    data = report_of(server.url, ReportAbout("a run"))
    (balance,) = (one for one in alice.get("/capi/v3/account/balance").json
                  if one["asset"] == "USDT")  # fmt: skip
    (fills,) = (one.reply for one in data.replies if one.name == "user_trades")
    assert len(fills) > FILLS
    points = curve(data, "contract").points
    assert points[0] == (data.begin, "1000000.00")
    told = f"{Decimal(balance['balance']):.2f}"
    assert [value for _, value in points[-2:]] == [told, told]
    assert points[-2][0] < data.end


def test_a_report_holds_no_secret_that_its_run_made(server: Server, tmp_path: Path) -> None:
    """Keys and secrets are in answers of the operator's requests, which are acts of the run."""
    stranger = server.client()
    assert stranger.post("/_venue/owners", {"name": "erin"}).status == 200
    key = stranger.post("/_venue/keys", {"owner": "erin", "permissions": ["READ"]})
    assert key.status == 200, key.body
    path = tmp_path / "report.html"
    told = run("report", server.url, "-o", str(path))
    assert told.returncode == 0, told.stderr
    text = whole_text(path)
    assert "create key" in text
    for name in ("key", "secret", "passphrase"):
        assert key.json[name] not in text, name
    for account in demo.ACCOUNTS:
        assert account.secret not in text
