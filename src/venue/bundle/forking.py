"""A new state file that goes on from a command of a run."""

from __future__ import annotations

import shutil
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from msgspec import Struct

from venue.bundle.file import RunRefused
from venue.bundle.replaying import Replay
from venue.bundle.runs import PastRun
from venue.core.messages.commands import Command
from venue.core.state.snapshot import state_hash
from venue.files.archive_names import sync_folder
from venue.journal.behind_snapshot import begin_behind
from venue.journal.chain import BLOCK
from venue.journal.ending import ENDING, Ending
from venue.journal.opening import open_journal
from venue.recompute.history import rebuild_history


class Forked(Struct):
    """A new state file: its commands, the time of the last (µs), and the state after it."""

    first: int
    last: int
    time: int
    state_hash: str


def fork(run: PastRun, sequence: int, new: str) -> Forked:
    """Write the journal `new`: the run's up to a command. It has the demo accounts' keys only.

    It is made under another name, and is there as a whole or not at all. RunRefused: the command is
    not in the run, or `new` or a file that belongs to it is there already; OSError and
    JournalFailed: it cannot be written. A run that begins with a snapshot is forked with it.
    """
    first, last = run.begin(), run.last()
    if not first <= sequence <= last:
        raise RunRefused(f"{run.name} has states after commands {first} to {last}, not {sequence}")
    target = Path(new)
    check_new(target)
    folder = Path(mkdtemp(prefix=f".{target.name}.fork-", dir=target.absolute().parent))
    try:
        made = _write(run, sequence, str(folder / target.name))
        rebuild_history(str(folder / target.name))
        check_new(target)
        with closing(Ending(new)) as note:
            note.note(0)  # until the journal's own is there: no journal stands without one
        for file in sorted(folder.iterdir(), key=partial(_place, target.name)):
            file.rename(target.with_name(file.name))
        sync_folder(new)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return made


def _place(name: str, file: Path) -> int:
    """Return the rank of a file: a journal comes after its snapshots and its history, its `ENDING`
    file last."""
    return 2 if file.name.endswith(ENDING) else int(file.name == name)


def check_new(target: Path) -> None:
    """RunRefused when a file has this name, or one that belongs to it: an old key store would be
    that of the new state."""
    name = target.name
    if not name or not target.absolute().parent.is_dir():
        raise RunRefused(f"{target} cannot be written: its folder is not there")
    for one in sorted(file.name for file in target.absolute().parent.iterdir()):
        if one == name or one.startswith((f"{name}.", f"{name}-")):
            raise RunRefused(f"{target.with_name(one)} is there already: give another name")


def _write(run: PastRun, sequence: int, path: str) -> Forked:
    replay = Replay(run)
    if run.first is not None:
        begin_behind(path, run.first.sequence, replay.engine.time)
    with closing(open_journal(path)) as journal:
        if run.first is not None:
            journal.stand(run.first)
        batch: list[Command] = []
        for step in replay.steps(sequence):
            batch.append(step.command)
            if len(batch) == BLOCK:
                journal.append(batch)
                batch = []
        if batch:
            journal.append(batch)
    digest = state_hash(replay.engine)
    if sequence == run.last():
        run.check_end(digest)
    return Forked(run.begin(), sequence, replay.engine.time, digest)
