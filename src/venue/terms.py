"""The closed vocabularies of the field. Members of `Reject` stand in the order they are checked."""

from enum import IntEnum, StrEnum
from typing import Final


class Side(IntEnum):
    BUY = 0
    SELL = 1


class OrderType(IntEnum):
    LIMIT = 0
    MARKET = 1


class TimeInForce(IntEnum):
    GTC = 0
    IOC = 1
    FOK = 2
    POST_ONLY = 3


class OrderStatus(IntEnum):
    NEW = 0
    PARTIALLY_FILLED = 1
    FILLED = 2
    CANCELED = 3
    EXPIRED = 4


class SelfTrade(IntEnum):
    """Self-trade prevention: which order ends when both sides belong to one owner (rule 3.7)."""

    NONE = 0
    EXPIRE_TAKER = 1
    EXPIRE_MAKER = 2
    EXPIRE_BOTH = 3


class Wallet(IntEnum):
    SPOT = 0
    CONTRACT = 1
    FUNDING = 2


class BillKind(StrEnum):
    """Why an owner's wallet moved (rule 4.4); the wire's `bizType`."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"
    TRANSFER_IN = "transfer_in"
    TRANSFER_OUT = "transfer_out"
    TRADE_IN = "trade_in"
    TRADE_OUT = "trade_out"
    ORDER_FILL_FEE_INCOME = "order_fill_fee_income"
    ORDER_LIQUIDATE_FEE_INCOME = "order_liquidate_fee_income"


class Access(IntEnum):
    """What a key must be allowed to do to call an operation."""

    PUBLIC = 0
    READ = 1
    SPOT_TRADE = 2
    CONTRACT_TRADE = 4
    OPERATOR = 8


class Reject(IntEnum):
    """Expected refusals, in the order they are checked (rule 3.1): the first failure wins."""

    OWNER_UNKNOWN = 1
    CLIENT_ID_USED = 2
    ACCOUNT_FROZEN = 3
    SYMBOL_UNKNOWN = 4
    HALTED = 5
    SIDE = 6
    TYPE = 7
    TIME_IN_FORCE = 8
    QUANTITY_MIN = 9
    QUANTITY_MAX = 10
    PRICE = 11
    NOTIONAL_MAX = 12
    PRICE_BAND = 13
    MARKET_SIZE = 14
    OPEN_ORDERS_SYMBOL = 15
    OPEN_ORDERS_ACCOUNT = 16
    NO_LIQUIDITY = 17
    WOULD_TRADE = 18
    FUNDS = 19
    ORDER_UNKNOWN = 20
    # operator commands
    OWNER_NAME_USED = 30
    ASSET_UNKNOWN = 31
    ASSET_LISTED = 32
    AMOUNT = 33
    SUPPLY_MAX = 34
    WALLETS_EQUAL = 35
    SYMBOL_LISTED = 36
    INSTRUMENT_INVALID = 37
    FEE_RATE = 38


# The members that the core compares on the path of an order, as literals: the compiled core folds
# them. A test compares them with the vocabularies above.
BUY: Final = 0
SELL: Final = 1
LIMIT: Final = 0
MARKET: Final = 1
GTC: Final = 0
IOC: Final = 1
FOK: Final = 2
POST_ONLY: Final = 3
NEW: Final = 0
PARTIALLY_FILLED: Final = 1
FILLED: Final = 2
CANCELED: Final = 3
EXPIRED: Final = 4
NO_PREVENTION: Final = 0
EXPIRE_TAKER: Final = 1
EXPIRE_MAKER: Final = 2

OPEN_ORDERS_PER_SYMBOL_MAX: Final = 200
OPEN_ORDERS_PER_ACCOUNT_MAX: Final = 1_000
CLIENT_ID_MEMORY_US: Final = 24 * 3600 * 1_000_000
CLIENT_IDS_ENDED_MAX: Final = 500_000  # ended orders whose client ids are kept, oldest go first
