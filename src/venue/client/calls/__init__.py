"""The rows of the table of operations as methods, by the modules of `api`.

Written by tools/clients.py; do not edit.
"""
