"""Connections that carry a client's requests: of threads, and of asyncio. Knows `client.http`."""
