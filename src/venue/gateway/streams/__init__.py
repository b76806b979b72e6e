"""The door for streams: connections, sessions, channels and those who listen."""
