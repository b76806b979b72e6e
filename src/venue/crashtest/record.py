"""Records a bot's requests, their answers, and the frames of its streams."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import parse_qsl

from msgspec import Struct

from venue.api.documents.table import ROWS
from venue.api.operation import product_of

_ROWS: Final = {(row.method, row.path.rstrip("/")): row for row in ROWS}
_SPOT: Final = {row.name for row in ROWS if product_of(row) == "spot"}
_PREFIXES: Final = ("/spot/", "/contract/")
PLACING: Final = ("place_order", "place_contract_order", "place_demo_order")
SHOWING: Final = (  # answers that show an executed order's effects, without naming it
    "account", "contract_balance", "positions", "position", "my_trades", "user_trades",
    "demo_balance", "demo_positions",
)  # fmt: skip
MARKET: Final = (  # answers that show a market as it is
    "depth", "ticker", "tickers", "book_ticker", "contract_depth", "contract_ticker",
)  # fmt: skip
KEPT: Final = 1_000_000  # bytes of answers and frames that are searched for an order's id


Market = tuple[str, str]  # product and symbol


class RecordedExchange(Struct):
    """A request and its answer. `status` 0: no answer came. `time` is venue time (ms), `wall` the
    machine's (s). `seen` is the venue time of the newest data that the bot was shown of an order's
    market, if a stream shows it that market."""

    number: int
    method: str
    operation: str
    values: dict[str, Any]
    time: int = 0
    status: int = 0
    answer: bytes = b""
    wall: float = 0.0
    retry_after: float = 0.0
    seen: int | None = None


class Record:
    """A run's exchanges, and the stream frames between them, in order."""

    def __init__(self) -> None:
        self.exchanges: list[RecordedExchange] = []
        self.frames: list[tuple[int, bytes]] = []  # each after so many requests
        self.sockets = 0
        self._kept = 0
        self._seen: dict[Market, int] = {}  # when it was shown last, in venue time
        self._streamed: set[Market] = set()

    def begin(self, method: str, target: str, body: bytes, wall: float) -> RecordedExchange:
        """Add a request that is about to be served."""
        path, _, query = target.partition("?")
        for prefix in _PREFIXES:
            if path.startswith((f"{prefix}api/", f"{prefix}capi/")):
                path = path[len(prefix) - 1 :]
        row = _ROWS.get((method, path.rstrip("/")))
        made = RecordedExchange(
            number=len(self.exchanges) + 1, method=method,
            operation=row.name if row else path, values=_values(query, body), wall=wall,
        )  # fmt: skip
        market = market_of(made)
        if market in self._streamed:
            made.seen = self._seen[market]
        self.exchanges.append(made)
        return made

    def add_market_seen(self, market: Market, time: int, *, stream: bool) -> None:
        """Note that the bot was shown a market as of a venue time (ms)."""
        self._seen[market] = max(time, self._seen.get(market, 0))
        if stream:
            self._streamed.add(market)

    def add_answer(self, exchange: RecordedExchange, time: int) -> None:
        """Note the answer that reached the bot."""
        if exchange.operation in MARKET and exchange.status == 200:
            market = market_of(exchange)
            for one in [market] if market[1] else list(self._seen):
                self._seen[one] = time

    def add_frame(self, frame: bytes) -> None:
        """Note bytes of a stream that reached the bot."""
        self._kept += len(frame)
        if self._kept <= KEPT:
            self.frames.append((len(self.exchanges), frame))

    def placements(self) -> list[RecordedExchange]:
        """Return the requests that place one order."""
        return [one for one in self.exchanges if one.operation in PLACING]

    def mentions(self, words: list[bytes], after: int, before: int) -> bool:
        """Return whether the bot was shown one of these words after request `after`, and before it
        sent request `before`."""
        heard = [one.answer for one in self.exchanges if after <= one.number < before]
        heard += [frame for number, frame in self.frames if after <= number < before]
        return any(word in answer for word in words for answer in heard)

    def shows_effects(self, after: int, before: int) -> bool:
        """Return whether the bot was shown its wallet, positions or fills in between."""
        return any(
            one.operation in SHOWING and one.status == 200
            for one in self.exchanges
            if after < one.number < before
        )


def market_of(exchange: RecordedExchange) -> Market:
    """Return the market of a request; without a symbol if it has none."""
    product = "spot" if exchange.operation in _SPOT else "contract"
    symbol = exchange.values.get("symbol")
    return product, symbol.upper() if isinstance(symbol, str) else ""


def _values(query: str, body: bytes) -> dict[str, Any]:
    """Return the parameters of a request; none if the body is no object."""
    if body:
        try:
            found = json.loads(body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
    return dict(parse_qsl(query))
