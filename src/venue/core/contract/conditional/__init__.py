"""Conditional orders: how they wait for a price, and enter when it comes (rule 8)."""
