"""Writes the report of a run: the page of a venue with the data of one run, as one file."""
