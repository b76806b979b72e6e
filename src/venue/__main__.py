"""The `venue` command, and `python -m venue`."""

from venue.program import importing

with importing():
    from venue.cli import app


def main() -> None:
    """The command's entry point."""
    app.main()


if __name__ == "__main__":
    main()
