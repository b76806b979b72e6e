"""The engine: deterministic, in memory. Imports the standard library, msgspec and `venue.terms`."""
