"""A seeded walk: commands from one seed, and the three digests that every process must print."""

from __future__ import annotations

import hashlib
import random

import msgspec

from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.state import snapshot

OWNERS = 5
FIRST_UID = 10_000_001
INSTRUMENT = Instrument("AAAQQQ", "AAA", "QQQ", 1, 2, 1, 1, 1, 50, 50, 1_500, 2_500)


def opening() -> list[Command]:
    """The market and its funded owners, one of each mode of self-trade prevention."""
    begin: list[Command] = [
        commands.RegisterAsset("AAA", 1),
        commands.RegisterAsset("QQQ", 3),
        commands.ListInstrument(INSTRUMENT),
    ]
    for number in range(OWNERS):
        begin.append(commands.CreateOwner(f"owner {number}", number % 4))
        for asset in ("AAA", "QQQ"):
            begin.append(commands.Deposit(FIRST_UID + number, 0, asset, 10**9))
    return begin


def step(choice: random.Random) -> Command:
    """One more command: mostly orders, some cancels, now and then a tick."""
    uid = FIRST_UID + choice.randrange(OWNERS)
    client_id = choice.choice(["", *"abcdefgh"])
    act = choice.randrange(10)
    if act == 0:
        return commands.CancelOrder(uid, 0, client_id)
    if act == 1:
        return commands.Tick()
    side, quantity = choice.randrange(2), choice.randint(1, 20)
    if act == 2:
        return commands.PlaceOrder(uid, "AAAQQQ", side, 1, 1, quantity, 0, client_id)
    tif = choice.choice([0, 0, 0, 1, 2, 3])
    price = choice.randint(95, 105)
    return commands.PlaceOrder(uid, "AAAQQQ", side, 0, tif, quantity, price, client_id)


def walk(engine: Engine, seed: int, count: int) -> list[Event]:
    """Open the market and apply `count` commands; all events."""
    choice = random.Random(seed)
    said: list[Event] = []
    for command in opening():
        said += engine.apply(command)
    for number in range(count):
        command = step(choice)
        command.time = number * 60 * 10**6
        said += engine.apply(command)
    return said


if __name__ == "__main__":
    walked = Engine()
    events = walk(walked, seed=11, count=5_000)
    print(snapshot.state_hash(walked))
    print(hashlib.sha256(snapshot.dump(walked)).hexdigest())
    print(hashlib.sha256(msgspec.msgpack.encode(events)).hexdigest())
