"""The `venue` command, and `python -m venue`."""

import sys

from venue.compiled import EngineRefused, choose
from venue.helpers.program import importing

# Their work is the engine's; the other commands ask a venue that runs.
WITH_ENGINE = {
    "dev", "serve", "open", "run", "crashtest", "replay", "log", "fork", "bundle",
    "verify", "repair", "rebuild-history", "prune", "version",
}  # fmt: skip


def main() -> None:
    """The command's entry point."""
    if WITH_ENGINE.intersection(sys.argv[1:2]):
        try:
            choose()
        except EngineRefused as problem:
            sys.stderr.write(f"venue: {problem}\n")
            sys.exit(2)
    with importing():
        from venue.cli import app
    app.main()


if __name__ == "__main__":
    main()
