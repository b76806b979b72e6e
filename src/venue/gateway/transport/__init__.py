"""Connections: bytes in, whole requests out; one prepared answer back."""
