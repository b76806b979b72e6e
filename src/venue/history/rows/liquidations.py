"""The rows of the answers about liquidations."""

from __future__ import annotations

from msgspec import Struct

from venue.history.rows.contract import ContractFillRow


class LiquidationRow(Struct, frozen=True, gc=False):
    """One pool's liquidation, amounts in atoms; the members after `finished` are 0 until then."""

    liquidation_id: int
    uid: int
    position_id: int
    asset: str
    symbol: str
    time: int
    equity: int
    maintenance: int
    collateral: int
    finished: int
    equity_after: int
    maintenance_after: int
    topped_up: int
    compensated: int
    fund_equity: int


class StepRow(Struct, frozen=True, gc=False):
    """One rung of a liquidation; `sequence` and `place` are where the engine stated it."""

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    symbol: str
    side: int
    mark_price: int
    tier: int
    bankruptcy_price: int
    wanted: int
    filled: int
    taken_over: int
    deleveraged: int
    fee: int
    fund_change: int
    time: int


class DeleveragedRow(Struct, frozen=True, gc=False):
    """One opposite position that took over lots; `sequence` and `place` as in `StepRow`."""

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    uid: int
    symbol: str
    quantity: int
    price: int
    rank: int
    score: int
    time: int


class LiquidationStory(Struct, frozen=True):
    """A liquidation with everything that happened in it, oldest first.

    `fills` are the liquidated owner's: in the book, to the fund and to deleveraged positions.
    """

    liquidation: LiquidationRow
    steps: list[StepRow]
    deleveraged: list[DeleveragedRow]
    fills: list[ContractFillRow]
