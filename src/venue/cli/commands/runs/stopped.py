"""`venue verify`, `repair`, `rebuild-history` and `prune`: the files of a stopped venue."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import die
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.cli.serving.shared import kept_us

Stopped = Annotated[str, Parameter(help="The stopped venue's journal, as given to --state.")]
Keep = Annotated[str, Parameter(help="How long to keep: 30d, 12h.")]


def verify(file: Stopped) -> None:
    """Replay a stopped venue's journal; check its chain, the invariants and history."""
    from venue.cli.verify import verify as check

    with working(f"verifying {file}"):
        findings = check(file)
    for text in findings.facts:
        tell(text)
    for text in findings.problems:
        tell(f"PROBLEM {text}", file=sys.stderr)
    sys.exit(1 if findings.problems else 0)


def repair(file: Stopped) -> None:
    """Write what holds of a stopped venue's damaged journal to a new one; the damaged is kept."""
    from venue.journal.journal import JournalCorrupt, JournalFailed
    from venue.journal.repair import RepairRefused, describe_repair
    from venue.journal.repair import repair as mend

    if not os.path.exists(file):
        die(f"{file}: no such journal")
    try:
        for line in describe_repair(file, mend(file)):
            tell(line)
    except (RepairRefused, JournalCorrupt, JournalFailed, OSError) as problem:
        die(str(problem))


def rebuild_history(
    file: Stopped,
    *,
    drop_older: Annotated[
        bool,
        Parameter(
            help="Also when rows get lost: those of commands under former rules cannot be made"
            " again."
        ),
    ] = False,
) -> None:
    """Empty a stopped venue's history and build it again from its journal."""
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
    from venue.recompute.history import rebuild_history as rebuild

    if not os.path.exists(file):
        die(f"{file}: no such journal")
    try:
        with working("rebuilding history"):
            begin, reached = rebuild(file, drop_older=drop_older)
        tell(f"history rebuilt{f' from {begin}' if begin else ''} up to command {reached}")
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        die(str(problem))


def prune(file: Stopped, *, keep: Keep) -> None:
    """Move older commands and rows of a stopped venue to archives beside its journal and
    history."""
    from venue.history.files import HistoryDamaged
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
    from venue.pruning.prune import prune as archive

    try:
        keep_us = kept_us(keep)
    except ValueError as problem:
        die(f"--keep {problem}")
    if not os.path.exists(file):
        die(f"{file}: no such journal")
    try:
        with working(f"archiving what is older than {keep}"):
            begins = archive(file, keep_us)
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        die(str(problem))
    tell(f"the journal begins after command {begins.journal}, history after {begins.history}")
    if begins.journal:
        tell("the next start drops the states that were kept before")


COMMANDS: Final = {
    "verify": verify,
    "repair": repair,
    "rebuild-history": rebuild_history,
    "prune": prune,
}
