"""Refusals of copy trading in the interface's codes and words (rule 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.core.messages.events import Rejected
from venue.core.units import PPM
from venue.gateway.operations.refusals import contract
from venue.texts import rate_text
from venue.vocabulary import Reject


def refusal(rejected: Rejected) -> ApiError:
    """Return the error that tells a client the reason."""
    reason = Reject(rejected.reason)
    if reason in _REASONS:
        return _REASONS[reason](rejected)
    return contract.refusal(rejected)


def not_followed() -> ApiError:
    """Refuse a trader that the caller does not follow, whether there is one or not."""
    return errors.invalid("traderId", "no such trader is followed")


def _precondition(reason: str, item_code: str) -> Callable[[Rejected], ApiError]:
    return lambda _: errors.failed_precondition(reason, item_code=item_code)


def _full(rejected: Rejected) -> ApiError:
    reason = f"the trader has {rejected.limit} followers, as many as one may have"
    return errors.failed_precondition(reason, item_code="LEAD_FULL")


def _follows(rejected: Rejected) -> ApiError:
    return errors.out_of_range("traderId", f"at most {rejected.limit} traders may be followed")


def _settings(rejected: Rejected) -> ApiError:
    """Return the error for a field whose bound the gateway does not know better."""
    if rejected.detail == "symbol":
        return errors.invalid("symbol", "each config of per_symbol must name another symbol")
    return errors.out_of_range(rejected.detail, f"must be above 0, at most {rejected.limit}")


def _leverage(rejected: Rejected) -> ApiError:
    rule = f"allowed: whole numbers from 1 to {min(rejected.limit, PPM)}"
    return errors.error(-3313, name="fixedLongLeverage", rule=rule)


_REASONS: Final[dict[Reject, Callable[[Rejected], ApiError]]] = {
    Reject.LEAD_UNKNOWN: lambda _: errors.invalid("traderId", "no such trader"),
    Reject.LEAD_CLOSED: _precondition("the trader takes no followers", "LEAD_CLOSED"),
    Reject.FOLLOW_SELF: lambda _: errors.invalid("traderId", "nobody follows himself"),
    Reject.FOLLOW_CHAIN: _precondition("a lead trader cannot follow", "FOLLOW_CHAIN"),
    Reject.LEAD_FULL: _full,
    Reject.FOLLOWS_MAX: _follows,
    Reject.COPY_SETTINGS: _settings,
    Reject.LEVERAGE: _leverage,
    Reject.NOT_FOLLOWING: lambda _: not_followed(),
    Reject.COPY_UNKNOWN: lambda _: contract.order_unknown(),
    # the operator's
    Reject.LEAD_ASSET: lambda _: errors.invalid("asset", "a lead trader's asset cannot change"),
    Reject.THIRD_PARTY: lambda _: errors.invalid("thirdParty", "must be another owner"),
    Reject.FEE_RATE: lambda r: errors.out_of_range(
        "profitShare", f"allowed: 0 to {rate_text(r.limit)}"
    ),
    Reject.SYMBOL_UNKNOWN: lambda r: errors.error(-1121, name="symbol"),
}
