"""`venue serve`: its checks and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from venue.cli.serving.shared import SharedOptions, shared_refused

if TYPE_CHECKING:
    from venue.running.options import Options


def refused(options: SharedOptions) -> str:
    """The reason why a venue cannot run with these options; empty when it can."""
    if not options.state:
        return "--state FILE is missing: a real venue keeps everything in that file"
    return shared_refused(options)


def settled(shared: Options) -> Options:
    """The settings of a real venue: nothing of practice, and the interface's own limits."""
    return structs.replace(
        shared, practice=False, agents=False, history=False, demo_keys=False, real_limits=True,
        pages=False,
    )  # fmt: skip
