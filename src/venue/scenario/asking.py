"""Sends the requests of scenarios, crash tests and commands to a venue."""

from __future__ import annotations

import os
from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.api.operation import Row
from venue.client.blocking import Client
from venue.client.errors import FAILURES, words
from venue.client.operator_tokens import OPERATOR_TOKEN
from venue.client.patience import ask_patiently
from venue.lab.credentials import Credentials
from venue.scenario.expectation import StepAnswer
from venue.vocabulary import Access

ANSWER_S: Final = 600.0  # an advance over days takes its time


class StepRequest(Struct, frozen=True):
    """A request: the key that signs it (None: not signed), and its timestamp (ms). With `act_as`
    the operator sends it in an owner's place."""

    row: Row
    values: dict[str, Any]
    key: Credentials | None
    stamp: int
    act_as: str = ""


def ask(url: str, asked: StepRequest) -> StepAnswer:
    """Send a request to the venue at an address; status 0: the answer was lost."""
    row = asked.row
    key = None if row.access in (Access.OPERATOR, Access.PUBLIC) else asked.key
    try:
        with opened(url, key, act_as=asked.act_as) as client:
            answer = ask_patiently(client, row, asked.values, asked.stamp)
    except FAILURES as problem:
        return StepAnswer(0, words(problem))
    try:
        return StepAnswer(answer.status, msgspec.json.decode(answer.body))
    except msgspec.MsgspecError:
        return StepAnswer(answer.status, {"msg": answer.body.decode("utf-8", "replace")})


def opened(
    url: str,
    key: Credentials | None,
    *,
    act_as: str = "",
    timeout_s: float = ANSWER_S,
    retries: int = 0,
) -> Client:
    """Return a client of the owner of a key, or of the operator, who may act for an owner.
    Misused."""
    if key is not None:
        return Client(url, **key.given(), timeout_s=timeout_s, retries=retries)
    token = os.environ.get(OPERATOR_TOKEN, "")
    return Client(url, operator_token=token, act_as=act_as, timeout_s=timeout_s, retries=retries)
