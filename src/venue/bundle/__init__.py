"""Runs as files: bundles of running venues, stopped venues' journals; opened, replayed, forked."""
