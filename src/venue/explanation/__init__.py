"""Explanations: where something happened in a journal, and what the core says of it."""
