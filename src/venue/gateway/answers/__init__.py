"""Public answers that are encoded once and given again."""
