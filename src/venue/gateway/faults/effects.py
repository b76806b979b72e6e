"""The joint effect of the rules that hit one request, over REST or over a socket."""

from __future__ import annotations

from random import Random
from typing import Final

from msgspec import Struct

from venue.api import errors
from venue.api.errors import BY_CODE, ApiError
from venue.api.operator.faults import Effect
from venue.gateway.faults.rules import Hit

AFTER: Final = "after"
DELAY: Final = "delay"
REJECTED: Final = -1054  # the code of `reject_rate` unless another one is given
STATUS_CODES: Final = {418: -1003, 429: -1003, 503: -1008}
RETRY_S: Final = 1


class Course(Struct):
    """The way of one request: waits in seconds, and at most one effect that is no delay."""

    hits: list[Hit]
    wait_before_s: float = 0.0
    wait_after_s: float = 0.0
    effect: Effect | None = None

    def before(self) -> Effect | None:
        """Return the effect, if the request is not carried out."""
        return self.effect if self.effect is not None and not _is_after(self.effect) else None

    def after(self) -> Effect | None:
        """Return the effect, if the request is carried out first."""
        return self.effect if self.effect is not None and _is_after(self.effect) else None

    def summary(self) -> str:
        """Return the hits for a header: number and rule of each."""
        return ",".join(f"{hit.number}:{hit.rule}" for hit in self.hits)


def course(hits: list[Hit]) -> Course:
    """Return the course that these hits make: delays add up, the first effect of another kind
    counts."""
    made = Course(hits)
    for hit in hits:
        effect = hit.effect
        if effect.kind != DELAY:
            made.effect = made.effect or effect
        elif effect.side == AFTER:
            made.wait_after_s += _wait_s(hit)
        else:
            made.wait_before_s += _wait_s(hit)
    return made


def refusal(effect: Effect) -> ApiError:
    """Return the answer of `status`, `error` and `reject_rate`."""
    if effect.kind == "status":
        assert effect.status is not None, "checked when the rule was made"
        code = STATUS_CODES.get(effect.status, -1000)
        words = effect.message or f"A fault was asked for: HTTP {effect.status}."
        wait = effect.retry_after or (RETRY_S if effect.status in STATUS_CODES else None)
        return ApiError(code, words, effect.status, wait)
    code = effect.code if effect.code is not None else REJECTED
    words = effect.message or "FAILED_PRECONDITION: a fault was asked for"
    return ApiError(code, words, BY_CODE[code].status)


def check(effect: Effect) -> None:
    """ApiError when an effect lacks a field that its kind needs, or has one without a use."""
    needed, useful = USES[effect.kind]
    for name, value in _fields_of(effect).items():
        if value is not None and name not in (*needed, *useful):
            raise errors.combination("effect.kind", f"effect.{name}")
        if value is None and name in needed:
            raise errors.missing(f"effect.{name}")
    if effect.ms is not None and effect.ms <= 0 and effect.kind != "clock_skew":
        raise errors.out_of_range("effect.ms", "must be at least 1")
    if effect.code is not None and effect.code not in BY_CODE:
        raise errors.invalid("effect.code", "no such error of the interface")
    if effect.rate is not None and float(effect.rate) > 1:
        raise errors.out_of_range("effect.rate", "allowed: 0 to 1")


# For each kind: its required fields, then its optional ones.
USES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "delay": (("ms",), ("side", "jitterMs")),
    "status": (("status",), ("side", "retryAfter", "message")),
    "error": (("code",), ("side", "message")),
    "drop_before": ((), ()),
    "drop_after": ((), ()),
    "duplicate": ((), ()),
    "stale": ((), ("ms",)),
    "sparse": ((), ("ms",)),
    "truncate": ((), ("bytes",)),
    "reset": ((), ("side",)),
    "clock_skew": (("ms",), ()),
    "reject_rate": (("rate",), ("code", "message")),
    "ws.disconnect": ((), ("closeCode",)),
    "ws.silence": ((), ("ms",)),
    "ws.gap": ((), ()),
    "ws.late": (("ms",), ("jitterMs",)),
    "ws.duplicate": ((), ()),
    "ws.empty": ((), ()),
    "ws.no_ping": ((), ()),
    "ws.no_pong": ((), ()),
    "ws.refuse": ((), ("status",)),
}
_AFTER_ALWAYS: Final = ("drop_after", "duplicate", "stale", "sparse", "truncate", "clock_skew")


def shown_side(effect: Effect) -> str | None:
    """Return the side that an effect has when none is given; None for frames."""
    if effect.kind.startswith("ws."):
        return None
    if effect.side is not None:
        return effect.side
    return AFTER if effect.kind in _AFTER_ALWAYS else "before"


def late_s(hit: Hit) -> float:
    """Return how long a frame waits."""
    return _wait_s(hit)


def _wait_s(hit: Hit) -> float:
    """Return the wait in seconds; the random part of it depends on the hit alone."""
    effect = hit.effect
    drawn = Random(f"{hit.rule}/{hit.nth}").random()  # noqa: S311 - it must be repeatable
    return ((effect.ms or 0) + drawn * (effect.jitter_ms or 0)) / 1000


def _is_after(effect: Effect) -> bool:
    return shown_side(effect) == AFTER


def _fields_of(effect: Effect) -> dict[str, object]:
    return {
        "side": effect.side,
        "ms": effect.ms,
        "jitterMs": effect.jitter_ms,
        "status": effect.status,
        "retryAfter": effect.retry_after,
        "code": effect.code,
        "closeCode": effect.close_code,
        "message": effect.message,
        "bytes": effect.bytes,
        "rate": effect.rate,
    }
