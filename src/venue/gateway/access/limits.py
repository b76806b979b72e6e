"""Budgets of weight per IP and per UID, and of orders per UID, in fixed windows (protocol 1.5)."""

from __future__ import annotations

from typing import Final, NoReturn, Protocol

from venue.api import errors
from venue.candles import MINUTE_US
from venue.gateway.access.proxies import counted_as

WEIGHT_MAX: Final = 500
ORDERS_MAX: Final = 300  # of an account in a minute
WINDOW_US: Final = 10_000_000
_ANY: Final = 2**63
_WEIGHT: Final = "Too many requests: this {what} used its weight of {budget} per 10 seconds"
_ORDERS: Final = "Too many orders: this {what} sent its {budget} of this minute"
CALLERS_MAX: Final = 100_000  # per window; those beyond share one counter


class PacedClock(Protocol):
    """A clock by whose pace callers are limited."""

    limited: bool  # where time stands no caller is limited
    scaled: bool  # its own time counts, not the machine's

    def now(self) -> int:
        """Return the time of the windows, in µs."""


class Limits:
    """Counts weight and orders; each budget is what a window may take, and None switches it off.
    With a `clock`, the windows follow its time.

    Operators have a budget of their own per address: a busy client must not lock them out.
    """

    def __init__(
        self,
        per_ip: int | None = WEIGHT_MAX,
        per_uid: int | None = WEIGHT_MAX,
        orders: int | None = ORDERS_MAX,
        clock: PacedClock | None = None,
    ) -> None:
        self._ip: _Counter | None = None
        self._operator: _Counter | None = None
        self._uid: _Counter | None = None
        self._orders: _Counter | None = None
        if per_ip is not None:
            self._ip = _Counter("address", per_ip, clock)
            self._operator = _Counter("operator's address", per_ip, clock)
        if per_uid is not None:
            self._uid = _Counter("account", per_uid, clock)
        if orders is not None:
            self._orders = _Counter("account", orders, clock, MINUTE_US, _ORDERS)
        self._lately = _Counter("account", _ANY, clock)

    def charge_ip(self, ip: str, weight: int, now: int) -> tuple[int, int] | None:
        """Charge weight; return (used, remaining) in this window at time `now` (µs). None when the
        limit is off or time stands still.

        ApiError -1003, HTTP 429, when the budget does not suffice; every later charge is refused
        until the window ends.
        """
        if ":" in ip:  # an order over IPv4 asks no other module
            ip = counted_as(ip)
        return self._ip.charge(ip, weight, now) if self._ip is not None else None

    def charge_operator(self, ip: str, weight: int, now: int) -> tuple[int, int] | None:
        """Return the same for what operators ask."""
        operator = self._operator
        return operator.charge(counted_as(ip), weight, now) if operator is not None else None

    def charge_uid(self, uid: int, weight: int, now: int) -> None:
        """Charge weight to an account as `charge_ip` does to an address; no header reports it."""
        if self._uid is not None:
            self._uid.charge(uid, weight, now)

    def charge_orders(self, uid: int, orders: int, now: int) -> tuple[int, int] | None:
        """Charge orders to an account; return its orders in this window of ten seconds and in this
        minute. None as for weight.

        ApiError -1003, HTTP 429, as for weight, when they exceed a minute's budget.
        """
        if self._orders is None:
            return None
        lately = self._lately.charge(uid, orders, now)
        minute = self._orders.charge(uid, orders, now)
        return (lately[0], minute[0]) if lately is not None and minute is not None else None


class _Counter:
    __slots__ = ("budget", "clock", "end", "used", "what", "window", "words")

    def __init__(
        self,
        what: str,
        budget: int,
        clock: PacedClock | None,
        window: int = WINDOW_US,
        words: str = _WEIGHT,
    ) -> None:
        self.what = what
        self.budget = budget
        self.clock = clock
        self.window = window
        self.words = words
        self.end = 0
        self.used: dict[int | str, int] = {}

    def charge(self, caller: int | str, weight: int, now: int) -> tuple[int, int] | None:
        clock = self.clock
        if clock is not None:
            if not clock.limited:
                return None
            if clock.scaled:
                now = clock.now()
        window = self.window
        if now >= self.end or now < self.end - window:  # the clock may be set back
            self.end = now - now % window + window
            self.used = {}
        before = self.used.get(caller)
        if before is None:
            if len(self.used) >= CALLERS_MAX:
                caller = ""
            before = self.used.get(caller, 0)
        used = before + weight
        self.used[caller] = used
        if used > self.budget:
            self._refuse(caller, now)
        return used, self.budget - used

    def _refuse(self, caller: int | str, now: int) -> NoReturn:
        self.used[caller] = self.budget + 1
        wait = max(1, -(-(self.end - now) // 1_000_000))
        told = self.words.format(what=self.what, budget=self.budget)
        raise errors.too_many_requests(f"{told}; wait {wait} s.", wait)
