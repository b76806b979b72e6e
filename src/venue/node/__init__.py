"""The single writer and what follows it. May know journal, history and the core."""
