"""History's own process, and the pipe to it."""
