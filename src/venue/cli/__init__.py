"""The `venue` command and the output of its subcommands."""
