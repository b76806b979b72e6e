"""The engine: deterministic, in memory. It imports the standard library, msgspec and vocabulary."""
