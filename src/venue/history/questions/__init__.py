"""The questions that history answers."""
