"""A running venue's old commands and rows go to archives; those of a venue in memory go."""
