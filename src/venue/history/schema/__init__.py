"""What history holds, as tables."""
