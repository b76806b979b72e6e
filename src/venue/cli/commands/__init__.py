"""The commands, each in one file: its `COMMANDS` name what `venue` offers. `cli` finds them all."""
