"""What a practice venue has and a real one does not: agents, seeded candles, demo accounts."""
