"""`venue ops`: the table of operations."""

from __future__ import annotations

import json
from typing import Final

from venue.cli.operator import Output
from venue.cli.printing import tell


def ops(*, output: Output = "text") -> None:
    """Print the table of operations."""
    from venue.api.documents.text import operations, operations_table

    tell(json.dumps(operations()) if output == "json" else operations_table())


COMMANDS: Final = {"ops": ops}
