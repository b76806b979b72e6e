"""Public market data folded from events."""
