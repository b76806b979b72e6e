"""A helper process that answers each frame with its payload."""

from __future__ import annotations

from venue.helpers.serving import serve


def main() -> None:
    """Serve until the input ends."""
    serve(None, lambda _, payload: payload)
