"""The durable log of commands: what a journal is, its stores, recovery. May know the core."""
