"""The table of operations as text, for the command and the documentation."""

from venue.api.documents.table import ROWS

HEAD = ("operation", "method", "path", "access", "weight IP/UID")


def operations_table() -> str:
    """One line per row, aligned."""
    lines = [HEAD] + [
        (row.name, row.method, row.path, row.access.name, f"{row.weight[0]}/{row.weight[1]}")
        for row in ROWS
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
