"""Moves a running venue's old commands and rows to archives; a venue in memory drops them."""
