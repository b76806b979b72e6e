"""The commands that run a venue: options, their checks, and the screen."""
