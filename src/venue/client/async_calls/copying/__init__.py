"""Calls of venue.api.copying, module by module.

Written by tools/clients.py; do not edit.
"""
