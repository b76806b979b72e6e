"""The number of the rules: commands are replayed under the rules that answered them, or not at all.

It is raised with every change of the core after which some command would give other events or leave
another state. `tests/core/test_rules.py` asks that question of every change of the core's sources.
"""

from typing import Final

RULES: Final = 7
OLDEST: Final = 7  # those of 0.2.0: this version reads no state and no command from before
