"""A private channel resumed from a number: the missed frames, then the new ones, each once."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest

from support.client import Client
from support.listening import Listener, Message, login
from support.resuming import by_channel, newest_of, numbers, refused, up_to
from support.server import Server, flawless
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, price_contracts
from venue.recompute.history import rebuild_history

CHANNELS = {
    "spot": ("orders", "fill", "account"),
    "contract": ("orders", "fill", "account", "positions"),
}
WHOLE = "must be a whole number, from 0 to N"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with flawless(
        "--no-agents", "--no-limits", "--clock", "manual", folder=tmp_path_factory.mktemp("resume")
    ) as found:
        price_contracts(found.client())
        yield found


def opened(server: Server, product: Product, name: str = "alice") -> Listener:
    return Listener(server.port, product.socket, login(server.account(name)))


def trade(server: Server, product: Product, times: int = 1) -> None:
    """Alice buys from bob what she asked for before: something in every channel of both."""
    alice, bob = server.client("alice"), server.client("bob")
    selling = {"side": "SELL"} | ({"positionSide": "SHORT"} if product is CONTRACT else {})
    for _ in range(times):
        for client, changes in ((alice, {}), (bob, selling)):
            answer = client.post(product.order, product.plain | changes)
            assert answer.status == 200, answer


# -- resuming -------------------------------------------------------------------------------------


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_what_was_missed_and_then_what_happens(server: Server, product: Product) -> None:
    channels = CHANNELS[product.name]
    with opened(server, product) as always:
        always.subscribe(*channels)
        with opened(server, product) as first:
            first.subscribe(*channels)
            trade(server, product, 2)
            seen = by_channel(first.settle())
        last = {channel: numbers(seen[channel])[-1] for channel in channels}
        trade(server, product, 3)
        with opened(server, product) as again:
            again.subscribe(*(f"{channel}?from={last[channel]}" for channel in channels))
            trade(server, product, 2)
            told = by_channel(always.settle())
            missed = up_to(again, {channel: told[channel][-1]["seq"] for channel in channels})
            assert again.settle() == []
            trade(server, product)
            told_live, live = by_channel(always.settle()), by_channel(again.settle())
            assert live == told_live
    assert {channel: seen[channel] + missed[channel] for channel in channels} == told
    for channel in channels:
        found = numbers(told[channel])
        assert found == list(range(found[0], found[0] + len(found)))
    versions = sorted(frame["v"] for frames in told.values() for frame in frames)
    assert versions == list(range(versions[0], versions[0] + len(versions)))


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_from_the_beginning(server: Server, product: Product) -> None:
    """The other owner too, whose first socket was opened just now: its frames begin there."""
    with opened(server, product, "bob"):
        trade(server, product)
    newest: dict[str, int] = {}
    with opened(server, product, "bob") as bob:
        for channel in CHANNELS[product.name]:
            newest[channel] = newest_of(bob, channel)
        bob.subscribe(*(f"{channel}?from=0" for channel in CHANNELS[product.name]))
        told = up_to(bob, newest)
        assert bob.settle() == []
    for channel, frames in told.items():
        assert numbers(frames) == list(range(1, newest[channel] + 1))
        assert newest[channel] > 0


def test_the_answer_comes_first_and_nothing_else_when_nothing_was_missed(server: Server) -> None:
    trade(server, SPOT)
    with opened(server, SPOT) as alice:
        alice.say({"method": "SUBSCRIBE", "params": ["orders?from=0"], "id": 1})
        assert alice.receive() == {"result": True, "id": 1}
        assert alice.next()["seq"] == 1
        newest = newest_of(alice, "orders")
        up_to(alice, {"orders": newest})
    with opened(server, SPOT) as alice:
        alice.subscribe(f"orders?from={newest}")
        assert alice.settle() == []
        trade(server, SPOT)
        assert numbers(alice.settle())[0] == newest + 1


def test_other_spellings(server: Server) -> None:
    trade(server, CONTRACT)
    with opened(server, CONTRACT) as alice:
        alice.subscribe("order?from=0", "position?from=0")
        assert alice.next()["seq"] == 1
        alice.unsubscribe("orders?from=3", "position")
        alice.settle()
        trade(server, CONTRACT)
        assert alice.settle() == []


def test_two_subscriptions_of_a_channel_are_one(server: Server) -> None:
    with opened(server, SPOT) as alice:
        alice.subscribe("fill", "fill?from=0", "fill")
        alice.subscribe("fill")
        newest = newest_of(alice, "fill")
        up_to(alice, {"fill": newest})
        trade(server, SPOT)
        assert numbers(alice.settle()) == [newest + 1]
        # Named with a number again, it begins again there, and is one still.
        alice.subscribe(f"fill?from={newest - 1}")
        up_to(alice, {"fill": newest + 1})
        trade(server, SPOT)
        assert numbers(alice.settle()) == [newest + 2]
        alice.unsubscribe("fill")
        trade(server, SPOT)
        assert alice.settle() == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("orders?from=", f"invalid sequence : , {WHOLE}"),
        ("orders?from=x", f"invalid sequence : x, {WHOLE}"),
        ("orders?from=-1", f"invalid sequence : -1, {WHOLE}"),
        ("orders?from=1.0", f"invalid sequence : 1.0, {WHOLE}"),
        ("orders?from=1&from=2", f"invalid sequence : 1&from=2, {WHOLE}"),
        ("orders?from=٣", f"invalid sequence : \\u0663, {WHOLE}"),
        (f"orders?from={10**18}", f"invalid sequence : {10**18}, {WHOLE}"),
        (
            "order?from=1000000",
            "invalid sequence : 1000000, orders has come to N: must be at most N",
        ),
        ("orders?", "invalid event : orders?"),
        ("orders?to=5", "invalid event : orders?to=5"),
        ("nope?from=5", "invalid event : nope?from=5"),
        ("BTCUSDT@ticker?from=5", "invalid event : BTCUSDT@ticker?from=5"),
    ],
)  # fmt: skip
def test_what_cannot_be_resumed(server: Server, name: str, words: str) -> None:
    trade(server, SPOT)
    with opened(server, SPOT) as alice:
        newest = newest_of(alice, "orders")
        assert refused(alice, "account", name) == words.replace("N", str(newest))
        trade(server, SPOT)
        assert alice.settle() == []


def test_every_channel_that_cannot_be_resumed_is_named(server: Server) -> None:
    with opened(server, SPOT) as alice:
        told = refused(alice, "orders?from=x", "account?from=0", "order?from=x", "fill?from=y")
        assert [words.partition(", ")[0] for words in told.split("; ")] == [
            "invalid sequence : x",
            "invalid sequence : y",
        ]
        assert alice.settle() == []


def test_public_channels_have_no_past(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/public") as anyone:
        assert refused(anyone, "BTCUSDT@trade?from=0") == "invalid event : trade?from=0"


def test_many_frames_while_more_come(server: Server) -> None:
    """Thousands of frames pass while others are resumed over and over."""
    alice = server.client("alice")
    done = Event()

    def go_on() -> None:
        while not done.is_set():
            assert alice.post(SPOT.order, SPOT.plain).status == 200
            assert alice.delete(f"{SPOT.all}?symbol=BTCUSDT").status == 200

    with opened(server, SPOT):
        trade(server, SPOT, 100)
    trading = Thread(target=go_on)
    trading.start()
    try:
        for first in range(0, 500, 50):
            with opened(server, SPOT) as again:
                newest = newest_of(again, "orders")
                again.subscribe(f"orders?from={first}")
                found = [again.next() for _ in range(newest + 300 - first)]
                assert numbers(found) == list(range(first + 1, newest + 301))
                again.unsubscribe("orders")
    finally:
        done.set()
        trading.join()
    assert newest > 2_000


# -- restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_numbers_go_on_after_a_restart(tmp_path: Any, how: str) -> None:
    """With the frames that a rebuilt history has: the same."""
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents", "--no-limits")
    told: list[dict[str, list[Message]]] = []
    for _ in range(2):
        with Server(*state, folder=tmp_path) as server, opened(server, SPOT) as alice:
            trade(server, SPOT, 2)
            begun = Client(server.port, server.account("alice"))
            partly = SPOT.plain | {"side": "SELL", "quantity": "0.005"}
            assert begun.post(SPOT.order, SPOT.plain).status == 200
            assert server.client("bob").post(SPOT.order, partly).status == 200
            begun.close()
            alice.subscribe("orders?from=0", "fill?from=0", "account?from=0")
            newest = {channel: newest_of(alice, channel) for channel in CHANNELS["spot"]}
            told.append(up_to(alice, newest))
            if how == "stop":  # with a snapshot at its end
                assert server.stop() == 0
            else:
                server.kill()
    first, second = told
    for channel, frames in second.items():
        assert numbers(frames) == list(range(1, len(frames) + 1))
        assert frames[: len(first[channel])] == first[channel]
    # The order that was open at the restart still knows what its first fill cost.
    filled = [frame["d"][0] for frame in second["orders"] if frame["d"][0]["status"] == "FILLED"]
    assert {item["cumFillFee"] for item in filled} == {"0.00001000"}
    rebuild_history(str(tmp_path / "venue.db"))
    with Server(*state, folder=tmp_path) as server, opened(server, SPOT) as alice:
        alice.subscribe("orders?from=0", "fill?from=0", "account?from=0")
        assert up_to(alice, {channel: len(frames) for channel, frames in second.items()}) == second
