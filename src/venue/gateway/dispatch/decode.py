"""Decodes a body to named values, these to request structs by the fields' readers, and texts to
ticks and lots; every refusal names its field."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.fields import (
    CLIENT_ID_PATTERN,
    CONTRACT_CLIENT_ID_PATTERN,
    COUNTDOWN_ALLOWED,
    GENERATED_CLIENT_ID,
    LEVERAGE_MAX,
    REACH_MAX,
    UIDS_MAX,
    Kind,
    Money,
)
from venue.api.names import ALGO_TYPES, TIMES_IN_FORCE, TYPES
from venue.core.instruments import Instrument
from venue.core.units import NUMBER_MAX
from venue.gateway.dispatch.json_body import Number, json_value, object_values
from venue.texts import RATE_SCALE, short_text
from venue.vocabulary import CANCEL_AFTER_MIN_S, IOC, MARKET

INTEGER_LENGTH_MAX: Final = 19
TEXT_LENGTH_MAX: Final = 256
UID_LENGTH_MAX: Final = 18
READ_MAX: Final = 16_384  # texts of at most so many characters, and the table that finds them
READ_LENGTH_MAX: Final = 37
OR_ALL: Final = (Kind.SYMBOL_OR_ALL, Kind.ID_OR_ALL)
HAS_NO_EFFECT: Final = ("GTC", "FOK")  # on a MARKET order, which sweeps and leaves nothing

_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_USUAL_DECIMAL = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII).fullmatch
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_CLIENT_ID = re.compile(CLIENT_ID_PATTERN, re.ASCII)
_CONTRACT_CLIENT_ID = re.compile(CONTRACT_CLIENT_ID_PATTERN, re.ASCII)
_GENERATED = re.compile(GENERATED_CLIENT_ID.replace("%d", "([0-9]{16})"), re.ASCII)
_ESCAPE: Final = ord("\\")  # a number: bytes are looked for more slowly
_decode_texts = msgspec.json.Decoder(dict[str, str]).decode


# -- bodies ---------------------------------------------------------------------------------------


def body_values(body: bytes) -> dict[str, Any]:
    """Return the body's JSON object, numbers as `Number`. ApiError -1135 for anything else."""
    return _plain_values(body) or object_values(body)


def _plain_values(body: bytes) -> dict[str, Any] | None:
    """Return the common body at a fraction of the cost: an object of texts, none of them escaped.

    None for any other, and for one in which a name is given twice: then there are more quotes than
    four for each name that is left.
    """
    if _ESCAPE in body:
        return None
    try:
        values = _decode_texts(body)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return values if body.count(b'"') == 4 * len(values) else None


# -- fields ---------------------------------------------------------------------------------------

Reader = Callable[[str, Any], Any]


class Field(NamedTuple):
    """One parameter: its name on the wire and in its struct, how to read it, and its default."""

    name: str
    attribute: str
    read: Reader
    required: bool
    default: Any
    kind: Kind


class RequestShape:
    """How to build one request struct from named values; `lists` may be repeated in a query.

    `items`: of its lists of objects, what their elements may name. `paging`: which of the fields
    are page and size of a list that comes in pages.
    """

    __slots__ = ("build", "fields", "items", "lists", "names", "paging")

    def __init__(
        self,
        build: Callable[..., Any],
        fields: list[Field],
        names: frozenset[str],
        lists: frozenset[str],
        items: dict[str, frozenset[str]],
        paging: tuple[Field, Field] | None,
    ) -> None:
        self.build = build
        self.fields = fields
        self.names = names
        self.lists = lists
        self.items = items
        self.paging = paging


def decode(request: RequestShape, values: dict[str, Any]) -> Any:
    """Return the request struct of these values; null and empty text mean absent.

    Where absence means all, what is given must not be empty: -1140.
    """
    arguments = {}
    for name, attribute, read, required, _, kind in request.fields:
        value = values.get(name)
        if value is None or value == "":
            if required:
                raise _absent(name, kind, _unused_names(request.names, values))
            if kind in OR_ALL and name in values:
                raise errors.out_of_range(name, "must not be empty: leave it out to mean all")
        else:
            arguments[attribute] = read(name, value)
    if request.paging is not None:
        _check_reach(*request.paging, arguments)
    return request.build(**arguments)


def ignored_names(request: RequestShape, values: dict[str, Any]) -> list[str]:
    """Return the names of values that the operation does not know or does not use, in the order of
    the request; in the elements of a list as `orderList[3].reduceOnly`."""
    found = _unused_names(request.names, values)
    for name, known in request.items.items():
        elements = values.get(name)
        for place, element in enumerate(elements if isinstance(elements, list) else ()):
            if isinstance(element, dict):
                found += [f"{name}[{place}].{inner}" for inner in _unused_names(known, element)]
    return found


def _unused_names(known: frozenset[str], values: dict[str, Any]) -> list[str]:
    """Return the unknown names, and the time in force of a MARKET order: many programs send it with
    each."""
    found = [] if values.keys() <= known else [name for name in values if name not in known]
    if values.get("type") == "MARKET" and values.get("timeInForce") in HAS_NO_EFFECT:
        found.append(f"timeInForce={values['timeInForce']}")
    return found


def _check_reach(page: Field, size: Field, arguments: dict[str, Any]) -> None:
    """Refuse pages too far down a list: such a page costs as much as all before it."""
    number, most = (arguments.get(field.attribute, field.default) for field in (page, size))
    if number * most > REACH_MAX:
        rule = f"'{size.name}' x '{page.name}' may be at most {REACH_MAX}"
        raise errors.out_of_range(page.name, rule)


def _absent(name: str, kind: Kind, unused: list[str]) -> errors.ApiError:
    if kind is Kind.SIDE:
        return errors.bad_side()
    if kind is Kind.TYPE:
        return errors.bad_type()
    if kind is Kind.ALGO_TYPE:
        return bad_algo_type()
    return errors.missing(name, unused)


def symbol(name: str, value: Any) -> str:
    """Return a symbol in upper case; whether it is listed is the handler's question.

    Other scripts stay as they are: the upper case of some letters is an ASCII letter.
    """
    if type(value) is not str or len(value) > 32:
        raise errors.invalid(name, "must be a symbol such as BTCUSDT")
    return value.upper() if value.isascii() else value


def decimal(name: str, value: Any) -> str:
    """Return a positive decimal: at most 18 digits before the point, and 18 after it (rule 1.3)."""
    text = rate(name, value)
    if not text.strip("0."):
        raise errors.invalid(name, "must be greater than 0")
    return text


def rate(name: str, value: Any) -> str:
    """Read a number as `decimal` does, or 0."""
    if type(value) is str and _USUAL_DECIMAL(value):
        return value
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        raise errors.invalid(name, "must be a positive decimal number such as 0.01")
    whole, _, fraction = value.partition(".")
    if len(whole) > 18:
        raise errors.out_of_range(name, "at most 18 digits before the point are allowed")
    if len(fraction.rstrip("0")) > 18:
        raise errors.precision(name, "at most 18 decimals are allowed")
    return str(value)


def client_id(name: str, value: Any) -> str:
    """Return a client order id. ApiError -1180 when it is malformed."""
    if type(value) is not str or not _CLIENT_ID.fullmatch(value):
        raise errors.bad_client_id(name, "must be 1 to 40 characters out of .A-Z:/a-z0-9_-")
    return value


def contract_client_id(name: str, value: Any) -> str:
    """Return a client id of the contract side. ApiError -1180 when it is malformed."""
    if type(value) is not str or not _CONTRACT_CLIENT_ID.fullmatch(value):
        raise errors.bad_client_id(name, "must be 1 to 36 characters out of .A-Z:/a-z0-9_-")
    return value


def generated_order_id(value: str) -> int:
    """Return the order id inside a client id the venue generated; 0 for any other client id."""
    found = _GENERATED.fullmatch(value)
    return int(found[1]) if found is not None else 0


def own_client_id(given: str | None, name: str) -> str:
    """Return a client id that the caller may give: the form of generated ones is the venue's."""
    if given is not None and generated_order_id(given):
        raise errors.bad_client_id(name, "v- and 16 digits is the venue's own form")
    return given or ""


def leverage(name: str, value: Any) -> int:
    """Read a whole number from 1 to LEVERAGE_MAX, `20.00` is 20. ApiError -3313 for all else."""
    digits = ""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        digits, _, fraction = value.partition(".")
        if fraction.strip("0"):
            digits = ""
    # Text may be as long as a body: measure it before it becomes a number.
    if not digits or len(digits) > INTEGER_LENGTH_MAX or not 1 <= int(digits) <= LEVERAGE_MAX:
        raise errors.error(
            -3313, name=name, rule=f"allowed: whole numbers from 1 to {LEVERAGE_MAX}"
        )
    return int(digits)


def flag(name: str, value: Any) -> bool:
    """Return a JSON boolean, or true / false as text in a query."""
    if value is True or value == "true":
        return True
    if value is False or value == "false":
        return False
    raise errors.invalid(name, "must be true or false")


def one_of(names: dict[str, int], error: Callable[[], errors.ApiError]) -> Reader:
    """Return a reader of one of the names; `error` makes the refusal."""

    def read(_name: str, value: Any) -> str:
        if type(value) is not str or value not in names:
            raise error()
        return value

    return read


def bad_algo_type() -> errors.ApiError:
    """Return the refusal of a value that is no type of a conditional order."""
    return errors.error(-1116, rule=f"must be one of {', '.join(ALGO_TYPES)}")


def integer_of(low: int | float | None, high: int | float | None, allowed: str = "") -> Reader:
    """Return a reader of whole numbers from `low` to `high`; `allowed` says so in other words."""
    lowest, highest = int(low or 0), int(high or 0)
    rule = f"allowed: {allowed or f'{lowest} to {highest}'}"

    def read(name: str, value: Any) -> int:
        if not isinstance(value, str) or not value.isascii():
            raise errors.invalid(name, "must be a whole number")
        signed = value[:1] == "-" and (lowest < 0 or type(value) is Number)
        if not _DIGITS.fullmatch(value[1:] if signed else value):
            raise errors.invalid(name, f"must be a whole number from {lowest} to {highest}")
        # Text may be as long as a body: measure it before it becomes a number.
        if len(value) > INTEGER_LENGTH_MAX or not lowest <= int(value) <= highest:
            raise errors.out_of_range(name, rule)
        return int(value)

    return read


def countdown_of(read_seconds: Reader) -> Reader:
    """Return a reader of seconds to a countdown's end: 0, or no fewer than the fewest."""

    def read(name: str, value: Any) -> int:
        seconds = int(read_seconds(name, value))
        if 0 < seconds < CANCEL_AFTER_MIN_S:
            raise errors.out_of_range(name, f"allowed: {COUNTDOWN_ALLOWED}")
        return seconds

    return read


def choice_of(choices: tuple[str, ...]) -> Reader:
    """Return a reader of one of the choices."""

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise errors.invalid(name, f"must be one of {', '.join(choices)}")
        return str(value)

    return read


def text_of(length: int, pattern: str, breaks: str = "") -> Reader:
    """Return a reader of printable text."""
    form = re.compile(pattern, re.ASCII) if pattern else None

    def read(name: str, value: Any) -> str:
        if type(value) is not str or not value.replace(breaks, "").isprintable():
            raise errors.invalid(name, f"must be printable text of at most {length} characters")
        if len(value) > length:
            raise errors.invalid(name, f"must be printable text of at most {length} characters")
        if form is not None and not form.search(value):
            raise errors.invalid(name, f"must match {pattern}")
        return value

    return read


def list_of(read_item: Reader) -> Reader:
    """Return a reader of arrays."""

    def read(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise errors.invalid(name, "must be an array")
        return [read_item(name, item) for item in value]

    return read


def symbols_of(most: int) -> Reader:
    """Return a reader of symbols between commas or in an array, each once."""

    def read(name: str, value: Any) -> list[str]:
        items = value
        if isinstance(value, str):
            items = _symbol_list(name, value)
        if not isinstance(items, list) or not all(type(item) is str for item in items):
            raise errors.invalid(name, "must be symbols, comma-separated or as a JSON array")
        if not items:
            raise errors.missing(name)
        if len(items) > most:
            raise errors.out_of_range(name, f"at most {most} symbols are allowed")
        found = [symbol(name, item) for item in items]
        if not all(found) or len(set(found)) != len(found):
            raise errors.invalid(name, "a symbol is empty or named twice")
        return found

    return read


def _symbol_list(name: str, text: str) -> Any:
    if not text.startswith("["):
        return text.split(",")
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        raise errors.invalid(name, "is not a JSON array") from None


def uids(name: str, value: Any) -> list[int]:
    """Uids between commas, or several such texts."""
    texts = ",".join(value if isinstance(value, list) else [value]).split(",")
    if len(texts) > UIDS_MAX:
        raise errors.out_of_range(name, f"at most {UIDS_MAX} uids")
    if not all(_DIGITS.fullmatch(text) and len(text) <= UID_LENGTH_MAX for text in texts):
        raise errors.invalid(name, "must be uids separated by commas")
    return [int(text) for text in texts]


def objects(name: str, value: Any) -> list[Any]:
    """Return a list whose elements are decoded by the handler, one by one: each fails alone."""
    if not isinstance(value, list):
        raise errors.invalid(name, "must be an array of objects")
    if not value:
        raise errors.missing(name)
    return value


# -- whole numbers --------------------------------------------------------------------------------


def amount_text(amount: Money) -> str:
    """Return an amount of a decoded request, which is text; a caller of a client may give other
    types."""
    assert isinstance(amount, str), amount
    return amount


def scale_amount(amount: Money, scale: int, name: str) -> int:
    """Return a decoded amount as an integer of 10^-scale.

    ApiError -1160 when it has more decimals than that, -1140 when no command could carry it.
    """
    text = amount_text(amount)
    read = _read_before if len(text) <= READ_LENGTH_MAX else _read
    return read(text, scale, name)


def _read(text: str, scale: int, name: str) -> int:
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > scale:
        raise errors.precision(name, f"at most {scale} decimals are allowed")
    number = int(whole + fraction.ljust(scale, "0"))
    if number > NUMBER_MAX:
        raise errors.out_of_range(name, f"at most {short_text(NUMBER_MAX, scale)} is allowed")
    return number


# Orders name the prices and the quantities of others. A refused text is not kept.
_read_before: Final = lru_cache(maxsize=READ_MAX)(_read)


def ticks(instrument: Instrument, text: Money, name: str) -> int:
    """Return a price text in ticks. ApiError -1160 off the grid."""
    return _steps(text, instrument.price_scale, instrument.tick, name, "tick size")


def lots(instrument: Instrument, text: Money, name: str) -> int:
    """Return a quantity text in lots. ApiError -1160 off the grid."""
    return _steps(text, instrument.quantity_scale, instrument.step, name, "step size")


def _steps(text: Money, scale: int, step: int, name: str, what: str) -> int:
    number = scale_amount(text, scale, name)
    if number % step:
        raise errors.precision(name, f"must be a multiple of the {what} {short_text(step, scale)}")
    return number // step


class PricedOrder(Protocol):
    """A request for an order, of either product."""

    type: str
    price: Money | None
    time_in_force: str | None


def price_and_force(
    instrument: Instrument, request: PricedOrder, absent: int | Callable[[], ApiError]
) -> tuple[int, int]:
    """Return the price in ticks, 0 at market, and the time in force.

    `absent` is the time in force of a limit order that names none, or makes the refusal for it.
    """
    if TYPES[request.type] == MARKET:
        if request.price is not None:
            raise errors.combination("price", "type=MARKET")
        # The document says of all others that they have no effect.
        if request.time_in_force == "POST_ONLY":
            raise errors.combination("timeInForce", "type=MARKET")
        return 0, IOC
    if request.time_in_force is not None:
        time_in_force = TIMES_IN_FORCE[request.time_in_force]
    elif isinstance(absent, int):
        time_in_force = absent
    else:
        raise absent()
    if request.price is None:
        raise errors.missing("price")
    return ticks(instrument, request.price, "price"), time_in_force


def ppm(text: Money, name: str) -> int:
    """Return a fraction in parts per million."""
    return scale_amount(text, RATE_SCALE, name)
