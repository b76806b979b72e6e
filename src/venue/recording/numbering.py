"""The numbers of private frames: `seq` of a channel, `v` of an owner's product.

Each number is one more than the last. A number is missing only where a defect lost frames.
"""

from __future__ import annotations

from collections.abc import Iterable

from venue.history.frames_kept import frames_gone
from venue.recording.records import Numbers

OwnKey = tuple[int, int, str]  # uid, product, channel


class Version:
    """The number of an owner's newest frame in one product."""

    __slots__ = ("newest",)

    def __init__(self, newest: int = 0) -> None:
        self.newest = newest


class Channel:
    """The number of a channel's newest frame and of the last lost one; `version` is None before
    the first frame."""

    __slots__ = ("lost", "newest", "version")

    def __init__(self, newest: int = 0, lost: int = 0) -> None:
        self.newest = newest
        self.lost = lost
        self.version: Version | None = None


class Numbering:
    """The newest numbers of all channels. The last `kept` frames of each channel are stored."""

    __slots__ = ("_channels", "_kept", "_versions")

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._channels: dict[OwnKey, Channel] = {}
        self._versions: dict[tuple[int, int], Version] = {}

    def restore(self, numbers: Iterable[Numbers], versions: Iterable[tuple[int, int, int]]) -> None:
        """Continue from a snapshot's records."""
        self._channels = {
            (one.uid, one.product, one.channel): Channel(one.newest, one.lost) for one in numbers
        }
        self._versions = {(uid, product): Version(newest) for uid, product, newest in versions}

    def numbers(self) -> list[Numbers]:
        """Return the records of a snapshot."""
        return [Numbers(*key, one.newest, one.lost) for key, one in self._channels.items()]

    def versions(self) -> list[tuple[int, int, int]]:
        """(uid, product, version) of a snapshot."""
        return [(*owner, version.newest) for owner, version in self._versions.items()]

    def next(self, key: OwnKey) -> tuple[int, int]:
        """Return the number and the version of a channel's next frame, which take effect."""
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = Channel()
        version = channel.version
        if version is None:
            version = channel.version = self._versions.setdefault(key[:2], Version())
        channel.newest += 1
        version.newest += 1
        return channel.newest, version.newest

    def lose(self, key: OwnKey) -> None:
        """Leave a number out: no client can resume across it."""
        channel = self._channels.setdefault(key, Channel())
        channel.newest += 1
        channel.lost = channel.newest

    def newest(self, key: OwnKey) -> int:
        """Return the number of a channel's newest frame; 0 before the first."""
        channel = self._channels.get(key)
        return channel.newest if channel is not None else 0

    def oldest(self, key: OwnKey) -> int:
        """Return the smallest number after which every frame of a channel is stored."""
        channel = self._channels.get(key)
        return self._oldest(channel) if channel is not None else 0

    def ranges(self) -> dict[OwnKey, tuple[int, int]]:
        """`oldest` and `newest` of every channel that ever had a frame."""
        return {key: (self._oldest(one), one.newest) for key, one in self._channels.items()}

    def _oldest(self, channel: Channel) -> int:
        return max(channel.lost, frames_gone(channel.newest, self._kept))
