"""Accounts and balanced entries."""
