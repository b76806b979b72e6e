"""Sets of rules under one name: the outages that exchanges and networks have."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, structs

from venue.api.contract import market as contract
from venue.api.operator.faults import Effect, FaultMatch, When
from venue.api.spot import market as spot

UNAVAILABLE: Final = 503


class PresetRule(Struct, frozen=True):
    """One rule of a preset; its id is the preset's name, a dot, and this one."""

    id: str
    effect: Effect
    match: FaultMatch = FaultMatch()
    when: When = When()


class Outage(Struct, frozen=True):
    """The imitated failure, in words, and its rules."""

    description: str
    rules: tuple[PresetRule, ...]


def make_rarer(when: When, rate: float) -> When:
    """As `when`, so much rarer; `rate` is from 0 to 1."""
    chance = rate * float(when.probability if when.probability is not None else 1)
    return structs.replace(when, probability=f"{chance:.6f}")


def _often(probability: str) -> When:
    return When(probability=probability)


_PLACING: Final = FaultMatch(operation="place*")
_CANCELLING: Final = FaultMatch(operation="cancel*")
_DOWN: Final = Effect("status", status=UNAVAILABLE)
_STALE: Final = (
    PresetRule("depth", Effect("stale"), FaultMatch(path=spot.depth.path)),
    PresetRule("contract-depth", Effect("stale"), FaultMatch(path=contract.contract_depth.path)),
    PresetRule("frames", Effect("ws.gap"), FaultMatch(channel="depth*")),
)
PRESETS: Final[dict[str, Outage]] = {
    "flaky-wifi": Outage(
        "Requests and replies are late or lost, and streams break now and then.",
        (
            PresetRule("late", Effect("delay", ms=200, jitter_ms=800), when=_often("0.2")),
            PresetRule("lost", Effect("drop_before"), when=_often("0.05")),
            PresetRule("reply-lost", Effect("drop_after"), when=_often("0.05")),
            PresetRule("frame-late", Effect("ws.late", ms=500), when=_often("0.05")),
            PresetRule("stream-lost", Effect("ws.disconnect"), when=_often("0.005")),
        ),
    ),
    "lost-replies": Outage(
        "Orders are executed, and some of the replies are lost.",
        (PresetRule("orders", Effect("drop_after"), _PLACING, _often("0.2")),),
    ),
    "exchange-meltdown": Outage(
        "Everything is slow, much of it refused, and streams break.",
        (
            PresetRule("slow", Effect("delay", ms=500, jitter_ms=4_000)),
            PresetRule("busy", _DOWN, when=_often("0.4")),
            PresetRule("reply-lost", Effect("drop_after"), _PLACING, _often("0.1")),
            PresetRule("stream-lost", Effect("ws.disconnect"), when=_often("0.02")),
        ),
    ),
    "maintenance": Outage(
        "Every request is refused with 503, streams are closed and no new ones opened.",
        (
            PresetRule("requests", _DOWN),
            PresetRule("streams", Effect("ws.disconnect")),
            PresetRule("openings", Effect("ws.refuse", status=UNAVAILABLE)),
        ),
    ),
    "midnight-disconnect": Outage(
        "At midnight UTC all streams are closed, and for 30 seconds none is opened.",
        (
            PresetRule(
                "streams", Effect("ws.disconnect"), when=When(from_="midnight", until="midnight+5s")
            ),
            PresetRule(
                "openings", Effect("ws.refuse"), when=When(from_="midnight", until="midnight+30s")
            ),
        ),
    ),
    "submit-only-down": Outage(
        "No order can be placed; they can be cancelled.", (PresetRule("orders", _DOWN, _PLACING),)
    ),
    "cancel-only-down": Outage(
        "No order can be cancelled; they can be placed.",
        (PresetRule("cancels", _DOWN, _CANCELLING),),
    ),
    "slow-degradation": Outage(
        "Requests get slower for two minutes, then half of them are refused.",
        (
            PresetRule("first", Effect("delay", ms=100)),
            PresetRule("second", Effect("delay", ms=400), when=When(from_="+30s")),
            PresetRule("third", Effect("delay", ms=1_500), when=When(from_="+60s")),
            PresetRule("busy", _DOWN, when=When(from_="+120s", probability="0.5")),
        ),
    ),
    "stale-book": Outage("The books shown stand still; orders meet the real ones.", _STALE),
    "sparse": Outage(
        "Ended contract orders lack executedQty and cumQuote for two seconds.",
        (
            PresetRule(
                "orders", Effect("sparse", ms=2_000), FaultMatch(operation="contract_order*")
            ),
        ),
    ),
    "heartbeat": Outage(
        "An empty frame comes before each frame of orders.",
        (PresetRule("frames", Effect("ws.empty")),),
    ),
    "wrong-side-recovery": Outage(
        "Orders are refused for 20 seconds; then they are taken while the books shown stand still.",
        (PresetRule("orders", _DOWN, _PLACING, When(until="+20s")), *_STALE),
    ),
}
