"""Connections: parse bytes to whole requests; send one prepared answer for each."""
