"""Orders that depth frames tell apart, and the frames that a crowd of readers got of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import msgspec

from bench import signed_orders
from bench.gateway import Server
from bench.signed_orders import Key
from bench.stream_reader import Door, Known, Loop, Subscriber

PRICE: Final = "64000.00"  # between the book's sides: the level holds the bench's orders alone
SMALLEST: Final = Decimal("0.00150")
LOT: Final = Decimal("0.00001")
DOOR_CONNECTIONS: Final = 8
NEVER: Final = 0


class Desk:
    """Places orders that alone are on their price: one rests, the next one takes it whole.

    The size of order 2n tells n: it shows in a depth frame which order caused it.
    """

    def __init__(self, server: Server, buyer: Key, seller: Key) -> None:
        self.server = server
        self.buyer = buyer
        self.seller = seller
        self.loop = Loop()
        self.door = Door(server.port, DOOR_CONNECTIONS)
        self.loop.use(self.door)
        self._made = 0

    def orders(self, count: int) -> list[bytes]:
        """The next orders, signed."""
        stamp = signed_orders.now()
        first, self._made = self._made, self._made + count
        return [self._order(number, stamp) for number in range(first, self._made)]

    def _order(self, number: int, stamp: int) -> bytes:
        body = {
            "symbol": "BTCUSDT",
            "side": "SELL" if number % 2 else "BUY",
            "type": "LIMIT",
            "timeInForce": "GTC",
            "quantity": str(SMALLEST + number // 2 * LOT),
            "price": PRICE,
            "newClientOrderId": f"stream-{number}",
        }
        key = self.seller if number % 2 else self.buyer
        return signed_orders.signed(key, "POST", "/api/v3/order", msgspec.json.encode(body), stamp)

    def close(self) -> None:
        """Close the door."""
        self.loop.close([])


class Frames:
    """Every distinct message of depth subscribers, decoded.

    `origins` has for each when the order that caused it was sent, in ns, or NEVER.
    """

    def __init__(self, known: Known, door: Door) -> None:
        decode = msgspec.json.decode
        self.messages: list[dict[str, Any]] = [decode(item) for item in known.messages()]
        self.origins = [NEVER] * len(self.messages)
        order = 0
        for number, message in enumerate(self.messages):
            if message.get("e") != "depth":
                continue
            for price, size in message["b"]:
                if Decimal(price) != Decimal(PRICE):
                    continue
                rests = size != "0"
                order = int((Decimal(size) - SMALLEST) / LOT) * 2 if rests else order + 1
                self.origins[number] = door.sent[order]

    def lost(self, subscriber: Subscriber, last: int) -> int:
        """Breaks in a subscriber's depth frames, and 1 more if it is not at the last update."""
        at, breaks = 0, 0
        for number in subscriber.told:
            message = self.messages[number]
            if message.get("e") == "depthSnapshot":
                at = message["u"]
            elif message.get("e") == "depth":
                breaks += message["U"] != at
                at = message["u"]
        return breaks + (at != last)

    def last(self) -> int:
        """The last update id in any message."""
        last: int = max(item["u"] for item in self.messages if item.get("e") == "depth")
        return last

    def delays(self, subscriber: Subscriber, since: int, until: int) -> list[int]:
        """How long each frame took from its order, in ns; of orders sent in that time (ns)."""
        return [
            when - self.origins[number]
            for number, when in zip(subscriber.told, subscriber.times, strict=True)
            if since <= self.origins[number] <= until
        ]
