"""Events become rows."""
