"""What goes into the engine and what comes out: commands and events."""
