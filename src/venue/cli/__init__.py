"""The `venue` command and what its subcommands print."""
