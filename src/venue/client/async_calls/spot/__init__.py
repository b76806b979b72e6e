"""Calls of venue.api.spot, module by module.

Written by tools/clients.py; do not edit.
"""
