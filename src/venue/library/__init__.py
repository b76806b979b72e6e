"""The venue as a library: the same engine in this process, without a socket."""
