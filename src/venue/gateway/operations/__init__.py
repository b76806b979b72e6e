"""The handlers of the rows of the table of operations."""
