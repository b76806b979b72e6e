"""Every endpoint that a stock ccxt client knows of this exchange is served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import ccxt

from conformance.test_hundred_rows import LISTED
from support.server import Server
from support.stock import Stock

Endpoint = tuple[str, str, str]  # section of the client's `api`, method, path


def endpoints(api: dict[str, Any]) -> Iterator[Endpoint]:
    """The endpoints that the client's `api` lists."""
    for section, methods in api.items():
        for method, paths in methods.items():
            for path in paths:
                yield section, method.upper(), path


def test_the_client_knows_the_hundred_operations() -> None:
    known = {(method, f"/{path}") for _, method, path in endpoints(ccxt.weex().api)}
    assert known == {(method, path) for _, method, path, _ in LISTED}


def test_each_is_answered_and_not_by_a_404(tmp_path: Path) -> None:
    """Without parameters most are refused, in the interface's words."""
    with (
        Server("--no-agents", "--no-history", folder=tmp_path) as server,
        Stock(server, server.account("alice")) as stock,
    ):
        statuses: dict[Endpoint, int] = {}
        judge = stock.exchange.handle_errors

        def heard(status: int, *rest: Any) -> Any:
            statuses[asked] = status
            return judge(status, *rest)

        stock.exchange.handle_errors = heard
        for section, method, path in endpoints(stock.exchange.api):
            asked = section, method, path
            with suppress(ccxt.ExchangeError):
                stock.exchange.request(path, [section], method, {})
        assert len(statuses) == 100
        odd = {asked: status for asked, status in statuses.items() if status not in (200, 400, 403)}
        assert odd == {}
