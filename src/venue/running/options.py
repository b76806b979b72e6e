"""The options of a venue."""

from __future__ import annotations

import msgspec

from venue.api.profile import Profile
from venue.gateway.bounds import DEV_FACTOR
from venue.history.frames_kept import FRAMES_KEPT
from venue.node.clock_modes import ClockMode


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to run a venue; `state` None keeps everything in memory.

    A `practice` venue has demo markets, owners and money, and time, state and failures are the
    operator's. A real one begins without all of these.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    state: str | None = None
    seed: int = 1
    agents: bool = True
    limits: bool = True
    real_limits: bool = False  # the interface's own, not a hundred times as much
    history: bool = True
    batch_place: bool | None = None
    projection: bool = True
    operator_token: str = ""
    depth_ms: int = 500
    frames_kept: int = FRAMES_KEPT  # of each private channel, for clients that resume
    practice: bool = True
    hosts: tuple[str, ...] = ()  # names of this venue, beside addresses and names without a dot
    origins: tuple[str, ...] = ()  # of web pages that may call
    proxies: tuple[str, ...] = ()  # addresses and networks whose X-Forwarded-For is believed
    strict: bool = False  # parameters that no operation knows are refused
    profile: Profile = Profile.DOCUMENT
    demo_keys: bool = True
    capacity: int | None = None  # commands a second at most
    keep_us: int | None = None  # how much of journal and history stays out of archives
    clock: ClockMode | None = None  # how time passes; None: as before, or as the machine's
    at: int | None = None  # venue time to begin at, µs
    wire_log: int = 0  # requests and frames that a practice venue keeps; 0: none
    pages: bool = True  # browsers see it, and any owner's account in its operator's
    resets: bool = False  # the state it begins to answer in is kept, for `reset`

    def limits_factor(self) -> int:
        """Return how many times the interface's limits a client may use: a practice venue's share
        one address."""
        return 1 if self.real_limits else DEV_FACTOR
