"""The engine: deterministic, in memory. Imports the standard library and msgspec only."""
