"""Questions by their names, as they are asked over the pipe.

A name travels as the function that it stands for: the process that answers imports it, with the
database. The process that asks imports neither.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["affiliates", "contract", "copying", "liquidations", "prices", "spot"]


class Question:
    """The name of one question; pickled, it is the question itself."""

    def __init__(self, module: str, name: str) -> None:
        self._named = (module, name)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return found, self._named


class Questions:
    """The names of a module's questions."""

    def __init__(self, module: str) -> None:
        self._module = f"venue.history.questions.{module}"

    def __getattr__(self, name: str) -> Question:
        return Question(self._module, name)


def found(module: str, name: str) -> Any:
    """The question of that name."""
    return getattr(import_module(module), name)


if TYPE_CHECKING:
    from venue.history.questions import affiliates, contract, copying, liquidations, prices, spot
else:
    affiliates, contract, copying, liquidations, prices, spot = map(Questions, __all__)
