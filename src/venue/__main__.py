"""`python -m venue` is the `venue` command."""

from venue.cli.app import main

if __name__ == "__main__":
    main()
