"""What affiliates are answered about those they invited."""

from __future__ import annotations

from msgspec import Struct


class Activity(Struct, frozen=True, gc=False):
    """The first and last times (µs) of an owner's deposits and fills; 0: there is none."""

    first_deposit: int
    last_deposit: int
    first_trade: int
    last_trade: int
