"""Parts of a practice venue only: agents, seeded candles, demo accounts."""
