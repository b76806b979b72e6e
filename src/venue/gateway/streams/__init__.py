"""Streams: connections, sessions, channels and their listeners."""
