"""The refusals of the venue, as tables: the rows of docs/bad-input.md as requests."""
