"""Commands of a running venue's operator."""
