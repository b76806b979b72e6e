"""A running venue's old commands and rows go to archives."""
