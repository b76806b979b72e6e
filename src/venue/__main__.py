"""The `venue` command, and `python -m venue`."""

from venue.program import importing

with importing():
    from venue.cli.app import main

if __name__ == "__main__":
    main()
