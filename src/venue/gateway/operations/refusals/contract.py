"""The engine's refusals on the contract side in the interface's codes and words (rule 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from venue.api import errors
from venue.api.errors import ApiError
from venue.core.engine import Engine
from venue.core.instruments import Asset, Contract
from venue.core.messages.commands import Exit, PlaceContractOrder
from venue.core.messages.events import Rejected
from venue.core.units import PRICE_MAX
from venue.gateway.operations.refusals import spot
from venue.texts import amount_text, price_text, quantity_text, rate_text
from venue.times import instant_text
from venue.vocabulary import LONG, Reject


class ListedContract(Struct, frozen=True):
    """A listed contract and the asset it settles in."""

    contract: Contract
    asset: Asset


class Words(Struct, frozen=True):
    """An operation's names of its fields; `funds` words its bound of money, before the text of
    `money` about the available amount.

    `own` is the leverage at which an order's size is too large.
    """

    client_id: str = "newClientOrderId"
    types: str = "must be LIMIT or MARKET"
    price: str = "price"
    trigger_price: str = "triggerPrice"
    position: str = "positionId"
    leverage: str = "crossLeverage"
    own: int = 0
    funds: str = "{} are needed"
    money: str = ""


ORDER: Final = Words()


def refusal(
    rejected: Rejected, listed: ListedContract | None = None, words: Words = ORDER
) -> ApiError:
    """Return the error with the reason; `listed` is the order's contract, where there is one."""
    reason = Reject(rejected.reason)
    if listed is not None and reason in _LISTED:
        return _LISTED[reason](rejected, listed, words)
    if reason in _PLAIN:
        return _PLAIN[reason](rejected, words)
    return spot.refusal(rejected, listed.contract.instrument if listed is not None else None)


def exit_refusal(
    rejected: Rejected, listed: ListedContract, command: PlaceContractOrder
) -> ApiError:
    """Return the error that names the attached exit with a wrong trigger price, and its allowed
    range."""
    instrument = listed.contract.instrument
    long = command.position_side == LONG
    bound = rejected.limit
    if _wrong(command.take_profit, bound, above=long):
        name, above = "tpTriggerPrice", long
    else:
        name, above = "slTriggerPrice", not long
    if bound == PRICE_MAX:
        return _price_range(name, bound, listed)
    where = "above" if above else "below"
    return errors.out_of_range(name, f"must lie {where} {price_text(instrument, bound)}")


def size_refusal(
    rejected: Rejected, listed: ListedContract, engine: Engine, command: PlaceContractOrder
) -> ApiError:
    """Return the error for a size beyond the bound of its leverage, with both."""
    perp = engine.perps[command.symbol]
    modes = engine.holding(command.uid).modes_or_default(perp)
    return refusal(rejected, listed, Words(own=modes.leverage(command.position_side)))


def _wrong(found: Exit, bound: int, *, above: bool) -> bool:
    price = found.trigger_price
    if bound == PRICE_MAX:
        return price > bound
    return bool(price) and (price <= bound if above else price >= bound)


# -- in the units of the contract -----------------------------------------------------------------


def _quantity_range(listed: ListedContract) -> str:
    instrument = listed.contract.instrument
    low = quantity_text(instrument, instrument.quantity_min)
    return f"allowed: {low} to {quantity_text(instrument, instrument.quantity_max)}"


def _quantity_min(_: Rejected, listed: ListedContract, __: Words) -> ApiError:
    return errors.out_of_range("quantity", _quantity_range(listed))


def _quantity_max(_: Rejected, listed: ListedContract, __: Words) -> ApiError:
    return errors.error(-3007, name="quantity", rule=_quantity_range(listed))


def _market_size(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    high = quantity_text(listed.contract.instrument, rejected.limit)
    rule = f"a MARKET order may be at most {high}"
    return errors.error(-3007, name="quantity", rule=rule, item_code="MARKET_SIZE")


def _price_range(name: str, high: int, listed: ListedContract) -> ApiError:
    instrument = listed.contract.instrument
    low = price_text(instrument, 1)
    return errors.out_of_range(name, f"allowed: {low} to {price_text(instrument, high)}")


def _notional(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    rule = f"price x quantity may be at most {_money(rejected.limit, listed)}"
    return errors.out_of_range("quantity", rule)


def _position_max(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    high = quantity_text(listed.contract.instrument, rejected.limit)
    rule = f"a position may be at most {high}, with the open orders that would add to it"
    return errors.out_of_range("quantity", rule, item_code="POSITION_MAX")


def _leverage_size(rejected: Rejected, listed: ListedContract, words: Words) -> ApiError:
    """In the live exchange's words: programs read the size out of them."""
    high = quantity_text(listed.contract.instrument, rejected.limit)
    reason = (
        f"If order is filled, may lead to position exceed max size {high} for leverage"
        f" '{words.own}'; the position and all orders that would add to it count"
    )
    return errors.failed_precondition(reason, item_code="CONTRACT_LEVERAGE_ERROR")


def _owner_share(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    contract = listed.contract
    high = quantity_text(contract.instrument, rejected.limit)
    most = quantity_text(contract.instrument, contract.open_interest_max)
    rule = (
        f"one owner's positions on a side may be at most {high}, with the open orders that would"
        f" add to them: {rate_text(contract.share_ppm)} of the greatest open interest, {most}"
    )
    return errors.out_of_range("quantity", rule, item_code="OWNER_SHARE")


def _open_interest_max(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    high = quantity_text(listed.contract.instrument, rejected.limit)
    rule = f"the contract's open interest may be at most {high}"
    return errors.out_of_range("quantity", rule, item_code="OPEN_INTEREST_MAX")


def _unsafe(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    least = price_text(listed.contract.instrument, rejected.limit)
    reason = f"below {least} one tick is too much of the margin: orders may only reduce positions"
    return errors.failed_precondition(reason, item_code="CONTRACT_UNSAFE")


def _dear(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    highest = price_text(listed.contract.instrument, rejected.limit)
    reason = (
        f"above {highest} the smallest order fills the index notional or the impact notional:"
        " orders may only reduce positions"
    )
    return errors.failed_precondition(reason, item_code="CONTRACT_UNSAFE")


def _left_to_close(rejected: Rejected, listed: ListedContract, words: Words) -> ApiError:
    if not rejected.limit:
        return _nothing_to_close(rejected, words)
    left = quantity_text(listed.contract.instrument, rejected.limit)
    reason = f"nothing left to close beyond {left}: other closing orders hold the rest"
    return errors.failed_precondition(reason, item_code="NOTHING_TO_CLOSE")


def _would_trigger(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    price = price_text(listed.contract.instrument, rejected.limit)
    reason = f"would trigger at once: the price it waits for is {price} now"
    return errors.failed_precondition(reason, item_code="WOULD_TRIGGER")


def _funds(rejected: Rejected, listed: ListedContract, words: Words) -> ApiError:
    bound = words.funds.format(_money(rejected.limit, listed))
    return errors.failed_precondition(
        f"amount not enough: {bound}{words.money}", item_code="INSUFFICIENT_BALANCE"
    )


def _amount(rejected: Rejected, listed: ListedContract, _: Words) -> ApiError:
    rule = f"allowed: {_money(1, listed)} to {_money(rejected.limit, listed)}"
    return errors.out_of_range("amount", rule)


def _money(atoms: int, listed: ListedContract) -> str:
    return f"{amount_text(listed.asset, atoms)} {listed.asset.name}"


_LISTED: Final[dict[Reject, Callable[[Rejected, ListedContract, Words], ApiError]]] = {
    Reject.QUANTITY_MIN: _quantity_min,
    Reject.QUANTITY_MAX: _quantity_max,
    Reject.MARKET_SIZE: _market_size,
    Reject.PRICE: lambda r, listed, words: _price_range(words.price, r.limit, listed),
    Reject.TRIGGER_PRICE: lambda r, listed, words: _price_range(
        words.trigger_price, r.limit, listed
    ),
    Reject.NOTIONAL_MAX: _notional,
    Reject.POSITION_MAX: _position_max,
    Reject.LEVERAGE_SIZE: _leverage_size,
    Reject.OWNER_SHARE: _owner_share,
    Reject.OPEN_INTEREST_MAX: _open_interest_max,
    Reject.CONTRACT_UNSAFE: _unsafe,
    Reject.CONTRACT_DEAR: _dear,
    Reject.NOTHING_TO_CLOSE: _left_to_close,
    Reject.WOULD_TRIGGER: _would_trigger,
    Reject.FUNDS: _funds,
    Reject.AMOUNT: _amount,
}


# -- without units --------------------------------------------------------------------------------


def _client_id_used(rejected: Rejected, words: Words) -> ApiError:
    rule = f"used before with other content, by order {rejected.limit}"
    return errors.bad_client_id(words.client_id, rule)


def _leverage(rejected: Rejected, words: Words) -> ApiError:
    rule = f"allowed: whole numbers from 1 to {rejected.limit}"
    return errors.error(-3313, name=words.leverage, rule=rule)


def _conditional_cap(rejected: Rejected, _: Words) -> ApiError:
    scope = "symbol" if rejected.reason == Reject.ALGO_ORDERS_SYMBOL else "account"
    rule = f"at most {rejected.limit} conditional orders per {scope} are allowed"
    return errors.out_of_range("symbol", rule, item_code="MAX_NUM_ALGO_ORDERS")


def _positions_cap(rejected: Rejected, _: Words) -> ApiError:
    scope = "symbol" if rejected.reason == Reject.POSITIONS_SYMBOL else "account"
    rule = f"at most {rejected.limit} positions per {scope} may be opened"
    return errors.out_of_range("symbol", rule, item_code="MAX_NUM_POSITIONS")


def _callback_rate(rejected: Rejected, _: Words) -> ApiError:
    rule = f"allowed: above 0, up to {rate_text(rejected.limit)}"
    return errors.out_of_range("callbackRate", rule)


def _nothing_to_close(_: Rejected, __: Words) -> ApiError:
    return errors.failed_precondition(
        "nothing left to close: there is no such position", item_code="NOTHING_TO_CLOSE"
    )


def _former_tiers(rejected: Rejected, _: Words) -> ApiError:
    reason = (
        "a position in the symbol does not fit the contract's new tiers: until it does, orders"
        " there only reduce; add margin, lower the leverage or close a part before"
        f" {instant_text(rejected.limit)}, when it takes the new tiers in any case"
    )
    return errors.failed_precondition(reason, item_code="FORMER_TIERS")


def _market_hours(rejected: Rejected, _: Words) -> ApiError:
    reason = (
        "the contract is outside its market hours: orders may only reduce positions until"
        f" {instant_text(rejected.limit)}"
    )
    return errors.failed_precondition(reason, item_code="MARKET_HOURS")


def _precondition(reason: str, item_code: str) -> Callable[[Rejected, Words], ApiError]:
    def refuse(_: Rejected, __: Words) -> ApiError:
        return errors.failed_precondition(reason, item_code=item_code)

    return refuse


_PLAIN: Final[dict[Reject, Callable[[Rejected, Words], ApiError]]] = {
    Reject.CLIENT_ID_USED: _client_id_used,
    Reject.SYMBOL_UNKNOWN: lambda _, __: symbol_unknown(),
    Reject.TYPE: lambda _, words: errors.error(-1116, rule=words.types),
    Reject.POSITION_SIDE: lambda _, __: errors.invalid("positionSide", "must be LONG or SHORT"),
    Reject.POSITION_ID_MISSING: _precondition(
        "Position ID missing in separated mode", "POSITION_ID_MISSING"
    ),
    Reject.POSITION_UNKNOWN: lambda _, words: errors.invalid(words.position, "no such position"),
    Reject.NO_MARK: _precondition("the contract has no price yet", "NO_MARK"),
    Reject.PRICE_DOUBT: _precondition(
        "the contract's index is in doubt: orders may only reduce positions, and no close may leave"
        " a larger net position",
        "PRICE_DOUBT",
    ),
    Reject.MARKET_HOURS: _market_hours,
    Reject.FORMER_TIERS: _former_tiers,
    Reject.DELISTED: _precondition(
        "the contract is delisted: orders may only reduce positions", "DELISTED"
    ),
    Reject.PLAN_FAULT: _precondition(
        "the order could not be planned; nothing was done", "PLAN_FAULT"
    ),
    Reject.POSITIONS_SYMBOL: _positions_cap,
    Reject.POSITIONS_ACCOUNT: _positions_cap,
    Reject.NOTHING_TO_CLOSE: _nothing_to_close,
    Reject.LEVERAGE: _leverage,
    Reject.MODE_IN_USE: _precondition(
        "the mode can change only while the symbol has no position and no order", "MODE_IN_USE"
    ),
    Reject.NOT_ISOLATED: _precondition("the position is not isolated", "NOT_ISOLATED"),
    Reject.ALGO_ORDERS_SYMBOL: _conditional_cap,
    Reject.ALGO_ORDERS_ACCOUNT: _conditional_cap,
    Reject.CALLBACK_RATE: _callback_rate,
    Reject.ORDER_UNKNOWN: lambda _, __: order_unknown(),
    Reject.ALGO_UNKNOWN: lambda _, __: order_unknown(),
}


def symbol_unknown(name: str = "symbol") -> ApiError:
    """Refuse a symbol that no contract has."""
    return errors.symbol_unknown(name)


def order_unknown() -> ApiError:
    """Refuse an order that is not open or is another owner's, both in the same words."""
    return errors.error(-3200)
