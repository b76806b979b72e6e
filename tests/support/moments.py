"""Runs that are read: their states at any command, as `venue open` makes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from venue.bundle.moments import Moments
from venue.bundle.past_views import PastViews
from venue.bundle.runs import PastRun
from venue.core.state.snapshot import state_hash


@contextmanager
def read_whole(run: PastRun, folder: Path) -> Iterator[Moments]:
    """The states of a run after its whole replay."""
    with closing(Moments(run, mkdtemp(dir=folder))) as moments:
        read_on(moments, run.last())
        yield moments


def read_on(moments: Moments, sequence: int) -> None:
    """Replay at least up to a command."""
    folder = mkdtemp()
    for base in count(1):
        if moments.reached >= sequence:
            return
        if moments.go_on():
            moments.keep(base, f"{folder}/history-{base}")
            moments.thin_out(set())


def state_at(moments: Moments, sequence: int) -> str:
    """The state that a jump to a command comes to."""
    if not moments.is_near(sequence):
        read_on(moments, sequence)
    before = moments.before(sequence)
    past = PastViews(moments, sequence, before.sequence if before else sequence, _told)
    past.bring()
    return state_hash(past.engine)


def _told(reached: int, last: int) -> None:
    """Nobody listens."""
