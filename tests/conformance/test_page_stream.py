"""The stream of a page: its parts are the answers of REST at the same sequence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from support.client import Client
from support.page import Page
from support.server import Server

COMMANDS = 1_000
TOGETHER = 10  # commands between two looks
CONTRACT = {
    "clock": "/_venue/clock",
    "faults": "/_venue/faults",
    "depth": "/capi/v3/market/depth?symbol=BTCUSDT",
    "ticker": "/capi/v3/market/ticker/24hr?symbol=BTCUSDT",
    "prices": "/capi/v3/market/premiumIndex?symbol=BTCUSDT",
    "trades": "/capi/v3/market/trades?symbol=BTCUSDT&limit=40",
    "candle": "/capi/v3/market/klines?symbol=BTCUSDT&interval=1m&limit=2",
    "orders": "/capi/v3/openOrders?symbol=BTCUSDT",
    "places": "/_venue/own/places?product=CONTRACT&symbol=BTCUSDT",
    "positions": "/capi/v3/account/position/allPosition",
    "balances": "/capi/v3/account/balance",
    "conditional": "/capi/v3/openAlgoOrders?symbol=BTCUSDT",
}
SPOT = {
    "clock": "/_venue/clock",
    "faults": "/_venue/faults",
    "depth": "/api/v3/market/depth?symbol=BTCUSDT",
    "ticker": "/api/v3/market/ticker/24hr?symbol=BTCUSDT",
    "trades": "/api/v3/market/trades?symbol=BTCUSDT&limit=40",
    "candle": "/api/v3/market/klines?symbol=BTCUSDT&interval=1m&limit=2",
    "orders": "/api/v3/openOrders?symbol=BTCUSDT",
    "places": "/_venue/own/places?product=SPOT&symbol=BTCUSDT",
    "balances": "/api/v3/account/",
}
OWNED = ("orders", "places", "positions", "balances", "conditional")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--clock", "manual", "--seed", "7", "--no-limits")
    with Server(*options, folder=tmp_path_factory.mktemp("stream")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def agree(page: Page, paths: dict[str, str], owner: str) -> None:
    """Each part is to the byte what REST answers now."""
    assert set(page.parts) == set(paths)
    for name, path in paths.items():
        asked = page.ask(path, owner if name in OWNED else "")
        assert still(page.parts[name], name) == still(asked, name), name


def still(part: bytes, name: str) -> Any:
    """Return a part without what changes as the machine's time passes."""
    return {**json.loads(part), "offset": 0} if name == "clock" else part


def send(random: Random, client: Client, number: int) -> None:
    """Send a random order, cancel or question of alice."""
    price = str(random.randrange(63_000, 65_000))
    side = random.choice(("BUY", "SELL"))
    kind: dict[str, Any] = {"type": "MARKET"}
    if random.random() < 0.8:
        kind = {"type": "LIMIT", "price": price, "timeInForce": "GTC"}
    order = {
        "symbol": "BTCUSDT", "side": side, "quantity": "0.01",
        "newClientOrderId": f"c{number}", **kind,
    }  # fmt: skip
    what = random.random()
    if what < 0.5:
        client.post("/capi/v3/order", {**order, "positionSide": random.choice(("LONG", "SHORT"))})
    elif what < 0.9:
        client.post("/api/v3/order", order)
    elif what < 0.95:
        client.delete("/capi/v3/allOpenOrders?symbol=BTCUSDT")
    else:
        client.delete("/api/v3/openOrders?symbol=BTCUSDT")


@pytest.mark.parametrize(("product", "paths"), [("contract", CONTRACT), ("spot", SPOT)])
def test_parts_are_answers_of_rest_over_a_thousand_commands(
    server: Server, product: str, paths: dict[str, str]
) -> None:
    random = Random(7)
    client = server.client("alice")
    with Page(server) as page:
        page.show("alice", "BTCUSDT", product)
        for number in range(COMMANDS):
            send(random, client, number)
            if number % TOGETHER == 0:
                sequence = int(client.get("/_venue/clock").json["sequence"])
                page.hear_until(sequence)
                agree(page, paths, "alice")
        sent = [entry for entry in page.wire if entry["owner"] == "alice"]
        assert len(sent) > COMMANDS - TOGETHER  # all that were sent before the last look
        numbers = [entry["number"] for entry in page.wire]
        assert numbers == sorted(set(numbers))


def test_a_page_changes_what_it_shows(server: Server) -> None:
    with Page(server) as page:
        page.show("alice", "BTCUSDT")
        page.hear()
        agree(page, CONTRACT, "alice")
        page.show("bob", "BTCUSDT", "spot")
        while "positions" in page.hear():
            page.parts.clear()  # of the view before
        agree(page, SPOT, "bob")


@pytest.mark.parametrize(
    "view",
    [
        {"owner": "nobody", "symbol": "BTCUSDT", "product": "contract"},
        {"owner": "alice", "symbol": "NONE", "product": "contract"},
        {"owner": "alice", "symbol": "NONE", "product": "spot"},
    ],
)
def test_a_view_of_what_there_is_not_is_refused_in_words(
    server: Server, view: dict[str, str]
) -> None:
    with Page(server) as page:
        page.show(**view)
        refused = page.stream.recv()
        assert str(refused).startswith('{"refused":{"code":-')


def closed(page: Page) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as caught:
        list(iter(page.stream.recv, None))
    received = caught.value.rcvd
    assert received is not None
    return received.code, received.reason


def test_a_page_without_its_token_is_told_nothing(server: Server) -> None:
    with Page(server) as page:
        page.show("alice", "BTCUSDT", token="0" * 64)
        code, reason = closed(page)
        assert (code, "alice" in reason) == (1008, False)
    address = f"ws://127.0.0.1:{server.port}/_venue/events"
    with Page(server) as page, connect(address, origin=Origin(page.origin)) as bare:
        page.stream.close()
        page.stream = bare  # the token without the cookie
        page.show("alice", "BTCUSDT")
        assert closed(page)[0] == 1008


@pytest.mark.parametrize("sent", ["", "[]", "{}", '{"token":1}', "x" * 200])
def test_a_message_that_is_no_view_ends_the_stream(server: Server, sent: str) -> None:
    with Page(server) as page:
        page.stream.send(sent)
        assert closed(page)[0] == 1008


def test_a_stream_on_which_nobody_speaks_ends(server: Server) -> None:
    with Page(server) as page:
        assert closed(page) == (1008, "no view came")


def test_a_revert_ends_the_stream(server: Server) -> None:
    operator = server.client()
    assert operator.put("/_venue/snapshots/base").status == 200
    with Page(server) as page:
        page.show("alice", "BTCUSDT")
        page.hear()
        assert operator.post("/_venue/snapshots/base/revert", {}).status == 200
        assert closed(page)[0] == 4001


def test_what_stands_still_is_not_told_again(server: Server) -> None:
    with Page(server) as page:
        page.show("alice", "BTCUSDT")
        page.hear()
        # A frame comes from time to time, and tells how far the machine's time is.
        assert set(page.hear()) == {"sequence", "epoch", "time", "clock"}
