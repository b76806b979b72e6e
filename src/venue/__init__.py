"""A trading venue you run yourself, behind Trading Interface V3.

`Venue`, the clients and their exceptions are loaded when they are first asked for: the package
alone is light.
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

LAZY = {
    "AsyncClient": "venue.client.asynchronous",
    "Client": "venue.client.blocking",
    "Lost": "venue.client.errors",
    "Misused": "venue.client.errors",
    "Refused": "venue.client.errors",
    "Unreachable": "venue.client.errors",
    "Venue": "venue.library.venue",
}


def __getattr__(name: str) -> Any:
    module = LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'venue' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY})
