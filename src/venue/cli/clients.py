"""Sends the requests of commands to a running venue."""

from __future__ import annotations

from typing import Any, Final

from venue.api.documents.table import BY_NAME
from venue.api.operation import Row
from venue.api.repeating import repeated_under
from venue.cli.progress import working
from venue.client.defaults import RETRIES
from venue.client.errors import Misused
from venue.client.http import Answer
from venue.lab.credentials import Credentials
from venue.scenario.asking import opened
from venue.vocabulary import Access

WAIT_S: Final = 10.0


def send(
    url: str,
    row: Row,
    values: dict[str, Any],
    account: Credentials | None = None,
    *,
    timeout_s: float = WAIT_S,
) -> Answer:
    """The answer to one request, as it came: of an owner where the row is for one. Unreachable,
    Misused."""
    owned = row.access not in (Access.OPERATOR, Access.PUBLIC)
    if owned and account is None:
        raise Misused(f"{row.name} is for one owner: name the owner with --as NAME")
    with opened(url, account if owned else None, timeout_s=timeout_s) as client:
        return client.ask_once(row, values)


def send_once(url: str, row: Row, values: dict[str, Any], *, timeout_s: float) -> Answer:
    """The answer to the operator, as it came. A request that has its effect once under a name is
    sent again when its answer is lost. Unreachable, Misused."""
    again = RETRIES if repeated_under(row) else 0
    with opened(url, None, timeout_s=timeout_s, retries=again) as client:
        return client.ask(row, values)


def ask(account: Credentials, name: str, values: dict[str, Any] | None = None) -> Any:
    """The reply to an operation, by its name. Refused, Unreachable, Misused."""
    with working(name.replace("_", " ")):
        return send(account.url, BY_NAME[name], values or {}, account).value()
