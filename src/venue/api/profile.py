"""Whose word decides where the interface's document and the live exchange contradict each other."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """Where the document is silent, both follow the live exchange."""

    DOCUMENT = "document"
    LIVE = "live"
