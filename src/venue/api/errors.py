"""One row per error: name, code, HTTP status, message; and the exception that carries one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

SHOWN_LENGTH_MAX: Final = 64
UNUSED_SHOWN_MAX: Final = 3  # parameters that an operation has no use for, in a message
PRACTICE: Final = "practice"  # keeps an operation closed on a real venue


class ErrorRow(Struct, frozen=True):
    """One error of the interface; `message` may hold {name}, {rule} or {detail}."""

    name: str
    code: int
    status: int
    message: str


_TABLE: Final[tuple[tuple[str, int, int, str], ...]] = (
    ("UNKNOWN_ERROR", -1000, 400, "{detail}"),
    ("TOO_MANY_REQUESTS", -1003, 429, "{detail}"),
    ("SERVICE_BUSY", -1008, 503, "{detail}"),
    ("ACCESS_KEY_EMPTY", -1040, 400, "Header ACCESS-KEY is missing or empty."),
    ("ACCESS_SIGN_EMPTY", -1041, 400, "Header ACCESS-SIGN is missing or empty."),
    ("ACCESS_TIMESTAMP_EMPTY", -1042, 400, "Header ACCESS-TIMESTAMP is missing or empty."),
    ("INVALID_ACCESS_TIMESTAMP", -1043, 400, "Header ACCESS-TIMESTAMP is invalid: {rule}."),
    ("INVALID_ACCESS_KEY", -1044, 400, "Header ACCESS-KEY names no valid API key."),
    ("INVALID_CONTENT_TYPE", -1045, 400, "Header Content-Type is invalid: {rule}."),
    ("ACCESS_TIMESTAMP_EXPIRED", -1046, 400, "{detail}"),
    ("API_AUTH_ERROR", -1047, 400, "{detail}"),
    ("REQUEST_REPEATED", -1048, 400, "{detail}"),
    ("API_KEY_OR_PASSPHRASE_INCORRECT", -1049, 400, "{detail}"),
    ("USER_STATUS_FORBIDDEN", -1050, 400, "The account's state forbids this."),
    ("PERMISSION_DENIED", -1051, 403, "Permission denied."),
    ("INSUFFICIENT_PERMISSIONS", -1052, 403, "The API key lacks the permission {name}."),
    ("PERMISSION_VALIDATION_FAILED", -1053, 403, "The permission check failed."),
    ("SYSTEM_ERROR", -1054, 400, "{detail}"),
    ("USER_AUTH_NOT_SAFE", -1055, 400, "The account has no second factor."),
    ("ILLEGAL_IP", -1056, 400, "Address {name} is not on the API key's list."),
    ("USER_LOCKED", -1057, 400, "The account is frozen."),
    (
        "NO_PERMISSION_TRADE_PAIR",
        -1058,
        400,
        "Parameter 'symbol' is not tradable over the interface; apiTradingSymbols lists what is.",
    ),
    ("INVALID_TIME_IN_FORCE", -1115, 400, "Parameter 'timeInForce' is invalid: {rule}."),
    ("INVALID_ORDER_TYPE", -1116, 400, "Parameter 'type' is invalid: {rule}."),
    ("INVALID_SIDE", -1117, 400, "Parameter 'side' is invalid: {rule}."),
    ("INVALID_SYMBOL", -1121, 400, "Parameter '{name}' is invalid: no such symbol."),
    ("INVALID_PARAM_COMBINATION", -1128, 400, "{detail}"),
    ("INVALID_JSON", -1135, 400, "The body is not valid JSON: {rule}."),
    ("PARAM_VALIDATE_ERROR", -1140, 400, "Parameter '{name}' is out of range: {rule}."),
    ("PARAM_EMPTY", -1141, 400, "Parameter '{name}' cannot be empty."),
    ("PARAM_ERROR", -1142, 400, "Parameter '{name}' is invalid: {rule}."),
    ("REQUEST_METHOD_NOT_SUPPORTED", -1150, 400, "{detail}"),
    ("DECIMAL_PRECISION_ERROR", -1160, 400, "Parameter '{name}' is too precise: {rule}."),
    ("QUERY_TIME_OUT_OF_RANGE", -1170, 400, "Parameter '{name}' is out of range: {rule}."),
    ("START_TIME_AFTER_END_TIME", -1171, 400, "Parameter '{name}' is after '{rule}'."),
    ("CLIENT_OID_LENGTH_ERROR", -1180, 400, "Parameter '{name}' is invalid: {rule}."),
    ("FORBIDDEN_ACCESS", -1190, 403, "{detail}"),
    ("SPOT_SYMBOL_NOT_EXIST", -2007, 400, "Parameter '{name}' is invalid: no such spot symbol."),
    ("SPOT_ORDER_NOT_EXIST", -2200, 400, "order not found"),
    ("CONTRACT_UNITS_NOT_SUPPORTED", -3006, 400, "The contract does not take contract units."),
    ("CONTRACT_QUANTITY_EXCEEDED", -3007, 400, "Parameter '{name}' is out of range: {rule}."),
    ("CONTRACT_ORDER_NOT_EXIST", -3200, 400, "order not found"),
    ("CONTRACT_NO_PERMISSION_TRADE_PAIR", -3235, 400, "Parameter 'symbol' is not tradable here."),
    ("CONTRACT_NO_PERMISSION_API", -3236, 400, "The contract is not open to API keys."),
    ("CONTRACT_LEVERAGE_ERROR", -3313, 400, "Parameter '{name}' is out of range: {rule}."),
    ("TOKEN_NOT_SUPPORTED", -3613, 400, "The asset is not supported for this symbol."),
    ("BROKER_SYSTEM_ERROR", -4000, 400, "{detail}"),
    ("BROKER_UNKNOWN_ERROR", -4001, 400, "{detail}"),
    ("NOT_BROKER_ACCOUNT", -4002, 400, "The account is not a broker's."),
)
ROWS: Final = tuple(ErrorRow(*row) for row in _TABLE)
REQUEST_REPEATED: Final = -1048
LEVERAGE_ERROR: Final = -3313
PARAMETERS: Final = range(-1199, -1099)  # codes of refused parameters
BY_CODE: Final = {row.code: row for row in ROWS}


class ApiError(Exception):
    """A refusal at the edge: code (negative), HTTP status, message, seconds to wait if any.

    `item_code` is its textual code as an item of a batch; the row's name unless said otherwise.
    """

    def __init__(
        self,
        code: int,
        message: str,
        status: int = 400,
        retry_after: int | None = None,
        item_code: str = "",
    ) -> None:
        super().__init__(message)
        self.item_code = item_code or BY_CODE[code].name
        self.code = code
        self.message = message
        self.status = status
        self.retry_after = retry_after

    def body(self) -> bytes:
        """Return the JSON body; 418, 429 and 5xx say `message`, so that stock clients back off."""
        return body(self.status, self.code, self.message)


def add_words(problem: ApiError, words: str) -> ApiError:
    """Return the refusal of a parameter with more words, once; any other as it is."""
    of_parameter = problem.code in PARAMETERS or problem.code == LEVERAGE_ERROR
    if not words or not of_parameter or problem.message.endswith(words):
        return problem
    told, code = problem.message + words, problem.code
    return ApiError(code, told, problem.status, problem.retry_after, problem.item_code)


def body(status: int, code: int, message: str) -> bytes:
    """Return the JSON body of an error with this HTTP status."""
    word = "message" if status in (418, 429) or status >= 500 else "msg"
    return msgspec.json.encode({"code": code, word: message})


def unknown_path(path: str, time: str, words: str) -> bytes:
    """Return the body of a 404; `time` is RFC 3339 text, `words` say what the caller may have
    meant."""
    told = {"message": words} if words else {}
    return msgspec.json.encode(
        {"timestamp": time, "status": 404, "error": "Not Found", "path": path} | told
    )


def quote_value(value: object) -> str:
    """Return an offending value for a message: quoted, escaped to ASCII, cut to 64 characters."""
    text = value if isinstance(value, str) else str(value)
    # Cut before escaping too: the value may be megabytes long.
    escaped = ascii(text[: SHOWN_LENGTH_MAX + 1])[1:-1]
    if len(escaped) > SHOWN_LENGTH_MAX:
        escaped = escaped[: SHOWN_LENGTH_MAX - 3] + "..."
    return f"'{escaped}'"


def error(
    code: int, *, name: str = "", rule: str = "", detail: str = "", item_code: str = ""
) -> ApiError:
    """Return the row's error with its message filled in. KeyError: no row has this code."""
    row = BY_CODE[code]
    message = row.message.format(name=name, rule=rule.rstrip("."), detail=detail)
    return ApiError(code, message, row.status, None, item_code)


# -- parameters -----------------------------------------------------------------------------------


def missing(name: str, unused: Sequence[str] = ()) -> ApiError:
    """Refuse a parameter that must be there; the request's `unused` ones were perhaps meant for
    it."""
    problem = error(-1141, name=name)
    if unused:
        named = ", ".join(quote_value(one) for one in unused[:UNUSED_SHOWN_MAX])
        problem.message += f" Of no use here: {named}."
    return problem


def invalid(name: str, rule: str) -> ApiError:
    return error(-1142, name=name, rule=rule)


def not_there(name: str, rule: str) -> ApiError:
    """Refuse a path that names something of the operator's that is not there: HTTP 404."""
    problem = error(-1142, name=name, rule=rule)
    problem.status = 404
    return problem


def out_of_range(name: str, rule: str, item_code: str = "") -> ApiError:
    return error(-1140, name=name, rule=rule, item_code=item_code)


def either(*names: str) -> ApiError:
    """Refuse a request that has none of these parameters, of which it needs one."""
    listed = " or ".join(f"'{name}'" for name in names)
    return ApiError(-1140, f"Either parameter {listed} must be sent.")


def precision(name: str, rule: str) -> ApiError:
    return error(-1160, name=name, rule=rule)


def not_json(rule: str) -> ApiError:
    return error(-1135, rule=rule)


def content_type(rule: str = "must be application/json") -> ApiError:
    return error(-1045, rule=rule)


def combination(first: str, second: str) -> ApiError:
    return error(-1128, detail=f"Parameters '{first}' and '{second}' exclude each other.")


def time_order(start: str = "startTime", end: str = "endTime") -> ApiError:
    return error(-1171, name=start, rule=end)


def bad_side() -> ApiError:
    return error(-1117, rule="must be BUY or SELL")


def bad_type() -> ApiError:
    return error(-1116, rule="must be LIMIT or MARKET")


def bad_time_in_force() -> ApiError:
    return error(-1115, rule="must be GTC, IOC, FOK or POST_ONLY")


def bad_client_id(name: str, rule: str) -> ApiError:
    return error(-1180, name=name, rule=rule)


# -- the request as a whole -----------------------------------------------------------------------


def method_not_supported(method: str) -> ApiError:
    return error(-1150, detail=f"Request method {quote_value(method)} not supported")


def operation_closed(method: str, setting: str) -> ApiError:
    """Refuse an operation that a setting, an option or the kind of the venue keeps closed."""
    refused = method_not_supported(method)
    if setting == PRACTICE:
        told = "a practice venue (`venue dev`) has this operation, and this venue is real"
    elif setting.startswith("--"):
        told = f"the option {setting} of `venue dev` keeps it closed"
    else:
        told = f"the setting {setting} is false; --batch-place opens it"
    return error(-1150, detail=f"{refused.message}; {told}")


def no_operator(reason: str) -> ApiError:
    """Refuse a caller who is no operator of this venue."""
    refused = error(-1051)
    return ApiError(refused.code, f"{refused.message[:-1]}: {reason}.", refused.status)


def not_permitted(permission: str) -> ApiError:
    return error(-1052, name=permission)


def failed_precondition(reason: str, item_code: str = "") -> ApiError:
    """Return a refusal by the engine, in the envelope stock clients know (rulebook 11)."""
    return error(-1054, detail=f"FAILED_PRECONDITION: {reason}", item_code=item_code)


def spot_symbol_unknown(name: str = "symbol", told: str = "") -> ApiError:
    """Refuse a symbol that no spot market has; `told` says which are listed, if anything."""
    return _unknown(-2007, name, told)


def symbol_unknown(name: str = "symbol", told: str = "") -> ApiError:
    """Refuse a symbol that no contract has; `told` says which are listed, if anything."""
    return _unknown(-1121, name, told)


def _unknown(code: int, name: str, told: str) -> ApiError:
    message = BY_CODE[code].message.format(name=name)
    return ApiError(code, f"{message.rstrip('.')}; {told}." if told else message)


def spot_order_unknown() -> ApiError:
    return error(-2200)


def too_many_requests(detail: str, retry_after: int) -> ApiError:
    return ApiError(-1003, detail, 429, retry_after)


def busy(detail: str, retry_after: int = 1) -> ApiError:
    """Refused before any effect: safe to send again."""
    return ApiError(-1008, detail, 503, retry_after)


def internal() -> ApiError:
    """Our defect: the outcome is unknown to the caller."""
    return ApiError(-1000, "Internal error; the outcome is unknown.", 500, 1)
