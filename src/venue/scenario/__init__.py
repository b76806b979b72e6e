"""Scenarios: files of steps against a practice venue, with what is expected of each answer."""
