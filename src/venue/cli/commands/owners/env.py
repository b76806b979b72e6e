"""`venue env`: how programs reach a venue as an owner."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from cyclopts import Parameter

from venue.cli.identity import at_hand, demo_key
from venue.cli.operator import Url
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL


def env(
    name: Annotated[str, Parameter(help="Name of the owner.")],
    *,
    form: Annotated[
        Literal["sh", "dotenv", "json", "curl", "ccxt-py", "ccxt-js", "freqtrade", "node", "go"],
        Parameter(name="--format", help="For whom it is printed."),
    ] = "sh",
    url: Url = DEFAULT_URL,
) -> None:
    """Print how to reach a running venue as an owner: a demo account, or one whose key stands in
    VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE."""
    from venue.cli.credentials import FORMATS

    tell(FORMATS[form](at_hand(name, url) or demo_key(name, url)))


COMMANDS: Final = {"env": env}
