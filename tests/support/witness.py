"""A client that hears every channel of one socket, and a market whose every act moves them all."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from support.listening import Book, Listener, Message, login
from support.listening_room import KEYS, ListeningRoom
from support.socket_desk import Cable
from venue.api.streams.channels import CHECKED, SOCKETS, Socket, streams_of
from venue.core.messages.commands import Tick
from venue.gateway.answers.market import trade_id_text
from venue.node.market_data.product import Board
from venue.node.node import Node
from venue.vocabulary import Product

KINDS: Final = SOCKETS[:4]  # the others are further names of these
SYMBOLS: Final = {Product.SPOT: "BTCUSDT", Product.CONTRACT: "BTCSUSDT"}
FIRST: Final = 60_000
OWNER: Final = "alice"


def channels(kind: Socket) -> list[str]:
    """Every channel of a socket, of one symbol if it is public."""
    names = list(streams_of(kind))
    return names if kind.private else [f"{SYMBOLS[kind.product]}@{name}" for name in names]


class Market:
    """Trades of both products, each at a price of its own, between alice and bob."""

    def __init__(self, room: ListeningRoom) -> None:
        self.room = room
        self.number = 0
        self._operator = room.client()
        self._alice, self._bob = room.client("alice"), room.client("bob")
        self.act()  # there is a mark

    def act(self) -> str:
        """Move every channel once or more; the price of the trades."""
        self.number += 1
        price = FIRST + self.number
        body = {"symbol": "BTCSUSDT", "source": "agents", "price": str(price)}
        assert self._operator.post("/_venue/index", body).status == 200
        self.room.do(lambda node: node.sequencer.submit([Tick()]))
        for client, side, way in ((self._alice, "SELL", "SHORT"), (self._bob, "BUY", "LONG")):
            order = {"side": side, "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01"}
            spot = {**order, "symbol": "BTCUSDT", "price": f"{price}.00"}
            answer = client.post("/api/v3/order", spot)
            assert answer.status == 200, answer
            contract = {**order, "symbol": "BTCSUSDT", "price": f"{price}.0", "positionSide": way}
            answer = client.post("/capi/v3/order", contract)
            assert answer.status == 200, answer
        return f"{price}.0"


class Witness:
    """Hears channels of one socket from now on, and loses nothing."""

    def __init__(self, room: ListeningRoom, kind: Socket, names: list[str]) -> None:
        self.room = room
        self.kind = kind
        self.heard: dict[str, list[Message]] = {name: [] for name in names}
        self.listener = Listener(room.port, kind.path, login(KEYS[OWNER]), max_queue=None)
        self.listener.subscribe(*names)
        self._sort(self.listener.settle())
        self._before = self._counts()

    def hear(self) -> None:
        """Wait until every channel has said something new: none is silent for good."""
        while any(count == self._before[name] for name, count in self._counts().items()):
            self._sort([self.listener.next()])
        self._sort(self.listener.settle())
        self._before = self._counts()

    def check(self) -> None:
        """Nothing is missing: numbers, update ids and trades follow each other to the newest."""
        for name, found in self.heard.items():
            if self.kind.private:
                self._check_own(name, [frame["seq"] for frame in found])
            elif "@depth" in name:
                self._check_book(found)
            elif name.endswith("@trade"):
                self._check_trades([item["t"] for frame in found for item in frame["d"]])

    def _counts(self) -> dict[str, int]:
        return {name: len(found) for name, found in self.heard.items()}

    def _sort(self, told: list[Message]) -> None:
        for frame in told:
            if "e" in frame:  # pings are of no channel
                self.heard[self._channel(frame)].append(frame)

    def _channel(self, frame: Message) -> str:
        name = str(frame["e"]).removesuffix("Snapshot")
        if self.kind.private:
            return name
        if name == "depth":
            (found,) = [one for one in self.heard if f"@depth{frame['l']}" in one]
            return found
        if name == "kline":
            name = f"kline_{frame['d'][-1]['i']}_{frame['p']}"
        return f"{frame['s']}@{name}"

    def _check_own(self, name: str, numbers: list[int]) -> None:
        uid = self.room.do(lambda node: node.engine.ledger.names[OWNER])
        key = (uid, self.kind.product, name)
        newest = self.room.do(lambda node: node.recorder.numbering.newest(key))
        assert numbers == list(range(newest - len(numbers) + 1, newest + 1)), name

    def _check_book(self, found: list[Message]) -> None:
        book = Book(found[0])
        for frame in found[1:]:
            book.take(frame)
        last = self.room.do(lambda node: self._board(node).depth(self._symbol, book.level))
        assert book.update_id == last.update_id

    def _check_trades(self, numbers: list[str]) -> None:
        kept = self.room.do(lambda node: self._board(node).trades(self._symbol, len(numbers)))
        assert numbers == [trade_id_text(trade.trade_id) for trade in kept]

    @property
    def _symbol(self) -> str:
        return SYMBOLS[self.kind.product]

    def _board(self, node: Node) -> Board:
        data = node.market_data
        return data.spot if self.kind.product is Product.SPOT else data.contract


@contextmanager
def witnesses(room: ListeningRoom) -> Iterator[list[Witness]]:
    """Witnesses of every channel of every socket; the two kinds of depth look alike, so apart."""
    found: list[Witness] = []
    try:
        for kind in KINDS:
            names = channels(kind)
            plain = [name for name in names if not name.endswith(CHECKED)]
            checked = [name for name in names if name.endswith(CHECKED)]
            found += [Witness(room, kind, part) for part in (plain, checked) if part]
        yield found
    finally:
        for witness in found:
            witness.listener.close()


class Reader:
    """A client with small buffers that hears every channel of a socket, and reads when told to."""

    def __init__(self, room: ListeningRoom, kind: Socket) -> None:
        self.room = room
        self.cable = Cable(room.port, kind.path, KEYS[OWNER], receive_bytes=4096)
        self.socket = self.cable.socket
        self.port: int = self.socket.getsockname()[1]
        self.cable.say([{"method": "SUBSCRIBE", "params": channels(kind), "id": 1}])
        self.read()

    def unsent(self) -> int | None:
        """How many bytes the venue holds for it; None when the venue has let go of it."""
        return self.room.unsent(self.port)

    def read(self) -> int:
        """Read a little; how much there was."""
        return len(self.socket.recv(1024))

    def end(self) -> None:
        """Say that nothing more is said; frames that were sent are still not read."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.socket.close()
