"""The table of operations as text, for the command and the documentation."""

from venue.api.documents.table import ROWS

HEAD = ("operation", "method", "path", "access", "weight IP/UID")


def operations() -> list[dict[str, str]]:
    """Return the rows by the names of their columns."""
    return [dict(zip(HEAD, line, strict=True)) for line in _lines()]


def operations_table() -> str:
    """Return one line per row, aligned."""
    lines = [HEAD, *_lines()]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _lines() -> list[tuple[str, ...]]:
    return [
        (row.name, row.method, row.path, str(row.access.name), f"{row.weight[0]}/{row.weight[1]}")
        for row in ROWS
    ]
