"""Pools in danger: watching, liquidating and deleveraging."""
