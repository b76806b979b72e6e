"""Both doors under random cuts and damage, from fixed seeds; more by `make soak-door`."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from properties.doors import Doors
from properties.stream_frames import Writer
from properties.streams import streams
from support.listening import Listener
from support.server import Server
from support.waits import WAIT_S

READS = 40_000
STREAM_READS = 8_000
CLIENTS = 150


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_in_order_whatever_comes(seed: int) -> None:
    async def run() -> int:
        doors = Doors(seed)
        doors.run(READS)
        return doors.reads

    assert asyncio.run(run()) >= READS


@pytest.mark.parametrize("seed", range(3))
def test_streams_answer_in_order_whatever_comes(seed: int) -> None:
    """Enemy: a client that sends any bytes, in any pieces, as an upgrade or as frames."""

    async def run() -> int:
        async with streams(seed) as found:
            await found.run(STREAM_READS)
            return found.reads

    assert asyncio.run(run()) >= STREAM_READS


def test_a_live_venue_outlives_them(tmp_path: Path) -> None:
    """Enemy: the same clients over real connections, which they end in every way."""
    random = Random(1)
    writer = Writer(random, lambda: 0)
    with Server("--no-agents", folder=tmp_path) as server:
        with Listener(server.port, "/spot/v3/ws/public") as witness:
            witness.subscribe("BTCUSDT@trade", "BTCUSDT@depth15")
            witness.settle()
            files = f"/proc/{server.process.pid}/fd"
            before = len(os.listdir(files))
            for _ in range(CLIENTS):
                sent = writer.client()
                data = random.choice((sent.head + sent.data, writer.stranger()))
                _say(server.port, data, random)
                assert witness.settle() == []
            while len(os.listdir(files)) > before:
                assert witness.settle() == []
        health = server.client().get("/_venue/health").json
        assert (health["status"], health["streamDefects"]) == ("ok", 0)
        assert server.stop() == 0
        assert "Traceback" not in server.errors.read_text()


def _say(port: int, data: bytes, random: Random) -> None:
    with closing(socket.create_connection(("127.0.0.1", port), WAIT_S)) as connection:
        connection.settimeout(None)  # nothing here waits: it takes what there is
        at = random.randrange(len(data))
        try:
            connection.sendall(data[:at])
            if random.random() < 0.3:
                connection.recv(random.choice((1, 65_536)), socket.MSG_DONTWAIT)
            connection.sendall(data[at:])
            end = random.random()
            if end < 0.3:
                connection.shutdown(socket.SHUT_WR)
            elif end < 0.6:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        except OSError:
            pass  # the venue ended it first
