"""The engine's refusals in the interface's codes and words (rule 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.fields import COUNTDOWN_ALLOWED
from venue.core.instruments import Instrument
from venue.core.messages.events import Rejected
from venue.texts import price_text, quantity_text
from venue.vocabulary import Reject


def refusal(rejected: Rejected, instrument: Instrument | None = None) -> ApiError:
    """Return the error with the reason; `instrument` is the order's, where there is one."""
    reason = Reject(rejected.reason)
    if instrument is not None and reason in _ORDER:
        return _ORDER[reason](rejected, instrument)
    return _PLAIN[reason](rejected)


def _quantity_range(_: Rejected, instrument: Instrument) -> ApiError:
    low = quantity_text(instrument, instrument.quantity_min)
    high = quantity_text(instrument, instrument.quantity_max)
    return errors.out_of_range("quantity", f"allowed: {low} to {high}")


def _market_size(_: Rejected, instrument: Instrument) -> ApiError:
    high = quantity_text(instrument, instrument.market_quantity_max)
    rule = f"a MARKET order may be at most {high}"
    return errors.out_of_range("quantity", rule, item_code="MARKET_SIZE")


def _price_range(rejected: Rejected, instrument: Instrument) -> ApiError:
    low, high = price_text(instrument, 1), price_text(instrument, rejected.limit)
    return errors.out_of_range("price", f"allowed: {low} to {high}")


def _price_band(rejected: Rejected, instrument: Instrument) -> ApiError:
    bound = price_text(instrument, rejected.limit)
    rule = f"outside the price band, which for this side ends at {bound}"
    return errors.out_of_range("price", rule, item_code="PRICE_BAND")


# How the engine's words for a refused listing begin, the request's field, and words for it.
_LISTING: Final = (
    ("funding_minutes ", "fundingTimes", ""),
    ("market_hours ", "tradingHours", ""),
    ("market_hours: ", "tradingHours", ""),
    ("tick x step and step ", "tickSize", "with stepSize, tickSize x stepSize and stepSize "),
    ("base and quote must differ", "quoteAsset", "must be another asset than baseAsset"),
    ("tiers must ", "tiers", "must "),
    ("maintenance rates ", "tiers", "maintenance rates "),
    ("a tier's ", "tiers", "a tier's "),
    ("maker_ppm: ", "makerFeeRate", ""),
    ("taker_ppm: ", "takerFeeRate", ""),
    ("funding_cap_ppb: ", "fundingCapRate", ""),
    ("index_step_ppm: ", "indexStepRate", ""),
    ("index_notional: ", "indexNotional", ""),
    ("impact_notional: ", "impactNotional", ""),
)


def _instrument(rejected: Rejected) -> ApiError:
    """Return the error of a refused listing, with the field as the request spells it."""
    if rejected.detail.startswith("the change before "):
        return errors.failed_precondition(rejected.detail, item_code="CHANGE_UNDER_WAY")
    if rejected.detail.startswith("the contract is "):
        return errors.failed_precondition(rejected.detail, item_code="DELISTED")
    for begin, name, words in _LISTING:
        if rejected.detail.startswith(begin):
            return errors.invalid(name, words + rejected.detail.removeprefix(begin))
    return errors.invalid("instrument", rejected.detail)


_ORDER: Final[dict[Reject, Callable[[Rejected, Instrument], ApiError]]] = {
    Reject.QUANTITY_MIN: _quantity_range,
    Reject.QUANTITY_MAX: _quantity_range,
    Reject.MARKET_SIZE: _market_size,
    Reject.PRICE: _price_range,
    Reject.PRICE_BAND: _price_band,
}


def _refuse_halted(rejected: Rejected) -> ApiError:
    why = f": {rejected.detail}" if rejected.detail else ""
    return errors.failed_precondition(f"trading is halted{why}", item_code="HALTED")


def _cap(rejected: Rejected) -> ApiError:
    scope = "symbol" if rejected.reason == Reject.OPEN_ORDERS_SYMBOL else "account"
    rule = f"at most {rejected.limit} open orders per {scope} are allowed"
    return errors.out_of_range("symbol", rule, item_code="MAX_NUM_ORDERS")


def _funds(_: Rejected) -> ApiError:
    return errors.failed_precondition("amount not enough", item_code="INSUFFICIENT_BALANCE")


def _no_liquidity(_: Rejected) -> ApiError:
    reason = "no liquidity: the other side of the book is empty"
    return errors.failed_precondition(reason, item_code="NO_LIQUIDITY")


def _would_trade(_: Rejected) -> ApiError:
    return errors.failed_precondition(
        "a POST_ONLY order would trade at once", item_code="WOULD_TRADE"
    )


def _client_id_used(rejected: Rejected) -> ApiError:
    rule = f"used before with other content, by order {rejected.limit}"
    return errors.bad_client_id("newClientOrderId", rule)


def _notional(rejected: Rejected) -> ApiError:
    rule = f"price x quantity may be at most {rejected.limit} atoms of the quote asset"
    return errors.out_of_range("quantity", rule)


_PLAIN: Final[dict[Reject, Callable[[Rejected], ApiError]]] = {
    Reject.OWNER_UNKNOWN: lambda _: errors.invalid("owner", "no such owner"),
    Reject.OWNER_RESERVED: lambda _: errors.invalid("name", "this name is the venue's own"),
    Reject.CLIENT_ID_USED: _client_id_used,
    Reject.ACCOUNT_FROZEN: lambda _: errors.error(-1057),
    Reject.SYMBOL_UNKNOWN: lambda _: errors.spot_symbol_unknown(),
    Reject.HALTED: _refuse_halted,
    Reject.SIDE: lambda _: errors.bad_side(),
    Reject.TYPE: lambda _: errors.bad_type(),
    Reject.TIME_IN_FORCE: lambda _: errors.bad_time_in_force(),
    Reject.NOTIONAL_MAX: _notional,
    Reject.OPEN_ORDERS_SYMBOL: _cap,
    Reject.OPEN_ORDERS_ACCOUNT: _cap,
    Reject.NO_LIQUIDITY: _no_liquidity,
    Reject.WOULD_TRADE: _would_trade,
    Reject.FUNDS: _funds,
    Reject.ORDER_UNKNOWN: lambda _: errors.spot_order_unknown(),
    Reject.OWNER_NAME_USED: lambda r: errors.invalid("name", f"used by uid {r.limit}"),
    Reject.ASSET_UNKNOWN: lambda _: errors.invalid("asset", "no such asset"),
    Reject.REFERENCE_USED: lambda _: errors.bad_client_id(
        "reference", "used before with other content, by another movement of money"
    ),
    Reject.ASSET_LISTED: lambda _: errors.invalid("asset", "already registered"),
    Reject.AMOUNT: lambda r: errors.out_of_range("amount", f"allowed: 1 to {r.limit} atoms"),
    Reject.SUPPLY_MAX: lambda r: errors.out_of_range(
        "amount", f"the asset's supply allows {r.limit} more atoms"
    ),
    Reject.WALLETS_EQUAL: lambda _: errors.combination("from", "to"),
    Reject.SYMBOL_LISTED: lambda _: errors.invalid("symbol", "already listed"),
    Reject.INSTRUMENT_INVALID: _instrument,
    Reject.CODE_USED: lambda _: errors.invalid("code", "another affiliate's"),
    Reject.NO_AFFILIATE: lambda _: errors.invalid("code", "no affiliate's"),
    Reject.INVITED_ALREADY: lambda _: errors.invalid(
        "owner", "was invited before, or would invite itself"
    ),
    Reject.RECEIVER_UNKNOWN: lambda _: errors.invalid("toUserId", "no such owner"),
    Reject.RECEIVER_SELF: lambda _: errors.invalid("toUserId", "must be another owner"),
    Reject.CONTENT_FULL: lambda r: errors.failed_precondition(
        f"{r.limit} of them are posted, the most allowed: remove one first"
    ),
    Reject.CONTENT_UNKNOWN: lambda _: errors.invalid("id", "no such article or banner"),
    Reject.FEE_TIERS: lambda _: errors.out_of_range(
        "tiers", "each volume must be above 0 and the one before"
    ),
    Reject.STATE_UNKNOWN: lambda _: errors.invalid("name", "no snapshot has this name"),
    Reject.STATES_MAX: lambda r: errors.out_of_range(
        "name", f"at most {r.limit} snapshots are kept: delete one"
    ),
    Reject.TIMEOUT: lambda _: errors.out_of_range("timeout", f"allowed: {COUNTDOWN_ALLOWED}"),
    Reject.FEE_RATE: lambda r: errors.out_of_range("makerFeeRate", f"allowed: 0 to {r.limit} ppm"),
}
