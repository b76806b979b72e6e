"""Calls of venue.api.operator, module by module.

Written by tools/clients.py; do not edit.
"""
