"""The engine's input and output: commands and events."""
