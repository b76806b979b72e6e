"""How long a test waits for what must come. A busy machine is no defect."""

from typing import Final

WAIT_S: Final = 120
