"""The number of the rules: commands are replayed under the rules that answered them, or not at all.

It is raised with every change of the core after which some command would give other events or leave
another state. `tests/core/test_rules.py` asks that question of every change of the core's sources.
"""

from typing import Final

RULES: Final = 6  # 1 stands for all that was written before journals named their rules
