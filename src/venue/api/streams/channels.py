"""The rows of the streams: sockets, channels and their payloads as data."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from venue.api import countdown
from venue.api.contract import orders as contract_orders
from venue.api.operation import Row
from venue.api.spot import orders as spot_orders
from venue.vocabulary import Product

INTERVALS: Final = (
    "1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M",
)  # fmt: skip
LAST_PRICE: Final = "LAST_PRICE"
MARK_PRICE: Final = "MARK_PRICE"
LEVELS: Final = (15, 200)
CHECKED: Final = "_checksum"  # ends the names of depth channels with checksums
CHECKED_EVERY: Final = 100  # update ids

Ms = Annotated[int, Meta(description="Unix time, ms.")]
Level = tuple[str, str]


# -- messages about the connection ----------------------------------------------------------------


class Greeting(Struct):
    """The first message of a connection."""

    event: str
    cid: str
    time: str


class PublicPing(Struct):
    """Asks a client of a public socket for a PONG."""

    event: str
    time: str


class PrivatePing(Struct):
    """Asks a client of a private socket for a PONG."""

    type: str
    time: str


class Message(Struct):
    """A client's message; `id` is a whole number or a string, and comes back as it was.

    `event` and `op` are what messages of another version have in place of `method`.
    """

    method: Any = None
    params: Raw = Raw(b"null")
    id: Raw = Raw(b"")
    event: Any = None
    op: Any = None


class Acknowledgement(Struct):
    """The answer to a client's message; `msg` only where it failed."""

    result: bool
    id: Raw | UnsetType = UNSET
    msg: str | UnsetType = UNSET


# -- orders over a private socket -----------------------------------------------------------------


class SocketError(Struct):
    """The reason why an operation had no effect: as over REST, but always with `msg`."""

    code: int
    msg: str


class Answer(Struct, rename="camel", kw_only=True):
    """The outcome of one operation: with status 200 its reply in `result`, otherwise an `error`.

    `status`, `code` and `retryAfter` (seconds) are REST's; `ignored` names unknown parameters.
    """

    id: Raw | UnsetType = UNSET
    status: int
    result: Any = UNSET
    error: SocketError | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET
    ignored: list[str] | UnsetType = UNSET


class CancelOnDisconnect(Struct):
    """Whether the orders placed over this connection are cancelled when it is gone."""

    enabled: bool


class ClockHold(Struct):
    """Whether this connection keeps venue time from being skipped; it ends with the connection."""

    enabled: bool


PLACE: Final = "ORDER.PLACE"
CANCEL_ON_DISCONNECT: Final = "SESSION.CANCEL_ON_DISCONNECT"
CLOCK_HOLD: Final = "CLOCK.HOLD"  # of a practice venue
# The methods of private sockets that are operations: their params are the row's parameters.
METHODS: Final[dict[Product, dict[str, Row]]] = {
    Product.SPOT: {
        PLACE: spot_orders.place_order,
        "ORDER.CANCEL": spot_orders.cancel_order,
        "ORDER.CANCEL_ALL": spot_orders.cancel_open_orders,
        "ORDER.CANCEL_AFTER": countdown.cancel_after,
    },
    Product.CONTRACT: {
        PLACE: contract_orders.place_contract_order,
        "ORDER.CANCEL": contract_orders.cancel_contract_order,
        "ORDER.CANCEL_ALL": contract_orders.cancel_contract_open_orders,
        "ORDER.CANCEL_AFTER": countdown.contract_cancel_after,
    },
}


# -- public channels ------------------------------------------------------------------------------


class TickerItem(Struct):
    """24-hour statistics; mark and index price of contracts only."""

    change: str = field(name="p")
    change_fraction: str = field(name="P")
    average: str = field(name="w")
    last: str = field(name="c")
    open: str = field(name="o")
    high: str = field(name="h")
    low: str = field(name="l")
    volume: str = field(name="v")
    quote_volume: str = field(name="q")
    open_time: Ms = field(name="O")
    close_time: Ms = field(name="C")
    count: int = field(name="n")
    mark: str | UnsetType = field(name="m", default=UNSET)
    index: str | UnsetType = field(name="i", default=UNSET)


class TickerFrame(Struct):
    """A symbol's 24-hour statistics."""

    event: str = field(name="e")
    time: Ms = field(name="E")
    symbol: str = field(name="s")
    items: list[TickerItem] = field(name="d")


class TradeItem(Struct):
    """One trade; `m` is true when the taker sold."""

    time: Ms = field(name="T")
    trade_id: str = field(name="t")
    price: str = field(name="p")
    quantity: str = field(name="q")
    value: str = field(name="v")
    is_buyer_maker: bool = field(name="m")


class TradeFrame(Struct):
    """A symbol's trades, oldest first: the newest known, then each one once."""

    event: str = field(name="e")
    time: Ms = field(name="E")
    symbol: str = field(name="s")
    items: list[TradeItem] = field(name="d")


class KlineItem(Struct):
    """One candle."""

    open_time: Ms = field(name="t")
    close_time: Ms = field(name="T")
    symbol: str = field(name="s")
    interval: str = field(name="i")
    open: str = field(name="o")
    close: str = field(name="c")
    high: str = field(name="h")
    low: str = field(name="l")
    volume: str = field(name="v")
    count: int = field(name="n")
    quote_volume: str = field(name="q")
    taker_volume: str = field(name="V")
    taker_quote_volume: str = field(name="Q")


class KlineFrame(Struct):
    """A symbol's candles, oldest first: the newest known, then those that changed."""

    event: str = field(name="e")
    time: Ms = field(name="E")
    symbol: str = field(name="s")
    price_type: str = field(name="p")
    items: list[KlineItem] = field(name="d")


class DepthFrame(Struct):
    """The best levels, then their changes: sizes are absolute, `0` removes a level.

    `U` of a change equals `u` of the frame before it. `cs`, in channels `depth…_checksum` only, is
    there in a snapshot and in the first change at or beyond each hundredth `u`: the CRC-32 of the
    levels that the client then has, bids then asks, best first, each as `price:size`, with a comma
    between any two.
    """

    event: str = field(name="e")
    time: Ms = field(name="E")
    symbol: str = field(name="s")
    first_id: int = field(name="U")
    last_id: int = field(name="u")
    level: int = field(name="l")
    kind: str = field(name="d")
    bids: list[Level] = field(name="b")
    asks: list[Level] = field(name="a")
    checksum: int | UnsetType = field(name="cs", default=UNSET)


class BookTickerFrame(Struct):
    """The best bid and ask with their sizes."""

    event: str = field(name="e")
    time: Ms = field(name="E")
    symbol: str = field(name="s")
    update_id: int = field(name="u")
    bid_price: str = field(name="b")
    bid_quantity: str = field(name="B")
    ask_price: str = field(name="a")
    ask_quantity: str = field(name="A")


# -- private channels -----------------------------------------------------------------------------


class OwnFrame(Struct):
    """Changes of one account. `v` counts the frames of the account; `seq`, a key of this
    venue's own, those of the channel, without a gap, since the owner first opened a private socket.
    """

    event: str = field(name="e")
    time: Ms = field(name="E")
    version: int = field(name="v")
    sequence: int = field(name="seq")
    cause: str = field(name="msgEvent")
    items: list[Any] = field(name="d")


class KeptFrame(Struct, array_like=True, gc=False):
    """An `OwnFrame` as it is kept: the bytes that are sent, under the `seq` in them.

    `sequence` is the number of the command that caused it.
    """

    sequence: int
    uid: int
    product: int
    channel: str
    number: int
    payload: bytes


# -- rows -----------------------------------------------------------------------------------------


class Stream(Struct, frozen=True):
    """One family of channels: `channels` are their names, of public ones after `<SYMBOL>@`."""

    name: str
    products: tuple[Product, ...]
    private: bool
    channels: tuple[str, ...]
    events: tuple[str, ...]
    payload: type[Struct]


class Socket(Struct, frozen=True):
    """One path that takes WebSocket connections."""

    path: str
    product: Product
    private: bool


_BOTH: Final = (Product.SPOT, Product.CONTRACT)
_SPOT: Final = (Product.SPOT,)
_CONTRACT: Final = (Product.CONTRACT,)

ticker = Stream("ticker", _BOTH, False, ("ticker",), ("ticker",), TickerFrame)
trade = Stream("trade", _BOTH, False, ("trade",), ("tradeSnapshot", "trade"), TradeFrame)
kline = Stream(
    "kline", _BOTH, False, tuple(f"kline_{interval}_{LAST_PRICE}" for interval in INTERVALS),
    ("klineSnapshot", "kline"), KlineFrame,
)  # fmt: skip
mark_kline = Stream(
    "mark_kline", _CONTRACT, False,
    tuple(f"kline_{interval}_{MARK_PRICE}" for interval in INTERVALS),
    ("klineSnapshot", "kline"), KlineFrame,
)  # fmt: skip
depth = Stream(
    "depth", _BOTH, False,
    tuple(f"depth{level}{ending}" for ending in ("", CHECKED) for level in LEVELS),
    ("depthSnapshot", "depth"), DepthFrame,
)  # fmt: skip
book_ticker = Stream("book_ticker", _SPOT, False, ("bookTicker",), ("bookTicker",), BookTickerFrame)
account = Stream("account", _BOTH, True, ("account",), ("account",), OwnFrame)
orders = Stream("orders", _BOTH, True, ("orders",), ("orders",), OwnFrame)
fill = Stream("fill", _BOTH, True, ("fill",), ("fill",), OwnFrame)
positions = Stream("positions", _CONTRACT, True, ("positions",), ("positions",), OwnFrame)

STREAMS: Final = (
    ticker,
    trade,
    kline,
    mark_kline,
    depth,
    book_ticker,
    account,
    orders,
    fill,
    positions,
)
SOCKETS: Final = (
    Socket("/spot/v3/ws/public", Product.SPOT, False),
    Socket("/spot/v3/ws/private", Product.SPOT, True),
    Socket("/contract/v3/ws/public", Product.CONTRACT, False),
    Socket("/contract/v3/ws/private", Product.CONTRACT, True),
    Socket("/v3/ws/public", Product.SPOT, False),
    Socket("/v3/ws/private", Product.SPOT, True),
)
ALIASES: Final = {"order": "orders", "position": "positions"}  # spellings of some clients


def streams_of(socket: Socket) -> dict[str, Stream]:
    """Return the streams a socket has, by the name of each channel."""
    return {
        channel: stream
        for stream in STREAMS
        if stream.private == socket.private and socket.product in stream.products
        for channel in stream.channels
    }
