"""The kinds of fields a request may have, as annotated types: read by the decoder and OpenAPI."""

import decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from msgspec import Meta

from venue.vocabulary import (
    CANCEL_AFTER_MAX_S,
    CANCEL_AFTER_MIN_S,
    AlgoType,
    CopyLeverage,
    IncomeType,
    MarginMode,
    PositionSide,
    PriceSource,
    SeparatedMode,
    TransferReason,
)

DECIMAL_PATTERN: Final = r"^[0-9]{1,18}(\.[0-9]{1,18}0*)?$"
CLIENT_ID_PATTERN: Final = r"^[.A-Z:/a-z0-9_-]{1,40}$"
CONTRACT_CLIENT_ID_PATTERN: Final = r"^[.A-Z:/a-z0-9_-]{1,36}$"
GENERATED_CLIENT_ID: Final = "v-%d"  # stands for the client id that an order's client left out
ID_MAX: Final = 2**63 - 1
TIME_MAX_MS: Final = 10**13 - 1
PAGE_MAX: Final = 100_000
REACH_MAX: Final = 10**7  # page x size of a list
BATCH_PLACE_MAX: Final = 10
BATCH_CANCEL_MAX: Final = 50
CONTRACT_BATCH_MAX: Final = 10  # orders placed or canceled at once
LEVERAGE_MAX: Final = 500
SYMBOLS_MAX: Final = 100
UIDS_MAX: Final = 100
PAGES: Final = ("page", "pageIndex", "pageNum")  # the names of a list's page
SIZES: Final = ("limit", "pageSize")  # and of how many items a page has
ARTICLE_LENGTH_MAX: Final = 10_000
ADDRESS_PATTERN: Final = r"^https?://[^ ]+$"
COUNTDOWN_ALLOWED: Final = f"0, or {CANCEL_AFTER_MIN_S} to {CANCEL_AFTER_MAX_S}"
Money: TypeAlias = str | int | decimal.Decimal  # an amount as callers of a client may give it


class Kind(StrEnum):
    """How a field's text is read; numbers come as JSON numbers or as their digits in a string."""

    SYMBOL = "symbol"
    SYMBOLS = "symbols"
    SIDE = "side"
    TYPE = "type"
    TIME_IN_FORCE = "timeInForce"
    DECIMAL = "decimal"
    RATE = "rate"
    CLIENT_ID = "clientId"
    CLIENT_IDS = "clientIds"
    CONTRACT_CLIENT_ID = "contractClientId"
    CONTRACT_CLIENT_IDS = "contractClientIds"
    ALGO_TYPE = "algoType"
    LEVERAGE = "leverage"
    INTEGER = "integer"
    IDS = "ids"
    UIDS = "uids"
    CHOICE = "choice"
    CHOICES = "choices"
    TEXT = "text"
    TEXTS = "texts"
    LINES = "lines"
    FLAG = "flag"
    OBJECT = "object"
    OBJECTS = "objects"
    COUNTDOWN = "countdown"
    SYMBOL_OR_ALL = "symbolOrAll"
    ID_OR_ALL = "idOrAll"


def _meta(kind: Kind) -> dict[str, str]:
    return {"kind": kind.value}


def batch_of(most: int) -> Meta:
    """Return the bound on a list of objects, each decoded by the handler: how many a request may
    have."""
    return Meta(min_length=1, max_length=most, extra=_meta(Kind.OBJECTS))


def _choice(names: list[str]) -> Meta:
    return Meta(extra=_meta(Kind.CHOICE), extra_json_schema={"enum": names})


Symbol = Annotated[str, Meta(extra=_meta(Kind.SYMBOL), examples=["BTCUSDT"])]
# Of operations that cancel or close: absence means all, and must not come of an empty variable.
SymbolOrAll = Annotated[
    str,
    Meta(
        min_length=1,
        extra=_meta(Kind.SYMBOL_OR_ALL),
        examples=["BTCUSDT"],
        description="Left out: all. Neither empty nor null.",
    ),
]
Symbols = Annotated[
    list[str],
    Meta(
        min_length=1,
        max_length=SYMBOLS_MAX,
        extra=_meta(Kind.SYMBOLS),
        description="Comma-separated values or a JSON array.",
    ),
]
SideName = Annotated[str, Meta(extra=_meta(Kind.SIDE), extra_json_schema={"enum": ["BUY", "SELL"]})]
TypeName = Annotated[
    str, Meta(extra=_meta(Kind.TYPE), extra_json_schema={"enum": ["LIMIT", "MARKET"]})
]
TimeInForceName = Annotated[
    str,
    Meta(
        extra=_meta(Kind.TIME_IN_FORCE),
        extra_json_schema={"enum": ["GTC", "IOC", "FOK", "POST_ONLY"]},
    ),
]
if TYPE_CHECKING:  # callers of a client give any of them; what was decoded is text
    Decimal: TypeAlias = Money
    Rate: TypeAlias = Money
    DecimalOrZero: TypeAlias = Money
else:
    Decimal = Annotated[str, Meta(pattern=DECIMAL_PATTERN, extra=_meta(Kind.DECIMAL))]
    Rate = Annotated[
        str,
        Meta(
            pattern=DECIMAL_PATTERN,
            extra=_meta(Kind.RATE),
            description="A fraction such as 0.001; may be 0.",
        ),
    ]
    DecimalOrZero = Annotated[
        str,
        Meta(
            pattern=DECIMAL_PATTERN,
            extra=_meta(Kind.RATE),
            description="A decimal; 0 is the same as none.",
        ),
    ]
ClientId = Annotated[str, Meta(pattern=CLIENT_ID_PATTERN, extra=_meta(Kind.CLIENT_ID))]
ClientIds = Annotated[list[str], Meta(max_length=BATCH_CANCEL_MAX, extra=_meta(Kind.CLIENT_IDS))]
Id = Annotated[int, Meta(ge=1, le=ID_MAX, extra=_meta(Kind.INTEGER))]
IdOrAll = Annotated[
    int,
    Meta(
        ge=1,
        le=ID_MAX,
        extra=_meta(Kind.ID_OR_ALL),
        description="Left out: all. Neither empty nor null.",
    ),
]
Ids = Annotated[list[int], Meta(max_length=BATCH_CANCEL_MAX, extra=_meta(Kind.IDS))]
Uids = Annotated[
    list[int],
    Meta(
        min_length=1,
        max_length=UIDS_MAX,
        extra=_meta(Kind.UIDS),
        description="Comma-separated, or each as a parameter of its own.",
    ),
]
CoinId = Annotated[int, Meta(ge=1, le=2**31 - 1, extra=_meta(Kind.INTEGER))]
TimeMs = Annotated[
    int,
    Meta(ge=10**12, le=TIME_MAX_MS, extra=_meta(Kind.INTEGER), description="Unix time, ms."),
]
Cursor = Annotated[
    int,
    Meta(
        ge=0,
        le=ID_MAX,
        extra=_meta(Kind.INTEGER),
        description="A bill id (below 10^12, or 10^15 and above) or a Unix time in ms.",
    ),
]
Countdown = Annotated[
    int,
    Meta(
        ge=0,
        le=CANCEL_AFTER_MAX_S,
        extra=_meta(Kind.COUNTDOWN),
        description=f"Seconds: {COUNTDOWN_ALLOWED}.",
    ),
]
Page = Annotated[int, Meta(ge=1, le=PAGE_MAX, extra=_meta(Kind.INTEGER))]
UpTo100 = Annotated[int, Meta(ge=1, le=100, extra=_meta(Kind.INTEGER))]
UpTo200 = Annotated[int, Meta(ge=1, le=200, extra=_meta(Kind.INTEGER))]
UpTo1000 = Annotated[int, Meta(ge=1, le=1000, extra=_meta(Kind.INTEGER))]
Depth = Annotated[str, Meta(extra=_meta(Kind.CHOICE), extra_json_schema={"enum": ["15", "200"]})]
Day = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        extra=_meta(Kind.TEXT),
        description="A day (UTC).",
        examples=["2026-01-31"],
    ),
]
Month = Annotated[str, Meta(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", extra=_meta(Kind.TEXT))]
Text = Annotated[str, Meta(max_length=128, extra=_meta(Kind.TEXT))]
Lines = Annotated[
    str,
    Meta(
        max_length=ARTICLE_LENGTH_MAX,
        extra=_meta(Kind.LINES),
        description="Text that may have several lines.",
    ),
]
Address = Annotated[
    str,
    Meta(
        max_length=256,
        pattern=ADDRESS_PATTERN,
        extra=_meta(Kind.TEXT),
        description="Begins with https:// or http://.",
    ),
]
Texts = Annotated[list[str], Meta(max_length=10, extra=_meta(Kind.TEXTS))]
SymbolTexts = Annotated[list[str], Meta(max_length=SYMBOLS_MAX, extra=_meta(Kind.TEXTS))]
Flag = Annotated[bool, Meta(extra=_meta(Kind.FLAG))]
Scale = Annotated[int, Meta(ge=0, le=18, extra=_meta(Kind.INTEGER))]
BizType = Annotated[
    str,
    Meta(
        extra=_meta(Kind.CHOICE),
        extra_json_schema={
            "enum": [
                "deposit",
                "withdraw",
                "transfer_in",
                "transfer_out",
                "trade_in",
                "trade_out",
                "order_fill_fee_income",
                "order_liquidate_fee_income",
            ]
        },
    ),
]
WalletName = Annotated[
    str,
    Meta(extra=_meta(Kind.CHOICE), extra_json_schema={"enum": ["SPOT", "CONTRACT", "FUNDING"]}),
]
Interval = Annotated[
    str,
    Meta(
        extra=_meta(Kind.CHOICE),
        extra_json_schema={
            "enum": [
                "1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M",
            ]
        },
    ),
]  # fmt: skip
SymbolStatus = Annotated[
    str, Meta(extra=_meta(Kind.CHOICE), extra_json_schema={"enum": ["TRADING", "HALT", "BREAK"]})
]
Permissions = Annotated[
    list[str],
    Meta(
        extra=_meta(Kind.CHOICES),
        extra_json_schema={
            "items": {"enum": ["READ", "SPOT_TRADE", "CONTRACT_TRADE", "COPY_TRADE"]}
        },
    ),
]

# -- contracts ------------------------------------------------------------------------------------

ContractClientId = Annotated[
    str, Meta(pattern=CONTRACT_CLIENT_ID_PATTERN, extra=_meta(Kind.CONTRACT_CLIENT_ID))
]
ContractClientIds = Annotated[
    list[str], Meta(max_length=CONTRACT_BATCH_MAX, extra=_meta(Kind.CONTRACT_CLIENT_IDS))
]
ContractIds = Annotated[list[int], Meta(max_length=CONTRACT_BATCH_MAX, extra=_meta(Kind.IDS))]
AlgoTypeName = Annotated[
    str,
    Meta(
        extra=_meta(Kind.ALGO_TYPE),
        extra_json_schema={"enum": [kind.name for kind in AlgoType]},
    ),
]
Leverage = Annotated[
    int,
    Meta(
        ge=1,
        le=LEVERAGE_MAX,
        extra=_meta(Kind.LEVERAGE),
        description="A whole number, up to the symbol's own maximum; 20.00 is 20.",
    ),
]
PositionSideName = Annotated[str, _choice([side.name for side in PositionSide])]
MarginTypeName = Annotated[str, _choice([mode.name for mode in MarginMode])]
SeparatedTypeName = Annotated[str, _choice([mode.name for mode in SeparatedMode])]
WorkingTypeName = Annotated[str, _choice([source.name for source in PriceSource])]
PlanTypeName = Annotated[str, _choice(["TAKE_PROFIT", "STOP_LOSS"])]
IncomeTypeName = Annotated[str, _choice([kind.value for kind in IncomeType])]
TransferReasonName = Annotated[str, _choice([reason.value for reason in TransferReason])]
CandlePrice = Annotated[str, _choice(["LAST", "INDEX", "MARK"])]
ReferencePrice = Annotated[str, _choice(["INDEX", "MARK"])]
MarginChange = Annotated[
    int,
    Meta(ge=1, le=2, extra=_meta(Kind.INTEGER), description="1 adds margin, 2 takes some out."),
]
AfterId = Annotated[
    int,
    Meta(ge=0, le=ID_MAX, extra=_meta(Kind.INTEGER), description="Only ids greater than this."),
]
FromId = Annotated[
    int,
    Meta(
        ge=1,
        le=ID_MAX,
        extra=_meta(Kind.INTEGER),
        description="This venue's own: only fills with this id or a greater one, the oldest first.",
    ),
]
PageFrom0 = Annotated[int, Meta(ge=0, le=PAGE_MAX, extra=_meta(Kind.INTEGER))]

# -- copy trading ---------------------------------------------------------------------------------

CopyModeName = Annotated[str, _choice(["unified", "per_symbol"])]
CopyTraceName = Annotated[str, _choice(["percent", "amount"])]
CopyMarginName = Annotated[str, _choice(["cross", "isolated", "trader"])]
CopyLeverageName = Annotated[str, _choice([kind.name.lower() for kind in CopyLeverage])]
