"""Private frames: what each command changed for its owners, numbered and kept."""
