"""Public answers that are encoded once and used again."""
