"""The tables of history."""
