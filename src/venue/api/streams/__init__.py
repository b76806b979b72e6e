"""The rows of the streams: sockets, channels and what they carry."""
