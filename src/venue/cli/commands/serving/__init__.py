"""Commands that run a venue."""
