"""A listener to private frames: each owner's frames, command by command."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import json

from venue.api.streams.private import FILL, ORDERS
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.rewards import RESERVED
from venue.recording.frames import PrivateFrame, PrivateFrames
from venue.vocabulary import Product

Told = list[tuple[str, str, str, list[dict[str, Any]]]]  # (owner, channel, cause, items)


class World(Protocol):
    """The world of a room: `World` or `ContractWorld`."""

    engine: Engine
    uids: dict[str, int]
    time: int

    def apply(self, command: Command) -> list[Event]: ...


class Room:
    """Private frames of a world, from now on."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.frames = PrivateFrames(world.engine, lambda uid: uid not in RESERVED)

    def say(self, command: Command) -> Told:
        """The frames that owners get of one command, by their names."""
        events = self.world.apply(command)
        engine = self.world.engine
        applied = Applied(engine.sequence, command.time, command, events)
        names = {uid: name for name, uid in self.world.uids.items()}
        return [
            (names[frame.uid], frame.channel, frame.cause, items_of(frame))
            for frame in self.frames.frames(applied)
        ]


def items_of(frame: PrivateFrame) -> list[dict[str, Any]]:
    """The items of a frame as its listener reads them."""
    return [json.decode(item) for item in frame.items]


def only(told: Told, name: str, channel: str) -> list[dict[str, Any]]:
    """The items of one owner's channel, whatever caused them."""
    return [
        item for owner, kind, _, items in told if (owner, kind) == (name, channel) for item in items
    ]


class Record:
    """Everything that was told: fills in order, and how each thing stood last."""

    def __init__(self) -> None:
        self.fills: dict[Product, list[dict[str, Any]]] = {product: [] for product in Product}
        self.orders: dict[str, dict[str, Any]] = {}
        self.statuses: dict[str, list[str]] = {}
        self.last: dict[tuple[str, Product, int, str], dict[str, Any]] = {}
        self.uids: dict[int, None] = {}

    def take(self, frames: list[PrivateFrame]) -> None:
        for frame in frames:
            self.uids[frame.uid] = None
            for item in items_of(frame):
                if frame.channel == FILL:
                    self.fills[Product(frame.product)].append({"uid": frame.uid, **item})
                elif frame.channel == ORDERS:
                    self.orders[item["id"]] = item
                    self.statuses.setdefault(item["id"], []).append(item["status"])
                else:
                    number = item.get("id") or item["coin"]
                    self.last[frame.channel, Product(frame.product), frame.uid, number] = item
