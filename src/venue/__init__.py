"""A trading venue you run yourself, behind Trading Interface V3."""

__version__ = "0.1.0"
