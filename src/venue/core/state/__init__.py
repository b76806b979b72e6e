"""The engine's whole state: to bytes and back, its hash, its invariants."""
