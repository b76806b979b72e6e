"""Computes again what the journal implies: history's rows, a snapshot, events that memory lost.

Most of it runs in helper processes. May know everything below the gateway.
"""
