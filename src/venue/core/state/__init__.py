"""The engine's whole state: as bytes and back, its hash, its invariants."""
