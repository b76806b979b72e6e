"""The rows of the spot market."""
