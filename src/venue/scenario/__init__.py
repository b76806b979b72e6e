"""Scenarios: files of steps against a practice venue, with an expectation of each answer."""
