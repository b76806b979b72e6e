"""How long the random walks are: whole on the compiled core, a part on the interpreted one.

Both cores are one source, so a wrong rule shows on either of them, with the same seed. A fault of
only one of them, in compiled arithmetic or types, shows early or on the longer walk. The part is
large enough to reach every kind of event that a test asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from venue import compiled

PART: Final = 4  # a fourth of the seeds or examples is walked interpreted

T = TypeVar("T")


def walked(seeds: Sequence[T]) -> Sequence[T]:
    """The seeds that this core walks: all of them, or the first of every four."""
    return seeds if compiled.compiled() else seeds[::PART]
