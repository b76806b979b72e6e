"""The names, the modes and the durability of files.

Knows no other package.
"""
