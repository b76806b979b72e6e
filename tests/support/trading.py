"""A small market and the acts of random owners on it."""

from __future__ import annotations

import random

from venue.core.instruments import Instrument
from venue.core.messages.commands import (
    CancelOrder,
    CancelOrders,
    Command,
    CreateOwner,
    Deposit,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
    Tick,
)
from venue.core.units import FIRST_UID

BTC = Instrument("BTCUSDT", "BTC", "USDT", 1, 2, 1, 5, 1, 10**9, 10**9, 100, 200)

FIRST_ORDER = 10**15
FOUNDING = 15  # the commands that make market and owners


def trading(seed: int, count: int) -> list[Command]:
    """A market, four owners and then random orders and cancels."""
    chance = random.Random(seed)
    found: list[Command] = [
        RegisterAsset("BTC", 8),
        RegisterAsset("USDT", 8),
        ListInstrument(BTC),
    ]
    uids = range(FIRST_UID, FIRST_UID + 4)
    for uid in uids:
        found.append(CreateOwner(f"owner-{uid}"))
        found += [Deposit(uid, 0, asset, 10**14) for asset in ("BTC", "USDT")]
    while len(found) < count:
        uid = chance.choice(uids)
        kind = chance.random()
        if kind < 0.8:
            price, name = chance.randint(9_900, 10_100), f"c{chance.randint(1, 99)}"
            side, quantity = chance.randint(0, 1), chance.randint(1, 500)
            order = PlaceOrder(uid, "BTCUSDT", side, 0, 0, quantity, price, name)
            order.request = len(found).to_bytes(4, "big")
            found.append(order)
        elif kind < 0.97:
            found.append(CancelOrder(uid, FIRST_ORDER + chance.randint(0, len(found))))
        else:
            found.append(CancelOrders(uid, "BTCUSDT") if kind < 0.985 else Tick())
    for number, command in enumerate(found):
        command.time = 1_000_000 * number
    return found
