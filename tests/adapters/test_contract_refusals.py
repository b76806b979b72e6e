"""Every refusal of the contract side: its code, its words, its bounds in wire units (rule 11)."""

from __future__ import annotations

import pytest

from support.world import BTCUSDT, BUY, GTC, LIMIT, SELL
from venue.api.errors import ApiError
from venue.core.instruments import Asset, Contract, Tier
from venue.core.messages.commands import NO_EXIT, Exit, PlaceContractOrder
from venue.core.messages.events import Rejected
from venue.core.units import AMOUNT_MAX, PRICE_MAX
from venue.gateway.dispatch import decode
from venue.gateway.operations.contract import conditional, margin
from venue.gateway.operations.refusals.contract import (
    ORDER,
    ListedContract,
    Words,
    exit_refusal,
    refusal,
)
from venue.vocabulary import LONG, SHORT, Reject

PERP = Contract(
    instrument=BTCUSDT,
    leverage_max=100,
    position_max=1_000_000,
    open_interest_max=10_000_000,
    tiers=[Tier(10**12, 100, 5_000)],
)
LISTED = ListedContract(PERP, Asset("USDT", 1, 8))
FAILED = "FAILED_PRECONDITION"
MOST_PRICE = "1000000000000000.00"
ALLOWED = f"is out of range: allowed: 0.01 to {MOST_PRICE}"

# Reasons without a row below: two tables of their own answer them.
COPYING = {  # answered by a table of their own
    *(Reject(number) for number in range(Reject.LEAD_UNKNOWN, Reject.COPY_SMALL + 1)),
    Reject.COPY_LOSS,
    Reject.LEAD_ASSET,
    Reject.THIRD_PARTY,
}
OPERATORS = {
    Reject.OWNER_NAME_USED,
    Reject.ASSET_UNKNOWN,
    Reject.ASSET_LISTED,
    Reject.SUPPLY_MAX,
    Reject.WALLETS_EQUAL,
    Reject.SYMBOL_LISTED,
    Reject.INSTRUMENT_INVALID,
    Reject.SETTLE_PRICE,
    Reject.FEE_RATE,
    Reject.OWNER_RESERVED,
    Reject.REFERENCE_USED,
    Reject.CODE_USED,
    Reject.NO_AFFILIATE,
    Reject.INVITED_ALREADY,
    Reject.RECEIVER_UNKNOWN,
    Reject.RECEIVER_SELF,
    Reject.CONTENT_FULL,
    Reject.CONTENT_UNKNOWN,
    Reject.FEE_TIERS,
    Reject.STATE_UNKNOWN,
    Reject.STATES_MAX,
}
# reason, the bound it carries, code, and words of the message.
REFUSALS: list[tuple[Reject, int, int, tuple[str, ...]]] = [
    (Reject.OWNER_UNKNOWN, 0, -1142, ("owner",)),
    (Reject.CLIENT_ID_USED, 10**15, -1180, ("'newClientOrderId'", "order 1000000000000000")),
    (Reject.ACCOUNT_FROZEN, 0, -1057, ("frozen",)),
    (Reject.SYMBOL_UNKNOWN, 0, -1121, ("'symbol'",)),
    (Reject.HALTED, 0, -1054, (FAILED, "halted")),
    (Reject.SIDE, 0, -1117, ("BUY or SELL",)),
    (Reject.TYPE, 0, -1116, ("LIMIT or MARKET",)),
    (Reject.TIME_IN_FORCE, 0, -1115, ("GTC, IOC, FOK or POST_ONLY",)),
    (Reject.POSITION_SIDE, 0, -1142, ("'positionSide'", "LONG or SHORT")),
    (Reject.QUANTITY_MIN, 2, -1140, ("'quantity'", "0.0002 to 100.0000")),
    (Reject.QUANTITY_MAX, 1_000_000, -3007, ("'quantity'", "0.0002 to 100.0000")),
    (Reject.PRICE, PRICE_MAX, -1140, ("'price'", f"0.01 to {MOST_PRICE}")),
    (Reject.NOTIONAL_MAX, AMOUNT_MAX, -1140, ("'quantity'", "46116860184.27387904 USDT")),
    (Reject.PRICE_BAND, 12_345, -1140, ("'price'", "band", "123.45")),
    (Reject.MARKET_SIZE, 100_000, -3007, ("'quantity'", "MARKET", "10.0000")),
    (Reject.OPEN_ORDERS_SYMBOL, 200, -1140, ("200 open orders per symbol",)),
    (Reject.OPEN_ORDERS_ACCOUNT, 1_000, -1140, ("1000 open orders per account",)),
    (Reject.NO_LIQUIDITY, 0, -1054, (FAILED, "no liquidity")),
    (Reject.WOULD_TRADE, 0, -1054, (FAILED, "would trade")),
    (Reject.FUNDS, 150_000_000, -1054, (FAILED, "amount not enough", "1.50000000 USDT")),
    (Reject.ORDER_UNKNOWN, 0, -3200, ("order not found",)),
    (Reject.AMOUNT, AMOUNT_MAX, -1140, ("'amount'", "0.00000001 USDT to 46116860184.27387904")),
    (Reject.POSITION_ID_MISSING, 0, -1054, (FAILED, "Position ID missing in separated mode")),
    (Reject.POSITION_UNKNOWN, 0, -1142, ("'positionId'", "no such position")),
    (Reject.NO_MARK, 0, -1054, (FAILED, "no price yet")),
    (Reject.CONTRACT_UNSAFE, 1_250, -1054, (FAILED, "below 12.50", "only reduce positions")),
    (Reject.CONTRACT_DEAR, 1_250, -1054, (FAILED, "above 12.50", "only reduce positions")),
    (Reject.DELISTED, 0, -1054, (FAILED, "delisted", "only reduce positions")),
    (
        Reject.FORMER_TIERS,
        1_767_830_400_000_000,
        -1054,
        (FAILED, "does not fit the contract's new tiers", "before 2026-01-08T00:00:00.000Z"),
    ),
    (Reject.POSITION_MAX, 1_000_000, -1140, ("'quantity'", "position", "100.0000")),
    (Reject.OWNER_SHARE, 2_500_000, -1140, ("'quantity'", "one owner", "250.0000", "0.25", "1000")),
    (Reject.OPEN_INTEREST_MAX, 10_000_000, -1140, ("'quantity'", "open interest", "1000.0000")),
    (Reject.NOTHING_TO_CLOSE, 0, -1054, (FAILED, "nothing left to close", "no such position")),
    (Reject.NOTHING_TO_CLOSE, 25, -1054, (FAILED, "nothing left to close beyond 0.0025")),
    (Reject.LEVERAGE, 20, -3313, ("'crossLeverage'", "from 1 to 20")),
    (Reject.LEVERAGE_SIZE, 538_200, -1054, (FAILED, "exceed max size 53.8200 for leverage '")),
    (Reject.MODE_IN_USE, 0, -1054, (FAILED, "no position and no order")),
    (Reject.NOT_ISOLATED, 0, -1054, (FAILED, "not isolated")),
    (Reject.TRIGGER_PRICE, PRICE_MAX, -1140, ("'triggerPrice'", f"0.01 to {MOST_PRICE}")),
    (Reject.WOULD_TRIGGER, 10_000, -1054, (FAILED, "would trigger at once", "100.00")),
    (Reject.ALGO_ORDERS_SYMBOL, 50, -1140, ("50 conditional orders per symbol",)),
    (Reject.ALGO_ORDERS_ACCOUNT, 200, -1140, ("200 conditional orders per account",)),
    (Reject.ALGO_UNKNOWN, 0, -3200, ("order not found",)),
    (Reject.CALLBACK_RATE, 500_000, -1140, ("'callbackRate'", "up to 0.5")),
    (Reject.PRICE_DOUBT, 0, -1054, (FAILED, "in doubt", "only reduce")),
    (Reject.MARKET_HOURS, 10**15, -1054, (FAILED, "market hours", "2001-09-09T01:46:40")),
    (Reject.POSITIONS_SYMBOL, 200, -1140, ("200 positions per symbol",)),
    (Reject.POSITIONS_ACCOUNT, 1_000, -1140, ("1000 positions per account",)),
    (Reject.PLAN_FAULT, 0, -1054, (FAILED, "nothing was done")),
    (Reject.TIMEOUT, 0, -1140, ("'timeout'", "0, or 5 to 86400")),
]


def test_the_table_holds_every_reason() -> None:
    assert {reason for reason, *_ in REFUSALS} == set(Reject) - OPERATORS - COPYING


@pytest.mark.parametrize(
    ("reason", "bound", "code", "words"),
    REFUSALS,
    ids=[f"{reason.name}-{bound}" for reason, bound, *_ in REFUSALS],
)
def test_code_and_words(reason: Reject, bound: int, code: int, words: tuple[str, ...]) -> None:
    error = refusal(Rejected(reason, bound), LISTED)
    assert (error.code, error.status) == (code, 400)
    for word in words:
        assert word in error.message


def test_a_halt_says_why() -> None:
    assert refusal(Rejected(Reject.HALTED, 0, "a split"), LISTED).message.endswith("a split")


@pytest.mark.parametrize(
    ("reason", "item_code"),
    [
        (Reject.FUNDS, "INSUFFICIENT_BALANCE"),
        (Reject.WOULD_TRADE, "WOULD_TRADE"),
        (Reject.NO_LIQUIDITY, "NO_LIQUIDITY"),
        (Reject.POSITION_MAX, "POSITION_MAX"),
        (Reject.ORDER_UNKNOWN, "CONTRACT_ORDER_NOT_EXIST"),
        (Reject.QUANTITY_MAX, "CONTRACT_QUANTITY_EXCEEDED"),
    ],
)
def test_code_as_an_item_of_a_batch(reason: Reject, item_code: str) -> None:
    assert refusal(Rejected(reason), LISTED).item_code == item_code


@pytest.mark.parametrize(
    ("words", "reason", "said"),
    [
        (conditional.ALGO, Reject.CLIENT_ID_USED, "'clientAlgoId'"),
        (conditional.ALGO, Reject.PRICE, "'price'"),
        (conditional.ALGO, Reject.TYPE, "TRAILING_STOP_MARKET"),
        (conditional.EXIT, Reject.CLIENT_ID_USED, "'clientAlgoId'"),
        (conditional.EXIT, Reject.PRICE, "'executePrice'"),
        (conditional.CHANGE, Reject.TYPE, "cannot be changed"),
        (margin.MARGIN, Reject.POSITION_UNKNOWN, "'isolatedPositionId'"),
        (margin.MARGIN, Reject.FUNDS, "amount not enough: at most 0.00000001 USDT"),
        (ORDER, Reject.FUNDS, "amount not enough: 0.00000001 USDT are needed"),
        (Words(leverage="isolatedLongLeverage"), Reject.LEVERAGE, "'isolatedLongLeverage'"),
        (Words(own=100), Reject.LEVERAGE_SIZE, "for leverage '100'"),
    ],
)
def test_an_operation_calls_fields_by_its_own_names(
    words: Words, reason: Reject, said: str
) -> None:
    assert said in refusal(Rejected(reason, 1), LISTED, words).message


@pytest.mark.parametrize(
    "reason", [Reject.FUNDS, Reject.NOTHING_TO_CLOSE, Reject.NO_LIQUIDITY, Reject.HALTED]
)
def test_a_position_that_is_not_closed_needs_no_bound(reason: Reject) -> None:
    error = refusal(Rejected(reason))
    assert error.code == -1054
    assert error.message.startswith(FAILED)


# -- attached exits -------------------------------------------------------------------------------


def order(position_side: int, take_profit: int, stop_loss: int) -> PlaceContractOrder:
    """An order that opens a position of this side, with these exits."""
    return PlaceContractOrder(
        1, "BTCUSDT", BUY if position_side == LONG else SELL, position_side, LIMIT, GTC, 10,
        10_000,
        take_profit=Exit(take_profit) if take_profit else NO_EXIT,
        stop_loss=Exit(stop_loss) if stop_loss else NO_EXIT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("side", "take_profit", "stop_loss", "bound", "said"),
    [
        (LONG, 9_999, 9_000, 10_000, "'tpTriggerPrice' is out of range: must lie above 100.00"),
        (LONG, 11_000, 10_000, 10_000, "'slTriggerPrice' is out of range: must lie below 100.00"),
        (LONG, 0, 10_001, 10_000, "'slTriggerPrice' is out of range: must lie below 100.00"),
        (SHORT, 10_000, 0, 10_000, "'tpTriggerPrice' is out of range: must lie below 100.00"),
        (SHORT, 9_000, 9_999, 10_000, "'slTriggerPrice' is out of range: must lie above 100.00"),
        (LONG, PRICE_MAX + 1, 0, PRICE_MAX, f"'tpTriggerPrice' {ALLOWED}"),
        (SHORT, 9_000, PRICE_MAX + 1, PRICE_MAX, f"'slTriggerPrice' {ALLOWED}"),
    ],
)  # fmt: skip
def test_a_wrong_exit_is_named(
    side: int, take_profit: int, stop_loss: int, bound: int, said: str
) -> None:
    rejected = Rejected(Reject.TRIGGER_PRICE, bound)
    error = exit_refusal(rejected, LISTED, order(side, take_profit, stop_loss))
    assert error.code == -1140
    assert said in error.message


# -- client ids ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "allowed"), [("v-1000000000000001", False), ("v-1", True), ("mine", True)]
)
def test_the_form_of_generated_client_ids_is_not_the_callers(given: str, allowed: bool) -> None:
    if allowed:
        assert decode.own_client_id(given, "clientAlgoId") == given
        return
    with pytest.raises(ApiError) as caught:
        decode.own_client_id(given, "clientAlgoId")
    assert caught.value.code == -1180
    assert "'clientAlgoId'" in caught.value.message
