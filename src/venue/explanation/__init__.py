"""Explanations: find the command that caused something, and tell the core's reasons for it."""
