"""Rows of copy trading."""
