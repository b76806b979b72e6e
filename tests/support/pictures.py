"""Takes the pictures of the documents from the pages of a venue: `make pictures`.

The venue stands at a fixed time with a fixed seed, and a client sends the same requests each time.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from support.browser import chromium, opened
from support.server import Server

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
ORDER: Final = {"symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "LIMIT"}
SENT: Final[list[dict[str, Any]]] = [
    {"price": "63920", "quantity": "0.25", "timeInForce": "GTC"},
    {"type": "MARKET", "quantity": "0.2"},
    {"price": "63800", "quantity": "0.1", "timeInForce": "GTC", "reduce_only": "true"},
    {"price": "63700", "quantity": "700", "timeInForce": "GTC"},
]


def take(folder: Path) -> None:
    """Write a picture of the bench, and one of the reasons of a refused order."""
    folder.mkdir(exist_ok=True)
    options = ("--clock", "manual", "--seed", "7")
    with tempfile.TemporaryDirectory() as place:
        server = Server(*options, folder=Path(place))
        with server, chromium() as browser, opened(browser, server, theme="light") as page:
            client = server.client("alice")
            for changes in SENT:
                client.post("/capi/v3/order", {**ORDER, **changes})
            client.get("/capi/v3/account/balance")
            page.locator(".wire .lines").get_by_text("contract_balance").first.wait_for()
            page.screenshot(path=folder / "bench.png")
            page.locator(".wire .lines .bad").first.click()
            page.get_by_text("Send it mended").first.wait_for()
            page.get_by_text("The venue plays its journal").wait_for(state="hidden")
            page.screenshot(path=folder / "why.png")


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
