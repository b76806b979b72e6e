"""Handlers of copy trading."""
