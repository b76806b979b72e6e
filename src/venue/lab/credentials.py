"""An owner's key at a running venue; the demo accounts' keys are known."""

from __future__ import annotations

from typing import TypedDict

from msgspec import Struct

from venue.lab import demo


class KeyOptions(TypedDict):
    """A key, as keyword arguments of a client."""

    key: str
    secret: str
    passphrase: str


class Credentials(Struct, frozen=True):
    """An owner's key at a running venue; `url` without a trailing slash."""

    url: str
    key: str
    secret: str
    passphrase: str

    def given(self) -> KeyOptions:
        """Return the key, as keyword arguments of a client."""
        return {"key": self.key, "secret": self.secret, "passphrase": self.passphrase}

    @property
    def socket(self) -> str:
        return "ws" + self.url.removeprefix("http")


def credentials(name: str, url: str) -> Credentials | None:
    """Return the demo account's key; None for another name."""
    account = demo.account(name)
    if account is None:
        return None
    return Credentials(url.rstrip("/"), account.key, account.secret, demo.PASSPHRASE)
