"""HTTP and WebSocket: routing, authentication, limits, operations."""
