"""Wires a venue's parts to one node, opens it, serves it and closes it again, with its worlds.

May know every package below the library and the command line.
"""
