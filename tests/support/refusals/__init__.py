"""What the venue refuses, as tables: the rows of docs/bad-input.md as requests."""
