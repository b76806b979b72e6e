"""The floor that orders are measured against answers: one that refuses is fast, and no floor."""

from __future__ import annotations

import http.client
from contextlib import closing
from pathlib import Path

import msgspec
from bench import gateway, signed_orders

KEY = signed_orders.Key("bench-key", "bench-secret", "bench-pass")
READ = '{"bids":[]}'


def test_the_floor_answers_an_order_and_a_read(tmp_path: Path) -> None:
    keys, answers = tmp_path / "keys", tmp_path / "answers"
    keys.write_bytes(msgspec.json.encode([KEY._asdict()]))
    answers.write_bytes(msgspec.json.encode(dict.fromkeys((gateway.DEPTH, gateway.TICKER), READ)))
    command = ["bench.floor_app", str(keys), str(answers)]
    with (
        gateway._serving(tmp_path, command) as floor,
        closing(http.client.HTTPConnection("127.0.0.1", floor.port)) as connection,
    ):
        order = signed_orders.order(KEY, "BUY", signed_orders.PRICE, "n-1", signed_orders.now())
        gateway._send(connection, order)
        assert gateway._get(connection, gateway.DEPTH) == READ
