"""The number of the rules: commands are replayed only under the rules that answered them.

Raise it when a change of the core would make some command give other events or leave another state.
`tests/core/test_rules.py` asks for that decision at every change of the core's sources.
"""

from typing import Final

RULES: Final = 7
OLDEST: Final = 7  # those of 0.2.0: this version reads no state and no command from before
