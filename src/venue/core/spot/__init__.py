"""The spot market."""
