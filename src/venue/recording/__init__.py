"""Private frames: the changes of each command for its owners, numbered and stored."""
