"""The rows of the table of operations as methods for asyncio, by the modules of `api`.

Written by tools/clients.py; do not edit.
"""
