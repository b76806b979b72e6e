"""The table of operations as a whole, and the documents made from it."""
