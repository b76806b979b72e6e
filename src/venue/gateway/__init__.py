"""The HTTP door: routing, authentication, limits, wire text, writes and reads."""
