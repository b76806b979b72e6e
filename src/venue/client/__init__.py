"""Clients of a running venue: one typed method for each row of the table of operations."""
