"""Every owner of `bench.gateway` listening to its private channels, until the process is ended.

It reads at intervals and counts bytes: it shares a core with wrk and is not measured itself.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

from bench.stream_reader import Known, Loop, Subscriber
from venue.api import signing

PATH: Final = "/v3/ws/private"
PAUSE_S: Final = 0.02
BUFFER: Final = bytearray(1 << 20)


def main(port: str, keys_file: str) -> None:
    """Open a private socket for each key, print that, and read."""
    loop, known = Loop(), Known()
    subscribers: list[Subscriber] = []
    for key in json.loads(Path(keys_file).read_text()):
        stamp = b"%d" % (time.time_ns() // 1_000_000)
        text = signing.websocket_payload(stamp)
        headers = {
            "ACCESS-KEY": key["key"],
            "ACCESS-PASSPHRASE": key["passphrase"],
            "ACCESS-TIMESTAMP": stamp.decode(),
            "ACCESS-SIGN": signing.sign(key["secret"].encode(), text).decode(),
        }
        subscriber = Subscriber(int(port), PATH, known, headers)
        subscriber.subscribe("orders", "fill", "account")
        loop.add(subscriber)
        subscribers.append(subscriber)
    loop.quiet()
    print("listening", flush=True)
    _read(subscribers)


def _read(subscribers: list[Subscriber]) -> None:
    """Read all that came, again and again; SystemExit when a connection ends."""
    sockets = [subscriber.socket for subscriber in subscribers]
    for connected in sockets:
        connected.setblocking(False)
    while True:
        time.sleep(PAUSE_S)
        for connected in sockets:
            try:
                if not connected.recv_into(BUFFER):
                    raise SystemExit("a listener's connection ended")
            except BlockingIOError:
                continue


if __name__ == "__main__":
    main(*sys.argv[1:])
