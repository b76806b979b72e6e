"""A venue not for practice: `python -m support.earnest dev ...` runs the `venue` command."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

import venue.main
from venue.cli.app import main

_serve = venue.main.serve


def serve(options: venue.main.Options, ready: Callable[[venue.main.Running], None]) -> int:
    """As `venue.main.serve`, with money that is somebody's own."""
    return _serve(structs.replace(options, practice=False), ready)


if __name__ == "__main__":
    vars(venue.main).update(serve=serve)
    main()
