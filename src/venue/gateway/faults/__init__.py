"""Deliberate faults: rules that say which requests and frames go wrong, and how."""
