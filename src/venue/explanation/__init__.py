"""Explanations: find the command that caused something, and write the core's reasons for it in
sentences."""
