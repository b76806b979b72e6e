"""The durable log of commands: its interface, its stores, recovery. May know the core."""
