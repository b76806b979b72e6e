"""A contract's life as the engine would state it, made by hand, and the history rows it must give.

Alice is long, Bob short; a stop reduces Alice, a liquidation ends her position in the book, with
the fund and with Bob. One lot at one tick is 100 atoms.
"""

from __future__ import annotations

from typing import Any, Final

from support.world import BTCUSDT, BUY, GTC, IOC, LIMIT, MARKET, SELL
from venue.core.instruments import Asset, Contract, Tier
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Tick
from venue.core.messages.contract_events import (
    AlgoChanged,
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    AutoMarginSet,
    ClosedAtMarket,
    ContractChanged,
    ContractListed,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Deleveraged,
    FundingDue,
    FundingSettled,
    FundingSkipped,
    Income,
    Leg,
    LeverageSet,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.events import AssetRegistered, Event, Rejected
from venue.vocabulary import AlgoStatus, AlgoType, Cause, OrderStatus, PriceSource, Reject

ASSETS: Final = [Asset("USDT", 1, 8), Asset("BTC", 2, 8)]
PERP: Final = Contract(
    instrument=BTCUSDT,
    leverage_max=100,
    position_max=1_000,
    open_interest_max=10_000,
    tiers=[Tier(10**12, 100, 5_000)],
)
SYMBOL: Final = "BTCUSDT"
ALICE, BOB, FEES, FUND = 10_000_001, 10_000_002, 1, 2
LONG, SHORT = 1, -1
N: Final = 10**15  # the first id of every counter
MINUTE: Final = 60_000_000
# Ids: orders, conditional orders, positions and liquidations share one counter.
FIRST, SOLD, SOLD_MORE, EXIT, COVER, STOPPED, BID = (N + i for i in range(7))
LONG_ID, SHORT_ID, FUND_ID = N + 10, N + 11, N + 12
STOP, PROFIT, REFUSED, WAITING, TRAILING = (N + 20 + i for i in range(5))
FALL: Final = N + 30
SWEPT: Final = N + 31

PARTLY, FILLED, CANCELED, NEW = (
    int(OrderStatus.PARTIALLY_FILLED),
    int(OrderStatus.FILLED),
    int(OrderStatus.CANCELED),
    int(OrderStatus.NEW),
)
USER, TRIGGER, LIQUIDATION = int(Cause.USER), int(Cause.TRIGGER), int(Cause.LIQUIDATION)
TAKEOVER, DELEVERAGE = int(Cause.TAKEOVER), int(Cause.DELEVERAGE)
STOP_MARKET, TAKE_PROFIT = int(AlgoType.STOP_MARKET), int(AlgoType.TAKE_PROFIT)
TRAIL, PROFIT_MARKET = int(AlgoType.TRAILING_STOP_MARKET), int(AlgoType.TAKE_PROFIT_MARKET)
LAST_PRICE, MARK_PRICE = int(PriceSource.CONTRACT_PRICE), int(PriceSource.MARK_PRICE)
UNKNOWN: Final = int(Reject.POSITION_UNKNOWN)


def _opening() -> list[tuple[int, list[Event]]]:
    """Deposits, and Bob sells to Alice's resting order in two goes."""
    return [
        (100, [*(AssetRegistered(asset) for asset in ASSETS), ContractListed(PERP)]),
        (
            200,
            [
                Income(N, ALICE, 0, "USDT", "", "deposit", 1_000_000, 1_000_000),
                Income(
                    N + 1, BOB, 0, "USDT", "", "transfer_in", 500_000, 500_000, 0, "USER_TRANSFER"
                ),
                LeverageSet(ALICE, SYMBOL, 0, 0, 10, 20, 20),
            ],
        ),
        (
            300,
            [
                ContractOrderPlaced(
                    FIRST, ALICE, SYMBOL, BUY, LONG, LIMIT, GTC, 10, 100, "a", 10, USER, 0, 0
                ),
                Rejected(Reject.FUNDS),
            ],
        ),
        (
            400,
            [
                ContractOrderPlaced(
                    SOLD, BOB, SYMBOL, SELL, SHORT, LIMIT, IOC, 4, 100, "", 0, USER, 0, 0
                ),
                ContractTrade(
                    N, SYMBOL, 100, 4, 40_000, SELL, 6, 0, USER,
                    Leg(ALICE, FIRST, LONG_ID, LONG, True, 40_000, 0, 40, -40_040, 959_960, N + 2),
                    Leg(BOB, SOLD, SHORT_ID, SHORT, True, 40_000, 0, 80, 39_920, 539_920, N + 3),
                ),
                Income(N + 4, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 120, 120),
            ],
        ),
        (
            400,
            [
                ContractOrderPlaced(
                    SOLD_MORE, BOB, SYMBOL, SELL, SHORT, LIMIT, IOC, 8, 100, "b", 0, USER, 0, 0
                ),
                ContractTrade(
                    N + 1, SYMBOL, 100, 6, 60_000, SELL, 0, 2, USER,
                    Leg(ALICE, FIRST, LONG_ID, LONG, True, 60_000, 0, 60, -60_060, 899_900, N + 5),
                    Leg(
                        BOB, SOLD_MORE, SHORT_ID, SHORT, True, 60_000, 0, 120, 59_880, 599_800,
                        N + 6,
                    ),
                ),
                Income(N + 7, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 180, 300),
                ContractOrderClosed(SOLD_MORE, BOB, SYMBOL, SELL, 100, CANCELED, 0, USER),
            ],
        ),
    ]  # fmt: skip


def _stopping() -> list[tuple[int, list[Event]]]:
    """Closing orders rest, conditional ones wait."""
    return [
        (
            600,
            [
                ContractOrderPlaced(
                    EXIT, ALICE, SYMBOL, SELL, LONG, LIMIT, GTC, 10, 120, "a", 10, USER, 0, LONG_ID
                ),
                ContractOrderPlaced(
                    COVER, BOB, SYMBOL, BUY, SHORT, LIMIT, GTC, 3, 94, "", 3, USER, 0, SHORT_ID
                ),
                AlgoPlaced(
                    STOP, ALICE, SYMBOL, SELL, LONG, STOP_MARKET, 3, 90, 0, MARK_PRICE, "s", False,
                    FIRST, LONG_ID, 0, 0, 0, 0, 0,
                ),
                AlgoPlaced(
                    PROFIT, ALICE, SYMBOL, SELL, LONG, PROFIT_MARKET, 0, 150, 0, LAST_PRICE, "",
                    True, FIRST, LONG_ID, 0, 0, 0, 0, 0,
                ),
                AlgoPlaced(
                    REFUSED, BOB, SYMBOL, BUY, SHORT, TAKE_PROFIT, 5, 95, 96, MARK_PRICE, "r",
                    False, 0, SHORT_ID, 0, 0, 0, 0, 0,
                ),
                AlgoPlaced(
                    WAITING, BOB, SYMBOL, BUY, LONG, STOP_MARKET, 5, 200, 0, LAST_PRICE, "w", True,
                    0, 0, 300, MARK_PRICE, 150, LAST_PRICE, 0,
                ),
                AlgoPlaced(
                    TRAILING, ALICE, SYMBOL, SELL, LONG, TRAIL, 2, 130, 0, LAST_PRICE, "t", True,
                    0, LONG_ID, 0, 0, 0, 0, 10_000,
                ),
            ],
        ),
    ]  # fmt: skip


def _stopped() -> list[tuple[int, list[Event]]]:
    """One conditional order is changed and comes, one is refused."""
    return [
        (
            700,
            [
                AlgoChanged(STOP, ALICE, SYMBOL, STOP_MARKET, 95, 0, MARK_PRICE, False, 4),
                MarkSet(SYMBOL, 0, 0, False, 0, 0),
                MarkSet(SYMBOL, 101, 100, True, 5, 10),
            ],
        ),
        (
            800,
            [
                MarkSet(SYMBOL, 93, 94, True, -5, 10),
                AlgoTriggered(STOP, ALICE, SYMBOL, 94, STOPPED, 0),
                ContractOrderReduced(EXIT, ALICE, SYMBOL, SELL, 120, 3),
                ContractOrderPlaced(
                    STOPPED, ALICE, SYMBOL, SELL, LONG, MARKET, IOC, 3, 0, "", 0, TRIGGER, STOP,
                    LONG_ID,
                ),
                ContractTrade(
                    N + 2, SYMBOL, 94, 3, 28_200, SELL, 0, 0, TRIGGER,
                    Leg(
                        BOB, COVER, SHORT_ID, SHORT, False, -30_000, 1_800, 29, -28_229, 571_571,
                        N + 8,
                    ),
                    Leg(
                        ALICE, STOPPED, LONG_ID, LONG, False, -30_000, -1_800, 57, 28_143, 928_043,
                        N + 9,
                    ),
                ),
                Income(N + 10, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 86, 386),
                AlgoTriggered(REFUSED, BOB, SYMBOL, 94, 0, UNKNOWN),
                AlgoClosed(TRAILING, ALICE, SYMBOL, int(AlgoStatus.CANCELED)),
            ],
        ),
    ]  # fmt: skip


def _falling() -> list[tuple[int, list[Event]]]:
    """Alice's last seven lots: one in the book, four to the fund, two to Bob, in two commands."""
    return [
        (
            900,
            [
                ContractOrderPlaced(
                    BID, BOB, SYMBOL, BUY, SHORT, LIMIT, GTC, 2, 90, "", 2, USER, 0, SHORT_ID
                )
            ],
        ),
        (
            MINUTE + 5,
            [
                MarkSet(SYMBOL, 89, 90, True, -5, 7),
                LiquidationStarted(FALL, ALICE, 0, "USDT", SYMBOL, 1_000, 1_200, 928_043),
                Income(N + 11, ALICE, 0, "USDT", SYMBOL, "start_liquidate", 0, 928_043),
                ContractOrderClosed(EXIT, ALICE, SYMBOL, SELL, 120, CANCELED, 7, LIQUIDATION),
                ContractOrderPlaced(
                    SWEPT, ALICE, SYMBOL, SELL, LONG, LIMIT, IOC, 7, 88, "", 0, LIQUIDATION, 0,
                    LONG_ID,
                ),
                ContractTrade(
                    N + 3, SYMBOL, 90, 1, 9_000, SELL, 1, 6, LIQUIDATION,
                    Leg(
                        BOB, BID, SHORT_ID, SHORT, False, -10_000, 1_000, 9, -9_009, 562_562,
                        N + 12,
                    ),
                    Leg(
                        ALICE, SWEPT, LONG_ID, LONG, False, -10_000, -1_000, 63, 8_937, 936_980,
                        N + 13,
                    ),
                ),
                Income(N + 14, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 27, 413),
                Income(N + 15, FUND, 0, "USDT", SYMBOL, "order_liquidate_fee_income", 45, 45),
                ContractOrderClosed(SWEPT, ALICE, SYMBOL, SELL, 88, CANCELED, 0, LIQUIDATION),
                ContractTrade(
                    N + 4, SYMBOL, 88, 4, 35_200, SELL, 0, 0, TAKEOVER,
                    Leg(
                        FUND, FALL, FUND_ID, LONG, True, 35_200, 0, 0, -35_200, -35_155, N + 16,
                    ),
                    Leg(
                        ALICE, FALL, LONG_ID, LONG, False, -40_000, -4_800, 0, 35_200, 972_180,
                        N + 17,
                    ),
                ),
                LiquidationStep(FALL, LONG_ID, SYMBOL, LONG, 90, 1, 88, 5, 1, 4, 0, 45, 800),
            ],
        ),
    ]  # fmt: skip


def _deleveraged() -> list[tuple[int, list[Event]]]:
    """The rest of it goes to Bob, in a command of its own."""
    return [
        (
            MINUTE + 10,
            [
                ContractTrade(
                    N + 5, SYMBOL, 88, 2, 17_600, SELL, 0, 0, DELEVERAGE,
                    Leg(
                        BOB, FALL, SHORT_ID, SHORT, False, -20_000, 2_400, 0, -17_600, 544_962,
                        N + 18,
                    ),
                    Leg(
                        ALICE, FALL, LONG_ID, LONG, False, -20_000, -2_400, 0, 17_600, 989_780,
                        N + 19,
                    ),
                ),
                Deleveraged(FALL, SHORT_ID, BOB, SYMBOL, 2, 88, 1, 77),
                LiquidationStep(FALL, LONG_ID, SYMBOL, LONG, 90, 0, 88, 2, 0, 0, 2, 0, 0),
                PositionClosed(
                    LONG_ID, ALICE, SYMBOL, LONG, 0, 0, 20, 10, 100_000, 100, 10, 90_000, 120, 0,
                    45, -10_000, 400,
                ),
                AlgoClosed(PROFIT, ALICE, SYMBOL, int(AlgoStatus.EXPIRED)),
                Income(N + 20, ALICE, 0, "USDT", SYMBOL, "finish_liquidate", 0, 989_780),
                LiquidationFinished(FALL, ALICE, 989_780, 0, 5, 6, 999_800),
            ],
        ),
    ]  # fmt: skip


def _paying() -> list[tuple[int, list[Event]]]:
    """Funding settled, deferred and skipped; events that history has no row for."""
    return [
        (
            2 * MINUTE,
            [
                MarkSet(SYMBOL, 90, 91, True, 0, 4),
                FundingDue(SYMBOL, 2 * MINUTE, -100, 91, 90),
                Income(N + 21, BOB, 0, "USDT", SYMBOL, "position_funding", -10, 544_952),
            ],
        ),
        (
            2 * MINUTE + 1,
            [
                Income(N + 22, FUND, 0, "USDT", SYMBOL, "position_funding", 9, -35_146),
                FundingSettled(SYMBOL, 2 * MINUTE, 2, 10, 9),
                MarkSet(SYMBOL, 95, 89, True, 0, 5),
            ],
        ),
        (5 * MINUTE, [FundingSkipped(SYMBOL, 3 * MINUTE), FundingSkipped(SYMBOL, 4 * MINUTE)]),
        (
            5 * MINUTE + 9,
            [
                FundingDue(SYMBOL, 5 * MINUTE, 7, 88, 89),
                ContractChanged(PERP),
                AutoMarginSet(BOB, SHORT_ID, True),
                ClosedAtMarket(SHORT_ID, 0, UNKNOWN),
                MarkSet(SYMBOL, 93, 92, False, 0, 6),
            ],
        ),
    ]


STORY: Final = [
    Applied(sequence, time, Tick(time), events)
    for sequence, (time, events) in enumerate(
        _opening() + _stopping() + _stopped() + _falling() + _deleveraged() + _paying(), start=1
    )
]

ROWS: Final[dict[str, list[tuple[Any, ...]]]] = {
    "contract_orders": [
        (FIRST, ALICE, SYMBOL, BUY, LONG, LIMIT, GTC, 10, 100, "a", USER, 0, 0, 300,
         10, 100_000, 0, FILLED, 400),
        (SOLD, BOB, SYMBOL, SELL, SHORT, LIMIT, IOC, 4, 100, "", USER, 0, 0, 400,
         4, 40_000, 0, FILLED, 400),
        (SOLD_MORE, BOB, SYMBOL, SELL, SHORT, LIMIT, IOC, 8, 100, "b", USER, 0, 0, 400,
         6, 60_000, 0, CANCELED, 400),
        (EXIT, ALICE, SYMBOL, SELL, LONG, LIMIT, GTC, 10, 120, "a", USER, 0, LONG_ID, 600,
         0, 0, 3, CANCELED, MINUTE + 5),
        (COVER, BOB, SYMBOL, BUY, SHORT, LIMIT, GTC, 3, 94, "", USER, 0, SHORT_ID, 600,
         3, 28_200, 0, FILLED, 800),
        (STOPPED, ALICE, SYMBOL, SELL, LONG, MARKET, IOC, 3, 0, "", TRIGGER, STOP, LONG_ID, 800,
         3, 28_200, 0, FILLED, 800),
        (BID, BOB, SYMBOL, BUY, SHORT, LIMIT, GTC, 2, 90, "", USER, 0, SHORT_ID, 900,
         1, 9_000, 0, PARTLY, MINUTE + 5),
        (SWEPT, ALICE, SYMBOL, SELL, LONG, LIMIT, IOC, 7, 88, "", LIQUIDATION, 0, LONG_ID,
         MINUTE + 5, 1, 9_000, 0, CANCELED, MINUTE + 5),
    ],
    "contract_fills": [
        (N, 0, SOLD, BOB, SYMBOL, SELL, SHORT, SHORT_ID, 100, 4, 40_000, 80, "USDT", 0, 1, USER,
         400),
        (N, 1, FIRST, ALICE, SYMBOL, BUY, LONG, LONG_ID, 100, 4, 40_000, 40, "USDT", 0, 1, USER,
         400),
        (N + 1, 0, SOLD_MORE, BOB, SYMBOL, SELL, SHORT, SHORT_ID, 100, 6, 60_000, 120, "USDT", 0, 1,
         USER, 400),
        (N + 1, 1, FIRST, ALICE, SYMBOL, BUY, LONG, LONG_ID, 100, 6, 60_000, 60, "USDT", 0, 1, USER,
         400),
        (N + 2, 0, STOPPED, ALICE, SYMBOL, SELL, LONG, LONG_ID, 94, 3, 28_200, 57, "USDT", -1_800,
         0, TRIGGER, 800),
        (N + 2, 1, COVER, BOB, SYMBOL, BUY, SHORT, SHORT_ID, 94, 3, 28_200, 29, "USDT", 1_800, 0,
         TRIGGER, 800),
        (N + 3, 0, SWEPT, ALICE, SYMBOL, SELL, LONG, LONG_ID, 90, 1, 9_000, 63, "USDT", -1_000, 0,
         LIQUIDATION, MINUTE + 5),
        (N + 3, 1, BID, BOB, SYMBOL, BUY, SHORT, SHORT_ID, 90, 1, 9_000, 9, "USDT", 1_000, 0,
         LIQUIDATION, MINUTE + 5),
        (N + 4, 0, FALL, ALICE, SYMBOL, SELL, LONG, LONG_ID, 88, 4, 35_200, 0, "USDT", -4_800, 0,
         TAKEOVER, MINUTE + 5),
        (N + 4, 1, FALL, FUND, SYMBOL, BUY, LONG, FUND_ID, 88, 4, 35_200, 0, "USDT", 0, 1, TAKEOVER,
         MINUTE + 5),
        (N + 5, 0, FALL, ALICE, SYMBOL, SELL, LONG, LONG_ID, 88, 2, 17_600, 0, "USDT", -2_400, 0,
         DELEVERAGE, MINUTE + 10),
        (N + 5, 1, FALL, BOB, SYMBOL, BUY, SHORT, SHORT_ID, 88, 2, 17_600, 0, "USDT", 2_400, 0,
         DELEVERAGE, MINUTE + 10),
    ],
    "income": [
        (N, ALICE, 0, "USDT", "", "deposit", 1_000_000, 0, 1_000_000, "", 200),
        (N + 1, BOB, 0, "USDT", "", "transfer_in", 500_000, 0, 500_000, "USER_TRANSFER", 200),
        (N + 2, ALICE, LONG_ID, "USDT", SYMBOL, "position_open_long", -40_040, 40, 959_960, "",
         400),
        (N + 3, BOB, SHORT_ID, "USDT", SYMBOL, "position_open_short", 39_920, 80, 539_920, "", 400),
        (N + 4, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 120, 0, 120, "", 400),
        (N + 5, ALICE, LONG_ID, "USDT", SYMBOL, "position_open_long", -60_060, 60, 899_900, "",
         400),
        (N + 6, BOB, SHORT_ID, "USDT", SYMBOL, "position_open_short", 59_880, 120, 599_800, "",
         400),
        (N + 7, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 180, 0, 300, "", 400),
        (N + 8, BOB, SHORT_ID, "USDT", SYMBOL, "position_close_short", -28_229, 29, 571_571, "",
         800),
        (N + 9, ALICE, LONG_ID, "USDT", SYMBOL, "position_close_long", 28_143, 57, 928_043, "",
         800),
        (N + 10, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 86, 0, 386, "", 800),
        (N + 11, ALICE, 0, "USDT", SYMBOL, "start_liquidate", 0, 0, 928_043, "", MINUTE + 5),
        (N + 12, BOB, SHORT_ID, "USDT", SYMBOL, "position_close_short", -9_009, 9, 562_562, "",
         MINUTE + 5),
        (N + 13, ALICE, LONG_ID, "USDT", SYMBOL, "position_close_long", 8_937, 63, 936_980, "",
         MINUTE + 5),
        (N + 14, FEES, 0, "USDT", SYMBOL, "order_fill_fee_income", 27, 0, 413, "", MINUTE + 5),
        (N + 15, FUND, 0, "USDT", SYMBOL, "order_liquidate_fee_income", 45, 0, 45, "", MINUTE + 5),
        (N + 16, FUND, FUND_ID, "USDT", SYMBOL, "position_open_long", -35_200, 0, -35_155, "",
         MINUTE + 5),
        (N + 17, ALICE, LONG_ID, "USDT", SYMBOL, "position_close_long", 35_200, 0, 972_180, "",
         MINUTE + 5),
        (N + 18, BOB, SHORT_ID, "USDT", SYMBOL, "position_close_short", -17_600, 0, 544_962, "",
         MINUTE + 10),
        (N + 19, ALICE, LONG_ID, "USDT", SYMBOL, "position_close_long", 17_600, 0, 989_780, "",
         MINUTE + 10),
        (N + 20, ALICE, 0, "USDT", SYMBOL, "finish_liquidate", 0, 0, 989_780, "", MINUTE + 10),
        (N + 21, BOB, 0, "USDT", SYMBOL, "position_funding", -10, 0, 544_952, "", 2 * MINUTE),
        (N + 22, FUND, 0, "USDT", SYMBOL, "position_funding", 9, 0, -35_146, "", 2 * MINUTE + 1),
    ],
    "algo_orders": [
        (STOP, ALICE, SYMBOL, SELL, LONG, STOP_MARKET, 4, 95, 0, MARK_PRICE, "s", 0, FIRST, LONG_ID,
         0, 0, 0, 0, 0, 600, AlgoStatus.TRIGGERED, STOPPED, 94, 0, 800, 800),
        (PROFIT, ALICE, SYMBOL, SELL, LONG, PROFIT_MARKET, 0, 150, 0, LAST_PRICE, "", 1, FIRST,
         LONG_ID, 0, 0, 0, 0, 0, 600, AlgoStatus.EXPIRED, 0, 0, 0, 0, MINUTE + 10),
        (REFUSED, BOB, SYMBOL, BUY, SHORT, TAKE_PROFIT, 5, 95, 96, MARK_PRICE, "r", 0, 0, SHORT_ID,
         0, 0, 0, 0, 0, 600, AlgoStatus.EXPIRED, 0, 94, UNKNOWN, 800, 800),
        (WAITING, BOB, SYMBOL, BUY, LONG, STOP_MARKET, 5, 200, 0, LAST_PRICE, "w", 1, 0, 0,
         300, MARK_PRICE, 150, LAST_PRICE, 0, 600, AlgoStatus.UNTRIGGERED, 0, 0, 0, 0, 600),
        (TRAILING, ALICE, SYMBOL, SELL, LONG, TRAIL, 2, 130, 0, LAST_PRICE, "t", 1, 0, LONG_ID,
         0, 0, 0, 0, 10_000, 600, AlgoStatus.CANCELED, 0, 0, 0, 0, 800),
    ],
    "positions": [
        (LONG_ID, ALICE, SYMBOL, LONG, 0, 0, 20, 10, 100_000, 100, 10, 90_000, 120, 0, 45, -10_000,
         400, MINUTE + 10),
    ],
    "funding_rates": [
        (SYMBOL, 2 * MINUTE, 0, -100, 91, 90, 2 * MINUTE, 2, 10, 9, 2 * MINUTE + 1),
        (SYMBOL, 3 * MINUTE, 1, 0, 0, 0, 5 * MINUTE, 0, 0, 0, 0),
        (SYMBOL, 4 * MINUTE, 1, 0, 0, 0, 5 * MINUTE, 0, 0, 0, 0),
        (SYMBOL, 5 * MINUTE, 0, 7, 88, 89, 5 * MINUTE + 9, 0, 0, 0, 0),
    ],
    "liquidations": [
        (FALL, ALICE, 0, "USDT", SYMBOL, MINUTE + 5, 1_000, 1_200, 928_043, MINUTE + 10, 989_780, 0,
         5, 6, 999_800),
    ],
    "liquidation_steps": [
        (FALL, 10, 10, LONG_ID, SYMBOL, LONG, 90, 1, 88, 5, 1, 4, 0, 45, 800, MINUTE + 5),
        (FALL, 11, 2, LONG_ID, SYMBOL, LONG, 90, 0, 88, 2, 0, 0, 2, 0, 0, MINUTE + 10),
    ],
    "deleveraged": [(FALL, 11, 1, SHORT_ID, BOB, SYMBOL, 2, 88, 1, 77, MINUTE + 10)],
    # The index 0 of the first minute was no price.
    "price_minutes": [
        (SYMBOL, 0, 101, 101, 93, 93, 100, 100, 94, 94, 10),
        (SYMBOL, MINUTE, 89, 89, 89, 89, 90, 90, 90, 90, 7),
        (SYMBOL, 2 * MINUTE, 90, 95, 90, 95, 91, 91, 89, 89, 5),
        (SYMBOL, 5 * MINUTE, 93, 93, 93, 93, 92, 92, 92, 92, 6),
    ],
    "progress": [(len(STORY),)],
}  # fmt: skip
