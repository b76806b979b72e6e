"""Every owner of `bench.gateway` listening to its private channels, until it is ended."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

from bench.stream_reader import Known, Loop, Subscriber
from venue.api import signing

PATH: Final = "/v3/ws/private"
FOREVER_S: Final = 3600.0


def main(port: str, keys_file: str) -> None:
    """Open a private socket for each key, say so, and read."""
    loop, known = Loop(), Known()
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
        subscriber.counting = True
        subscriber.subscribe("orders", "fill", "account")
        loop.add(subscriber)
    loop.quiet()
    print("listening", flush=True)
    loop.run(FOREVER_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
