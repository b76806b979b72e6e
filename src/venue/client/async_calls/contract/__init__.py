"""Calls of venue.api.contract, module by module.

Written by tools/clients.py; do not edit.
"""
