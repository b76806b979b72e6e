"""Writes one explanation: the state before a command, the command, its events, and the later
ones."""

from __future__ import annotations

from msgspec import Struct

from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import LiquidationStarted
from venue.explanation.finding import Later
from venue.explanation.following import following
from venue.explanation.money import bill, liquidation
from venue.explanation.placing import placing
from venue.explanation.words import ExplanationWords
from venue.node.explainer import ExplainQuestion, ExplanationText
from venue.times import instant_text


class Scene(Struct):
    """An engine before the command that a question is about.

    `last` is the engine at the end of the search, `later` the events about the thing until there.
    """

    question: ExplainQuestion
    before: Engine
    command: Command
    last: Engine
    later: list[Later]


def tell(scene: Scene) -> ExplanationText:
    """Return the explanation. Nothing is applied to either engine."""
    question, before, command = scene.question, scene.before, scene.command
    first, events = scene.later[0].event, scene.later[0].events
    told = ExplanationText([], before.sequence + 1, command.time, question.uid)
    if question.kind == "bill":
        told.uid, lines = bill(before, question.number, first, events)
        if reference := getattr(command, "reference", ""):
            lines.append(f"The movement's reference is {reference}: it has its effect once.")
    elif question.kind == "liquidation":
        assert isinstance(first, LiquidationStarted), first
        told.uid = first.uid
        lines = liquidation(before, first, events, scene.later)
    elif question.kind == "order":
        told.uid = getattr(first, "uid", 0)  # of the event that accepted it
        lines = placing(before, command)
        # The order's outcome at once is in the plan.
        later = [one for one in scene.later if not lines or one.sequence > told.sequence]
        lines += following(ExplanationWords(scene.last), question.number, later)
    else:
        lines = placing(before, command) or ["The venue refused it in the words of the answer."]
    asked = ExplanationWords(before).command(command)
    head = f"Command {told.sequence}, {instant_text(told.time)}: {asked}."
    told.sentences = [head, *lines]
    return told
