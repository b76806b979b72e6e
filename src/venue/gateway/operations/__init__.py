"""What answers each row of the table of operations."""
