"""Reads a client's messages, or refuses them with the words for the client."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from venue.api import errors
from venue.api.streams.channels import CancelOnDisconnect, Message

NUMBER: Final = re.compile(rb"-?[0-9]{1,20}")
ID_LENGTH_MAX: Final = 64
TOLD_MAX: Final = 100  # reasons in one refusal: as many as a connection may have channels

_decode = msgspec.json.Decoder(Message).decode
_switch = msgspec.json.Decoder(CancelOnDisconnect).decode


class MessageRefused(Exception):
    """A message had no effect; carries the words behind the prefix."""


def read(data: bytes) -> Message:
    """Return a message of valid UTF-8."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError):
        raise MessageRefused(f"unrecognized message : {cut(data.decode())}") from None


def identity_of(sent: Raw) -> Raw | UnsetType | None:
    """Return a message's id as it came; UNSET when it has none, None when it is no id."""
    text = bytes(sent)
    if text in (b"", b"null"):
        return UNSET
    if NUMBER.fullmatch(text):
        return Raw(text)
    try:
        name = msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        return None
    return Raw(text) if len(name) <= ID_LENGTH_MAX else None


def enabled_of(params: Raw) -> bool:
    """Return the value that a switch is set to."""
    try:
        return _switch(params).enabled
    except (msgspec.DecodeError, RecursionError):
        raise MessageRefused('invalid params : must be {"enabled": true} or false') from None


def plain(params: Raw) -> Any:
    """Params as values; None when they are no JSON."""
    try:
        return msgspec.json.decode(params)
    except (msgspec.DecodeError, RecursionError):
        return None


def join_reasons(reasons: list[str]) -> str:
    """Join the reasons of one refusal into one text, in their order."""
    told = "; ".join(reasons[:TOLD_MAX])
    return told if len(reasons) <= TOLD_MAX else f"{told}; and {len(reasons) - TOLD_MAX} more"


def cut(text: str) -> str:
    """Return a text of the client's as messages show it: printable, and no longer than they show
    any."""
    return errors.quote_value(text)[1:-1]
