"""Pools in danger: who is watched, liquidated and deleveraged."""
