"""Starts helper processes of the venue, and carries frames to them and back.

May know the journal and what is below it.
"""
