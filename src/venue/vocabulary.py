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


class PositionSide(IntEnum):
    """The side of a position; the value is its sign."""

    LONG = 1
    SHORT = -1


class MarginMode(IntEnum):
    CROSSED = 0
    ISOLATED = 1


class SeparatedMode(IntEnum):
    """COMBINED: one position per side; SEPARATED: every opening order is its own position."""

    COMBINED = 0
    SEPARATED = 1


class PriceSource(IntEnum):
    """The price that a conditional order waits for; the wire's `workingType`."""

    CONTRACT_PRICE = 0
    MARK_PRICE = 1


class AlgoType(IntEnum):
    """The kinds of conditional orders (rule 8.1)."""

    STOP = 0
    STOP_MARKET = 1
    TAKE_PROFIT = 2
    TAKE_PROFIT_MARKET = 3
    TRAILING_STOP_MARKET = 4


class AlgoStatus(IntEnum):
    UNTRIGGERED = 0
    TRIGGERED = 1
    CANCELED = 2
    EXPIRED = 3


class Cause(IntEnum):
    """Why a contract order or trade came to be."""

    USER = 0
    CLOSE = 1
    TRIGGER = 2
    LIQUIDATION = 3
    UNWIND = 4  # the insurance fund reduces positions that it took over
    TAKEOVER = 5  # a trade outside the book: the fund takes a position at its bankruptcy price
    DELEVERAGE = 6  # a trade outside the book: an opposite position takes it
    COPY = 7  # a follower's order: its lead opened or closed
    OPERATOR = 8  # an order's end: its owner was frozen, its contract changed or delisted
    DELISTING = 9  # a trade outside the book: a delisted contract settles at its named price


class AdlPolicy(IntEnum):
    """The order in which owners are deleveraged (rule 7.5)."""

    QUEUE = 0
    PRO_RATA = 1


class CopyLeverage(IntEnum):
    """Where the leverage of a copied position comes from (rule 9.4)."""

    FIXED = 0
    TRADER = 1
    SPECIFY = 2


class IncomeType(StrEnum):
    """Why a pool's collateral moved (interface 4.2)."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"
    TRANSFER_IN = "transfer_in"
    TRANSFER_OUT = "transfer_out"
    MARGIN_MOVE_IN = "margin_move_in"
    MARGIN_MOVE_OUT = "margin_move_out"
    POSITION_OPEN_LONG = "position_open_long"
    POSITION_OPEN_SHORT = "position_open_short"
    POSITION_CLOSE_LONG = "position_close_long"
    POSITION_CLOSE_SHORT = "position_close_short"
    POSITION_FUNDING = "position_funding"
    ORDER_FILL_FEE_INCOME = "order_fill_fee_income"
    ORDER_LIQUIDATE_FEE_INCOME = "order_liquidate_fee_income"
    START_LIQUIDATE = "start_liquidate"
    FINISH_LIQUIDATE = "finish_liquidate"
    ORDER_FIX_MARGIN_AMOUNT = "order_fix_margin_amount"
    TRACKING_FOLLOW_PAY = "tracking_follow_pay"
    TRACKING_SYSTEM_PRE_RECEIVE = "tracking_system_pre_receive"
    TRACKING_FOLLOW_BACK = "tracking_follow_back"
    TRACKING_TRADER_INCOME = "tracking_trader_income"
    TRACKING_THIRD_PARTY_SHARE = "tracking_third_party_share"


class TransferReason(StrEnum):
    """The purpose of an income item's transfer (interface 2.4)."""

    UNKNOWN_TRANSFER_REASON = "UNKNOWN_TRANSFER_REASON"
    USER_TRANSFER = "USER_TRANSFER"
    INCREASE_CONTRACT_CASH_GIFT = "INCREASE_CONTRACT_CASH_GIFT"
    REDUCE_CONTRACT_CASH_GIFT = "REDUCE_CONTRACT_CASH_GIFT"
    REFUND_X_DISCOUNT_FEE = "REFUND_X_DISCOUNT_FEE"


class Product(IntEnum):
    SPOT = 0
    CONTRACT = 1


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
    """The permission that a key needs to call an operation."""

    PUBLIC = 0
    READ = 1
    SPOT_TRADE = 2
    CONTRACT_TRADE = 4
    OPERATOR = 8
    COPY_TRADE = 16  # a lead trader's: close at market and set exits, nothing else


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
    OWNER_RESERVED = 39
    REFERENCE_USED = 40
    # contracts: `POSITION_SIDE` is checked after the time in force, `NO_MARK` before the price band
    POSITION_SIDE = 50
    POSITION_ID_MISSING = 51
    POSITION_UNKNOWN = 52
    NO_MARK = 53
    POSITION_MAX = 54
    OPEN_INTEREST_MAX = 55
    NOTHING_TO_CLOSE = 56
    LEVERAGE = 57
    MODE_IN_USE = 58
    NOT_ISOLATED = 59
    TRIGGER_PRICE = 60
    WOULD_TRIGGER = 61
    ALGO_ORDERS_SYMBOL = 62
    ALGO_ORDERS_ACCOUNT = 63
    ALGO_UNKNOWN = 64
    CALLBACK_RATE = 65
    PRICE_DOUBT = 67
    POSITIONS_SYMBOL = 68
    POSITIONS_ACCOUNT = 69
    PLAN_FAULT = 71
    CONTRACT_UNSAFE = 72
    OWNER_SHARE = 73
    FORMER_TIERS = 74
    DELISTED = 75
    SETTLE_PRICE = 76
    CONTRACT_DEAR = 77
    LEVERAGE_SIZE = 78
    MARKET_HOURS = 79
    # cancel-all-after
    TIMEOUT = 70
    # affiliates
    CODE_USED = 90
    NO_AFFILIATE = 91
    INVITED_ALREADY = 92
    RECEIVER_UNKNOWN = 96
    RECEIVER_SELF = 97
    # articles and banners
    CONTENT_FULL = 98
    CONTENT_UNKNOWN = 99
    # fee tiers
    FEE_TIERS = 110
    # copy trading
    LEAD_UNKNOWN = 80
    LEAD_CLOSED = 81
    FOLLOW_SELF = 82
    FOLLOW_CHAIN = 83
    LEAD_FULL = 84
    FOLLOWS_MAX = 85
    COPY_SETTINGS = 86
    NOT_FOLLOWING = 87
    COPY_UNKNOWN = 88
    COPY_SMALL = 89
    COPY_LOSS = 93
    LEAD_ASSET = 94
    THIRD_PARTY = 95
    # states kept under names
    STATE_UNKNOWN = 100
    STATES_MAX = 101


# The members that the core compares on the path of an order, as literals: the compiled core folds
# them. A test compares them with the vocabularies above.
ACCESS_COPY_TRADE: Final = 16
ACCESS_READ: Final = 1
COIN: Final = "COIN"  # the underlying of a contract that is not of a traditional market
UNDERLYINGS: Final = (COIN, "Stocks", "Indices", "Metals", "Forex", "Commodities", "Pre-IPO")
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

LONG: Final = 1
SHORT: Final = -1
CROSSED: Final = 0
ISOLATED: Final = 1
COMBINED: Final = 0
SEPARATED: Final = 1

ADL_QUEUE: Final = 0
ALGO_CANCELED: Final = 2
ALGO_EXPIRED: Final = 3
ALGO_TRIGGERED: Final = 1
ALGO_UNTRIGGERED: Final = 0
ALGO_STOP: Final = 0
ALGO_STOP_MARKET: Final = 1
ALGO_TAKE_PROFIT: Final = 2
ALGO_TAKE_PROFIT_MARKET: Final = 3
ALGO_TRAILING_STOP_MARKET: Final = 4
ALGOS_AT_PRICE: Final = (ALGO_STOP, ALGO_TAKE_PROFIT)  # those with a price of their own
BILL_ORDER_FILL_FEE_INCOME: Final = "order_fill_fee_income"
BILL_TRADE_IN: Final = "trade_in"
BILL_TRADE_OUT: Final = "trade_out"
CAUSE_CLOSE: Final = 1
CAUSE_COPY: Final = 7
CAUSE_DELEVERAGE: Final = 6
CAUSE_DELISTING: Final = 9
CAUSE_LIQUIDATION: Final = 3
CAUSE_OPERATOR: Final = 8
CAUSE_TAKEOVER: Final = 5
CAUSE_TRIGGER: Final = 2
CAUSE_UNWIND: Final = 4
CAUSE_USER: Final = 0
# of trades that are in no book
CAUSES_OUTSIDE: Final = (CAUSE_TAKEOVER, CAUSE_DELEVERAGE, CAUSE_DELISTING)
# of trades that are a liquidation's
CAUSES_LIQUIDATING: Final = (CAUSE_LIQUIDATION, CAUSE_TAKEOVER, CAUSE_DELEVERAGE)
LEVERAGE_FIXED: Final = 0
LEVERAGE_TRADER: Final = 1
INCOME_FINISH_LIQUIDATE: Final = "finish_liquidate"
INCOME_MARGIN_MOVE_IN: Final = "margin_move_in"
INCOME_MARGIN_MOVE_OUT: Final = "margin_move_out"
INCOME_ORDER_FILL_FEE_INCOME: Final = "order_fill_fee_income"
INCOME_ORDER_FIX_MARGIN_AMOUNT: Final = "order_fix_margin_amount"
INCOME_ORDER_LIQUIDATE_FEE_INCOME: Final = "order_liquidate_fee_income"
INCOME_POSITION_CLOSE_LONG: Final = "position_close_long"
INCOME_POSITION_CLOSE_SHORT: Final = "position_close_short"
INCOME_POSITION_FUNDING: Final = "position_funding"
INCOME_POSITION_OPEN_LONG: Final = "position_open_long"
INCOME_POSITION_OPEN_SHORT: Final = "position_open_short"
INCOME_START_LIQUIDATE: Final = "start_liquidate"
INCOME_TRACKING_FOLLOW_BACK: Final = "tracking_follow_back"
INCOME_TRACKING_FOLLOW_PAY: Final = "tracking_follow_pay"
INCOME_TRACKING_SYSTEM_PRE_RECEIVE: Final = "tracking_system_pre_receive"
INCOME_TRACKING_THIRD_PARTY_SHARE: Final = "tracking_third_party_share"
INCOME_TRACKING_TRADER_INCOME: Final = "tracking_trader_income"
INCOME_TRANSFER_IN: Final = "transfer_in"
INCOME_TRANSFER_OUT: Final = "transfer_out"
MARK_PRICE: Final = 1
PRODUCT_CONTRACT: Final = 1
PRODUCT_SPOT: Final = 0
REASON_INCREASE_CONTRACT_CASH_GIFT: Final = "INCREASE_CONTRACT_CASH_GIFT"
REASON_REDUCE_CONTRACT_CASH_GIFT: Final = "REDUCE_CONTRACT_CASH_GIFT"
REASON_REFUND_X_DISCOUNT_FEE: Final = "REFUND_X_DISCOUNT_FEE"
REASON_UNKNOWN_TRANSFER_REASON: Final = "UNKNOWN_TRANSFER_REASON"
REASON_USER_TRANSFER: Final = "USER_TRANSFER"
WALLET_CONTRACT: Final = 1
WALLET_FUNDING: Final = 2
WALLET_SPOT: Final = 0

ALGO_ORDERS_PER_SYMBOL_MAX: Final = 50
ALGO_ORDERS_PER_ACCOUNT_MAX: Final = 200
OPEN_ORDERS_PER_SYMBOL_MAX: Final = 200
POSITIONS_PER_SYMBOL_MAX: Final = 200  # of an owner, where every opening order makes its own
POSITIONS_PER_ACCOUNT_MAX: Final = 1_000
OPEN_ORDERS_PER_ACCOUNT_MAX: Final = 1_000
CANCEL_AFTER_MIN_S: Final = 5
CANCEL_AFTER_MAX_S: Final = 86_400
CLIENT_ID_MEMORY_US: Final = 24 * 3600 * 1_000_000
CLIENT_IDS_PER_OWNER_MAX: Final = 100_000  # of a product's; an owner's oldest go first
FEE_TIERS_MAX: Final = 10  # of a table of fees by volume
CLIENT_IDS_ENDED_MAX: Final = 500_000  # ended orders whose client ids are kept, oldest go first
