"""The numbers of private frames: `seq` of a channel, `v` of an owner's product.

Each number is one more than the last. A number is left out only where frames were lost to a defect.
"""

from __future__ import annotations

from collections.abc import Iterable

from venue.history.frames_kept import frames_gone
from venue.recording.records import Numbers

OwnKey = tuple[int, int, str]  # uid, product, channel


class Numbering:
    """The newest numbers of all channels. The last `kept` frames of each channel are kept."""

    __slots__ = ("_kept", "_lost", "_newest", "_versions")

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._newest: dict[OwnKey, int] = {}
        self._lost: dict[OwnKey, int] = {}
        self._versions: dict[tuple[int, int], int] = {}

    def restore(self, numbers: Iterable[Numbers], versions: Iterable[tuple[int, int, int]]) -> None:
        """Continue from a snapshot's records."""
        self._newest, self._lost = {}, {}
        for one in numbers:
            key = (one.uid, one.product, one.channel)
            self._newest[key] = one.newest
            if one.lost:
                self._lost[key] = one.lost
        self._versions = {(uid, product): version for uid, product, version in versions}

    def numbers(self) -> list[Numbers]:
        """The records of a snapshot."""
        return [
            Numbers(*key, newest, self._lost.get(key, 0)) for key, newest in self._newest.items()
        ]

    def versions(self) -> list[tuple[int, int, int]]:
        """(uid, product, version) of a snapshot."""
        return [(*owner, version) for owner, version in self._versions.items()]

    def next(self, key: OwnKey) -> tuple[int, int]:
        """The number and the version of a channel's next frame, which take effect."""
        owner = key[:2]
        version = self._versions[owner] = self._versions.get(owner, 0) + 1
        number = self._newest[key] = self._newest.get(key, 0) + 1
        return number, version

    def lose(self, key: OwnKey) -> None:
        """Leave a number out: no client can resume across it."""
        self._newest[key] = self._lost[key] = self._newest.get(key, 0) + 1

    def newest(self, key: OwnKey) -> int:
        """The number of a channel's newest frame; 0 before the first."""
        return self._newest.get(key, 0)

    def oldest(self, key: OwnKey) -> int:
        """The smallest number after which every frame of a channel is kept."""
        return max(self._lost.get(key, 0), frames_gone(self.newest(key), self._kept))

    def ranges(self) -> dict[OwnKey, tuple[int, int]]:
        """`oldest` and `newest` of every channel that ever had a frame."""
        return {key: (self.oldest(key), newest) for key, newest in self._newest.items()}
