"""Commands that differ by their number, and the digests of their chain."""

from __future__ import annotations

import msgspec

from venue.core.messages.commands import CancelOrder, Command, CreateOwner, PlaceOrder, Tick
from venue.journal.chain import BLOCK, Chain


def commands(first: int, count: int) -> list[Command]:
    """So many commands, of several types and lengths."""
    return [command(number) for number in range(first, first + count)]


def command(number: int) -> Command:
    if number % 5 == 0:
        return CancelOrder(1, number, time=number)
    if number % 7 == 0:
        return CreateOwner(f"owner-{number}", time=number)
    if number % 11 == 0:
        return Tick(time=number)
    request = number.to_bytes(8, "big")
    return PlaceOrder(1, "BTCUSDT", 0, 0, 0, 10**number % 10**17, 5, f"c{number}", request, number)


def digests(sizes: list[int]) -> dict[int, bytes]:
    """The digest at each row's end when batches of these sizes are chained."""
    chain, found = Chain(), {}
    for size in sizes:
        left = size
        while left:
            count = min(left, chain.room())
            payload = msgspec.msgpack.encode(commands(chain.sequence + 1, count))
            digest = chain.add(payload, count)
            found[chain.sequence] = digest
            left -= count
    return found


SINGLY = digests([1] * (2 * BLOCK + 80))
