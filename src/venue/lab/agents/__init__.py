"""Agents that keep the practice markets alive."""
