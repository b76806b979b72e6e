"""What can be asked of history."""
