"""Account questions of the contract side: balances, modes, positions, income."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from venue.api import errors
from venue.api.contract.account import (
    AccountConfig,
    CommissionRate,
    ContractBalance,
    IncomeItem,
    IncomeKey,
    IncomePage,
    IncomeRequest,
    PositionView,
    SymbolConfig,
)
from venue.api.contract.market import ContractSelectionRequest, ContractSymbolRequest
from venue.api.names import MARGIN_MODE_NAMES, POSITION_SIDE_NAMES, SEPARATED_MODE_NAMES
from venue.api.operation import Empty
from venue.api.profile import Profile
from venue.candles import DAY_US
from venue.core.contract.margin import initial
from venue.core.contract.position import liquidation_mark, notional, profit, wallet
from venue.core.contract.records import Holding, Perpetual
from venue.core.contract.records import Position as Held
from venue.gateway.door import Call
from venue.gateway.operations.contract.market import bounded_span
from venue.gateway.operations.pools import available_of, wallet_of
from venue.history.questions import contract as questions
from venue.history.tables.contract import IncomeOf, IncomeRow
from venue.node.node import DEMO_ASSET, Node
from venue.texts import amount_text, order_price_text, quantity_text, rate_text
from venue.times import LAST_US_OF_MS, US_PER_MS
from venue.vocabulary import CROSSED, ISOLATED, TransferReason

INCOME_DAYS: Final = 30  # before an end without a start
INCOME_DAYS_MAX: Final = 100  # between a start and an end


# -- balances and modes ---------------------------------------------------------------------------


def contract_balance(call: Call, _: Empty) -> list[ContractBalance]:
    """Return every asset that contracts settle in, and others held as collateral; no demo money."""
    node = call.node
    holding = node.engine.holding(call.uid)
    settled = {perp.asset for perp in node.perps(demo=False)}
    return [
        _balance(node, holding, ordinal)
        for ordinal, asset in enumerate(node.engine.assets)
        if asset.name != DEMO_ASSET and (ordinal in settled or _holds(holding, ordinal))
    ]


def demo_balance(call: Call, _: Empty) -> list[ContractBalance]:
    """Demo money."""
    node = call.node
    ordinal = node.engine.ordinals.get(DEMO_ASSET)
    if ordinal is None:
        return []
    return [_balance(node, node.engine.holding(call.uid), ordinal)]


def _holds(holding: Holding, ordinal: int) -> bool:
    return any(pool.cash.collateral or pool.positions for pool in holding.pools_in(ordinal))


def _balance(node: Node, holding: Holding, ordinal: int) -> ContractBalance:
    asset = node.engine.assets[ordinal]
    unrealized = sum(profit(held) for pool in holding.pools_in(ordinal) for held in pool.positions)
    return ContractBalance(
        asset=asset.name,
        balance=amount_text(asset, wallet_of(holding, ordinal) + unrealized),
        available_balance=amount_text(asset, available_of(holding, ordinal)),
        frozen=amount_text(asset, holding.account.contract[ordinal].held),
        unrealize_pnl=amount_text(asset, unrealized),
    )


def commission_rate(call: Call, request: ContractSymbolRequest) -> CommissionRate:
    """Return the account's own rates, otherwise the contract's."""
    market = call.node.perp(request.symbol).market
    holding = call.node.engine.holding(call.uid)
    maker, taker = holding.maker_rate(market), holding.taker_rate(market)
    return CommissionRate(market.symbol, rate_text(maker), rate_text(taker))


def account_config(call: Call, _: Empty) -> AccountConfig:
    """Return the account's permissions."""
    engine = call.node.engine
    frozen = engine.account(call.uid).frozen
    return AccountConfig(not frozen, True, not frozen, True, engine.time // US_PER_MS)


def symbol_config(call: Call, request: ContractSelectionRequest) -> list[SymbolConfig]:
    """Modes and leverages of one contract, or of all but the demo contracts."""
    node = call.node
    holding = node.engine.holding(call.uid)
    symbol = request.symbol
    perps = [node.perp(symbol)] if symbol is not None else node.perps(demo=False)
    return [_symbol_config(holding, perp) for perp in perps]


def _symbol_config(holding: Holding, perp: Perpetual) -> SymbolConfig:
    modes = holding.modes_or_default(perp)
    return SymbolConfig(
        symbol=perp.symbol,
        margin_type=MARGIN_MODE_NAMES[modes.margin_mode],
        separated_type=SEPARATED_MODE_NAMES[modes.separated],
        cross_leverage=str(modes.cross),
        isolated_long_leverage=str(modes.long),
        isolated_short_leverage=str(modes.short),
    )


# -- positions ------------------------------------------------------------------------------------


def positions(call: Call, _: Empty) -> list[PositionView]:
    """Return all open positions, oldest first; none of the demo contracts."""
    return _positions(call, call.node.perps(demo=False))


def demo_positions(call: Call, _: Empty) -> list[PositionView]:
    """Return the open positions of the demo contracts."""
    return _positions(call, call.node.perps(demo=True))


def position(call: Call, request: ContractSymbolRequest) -> list[PositionView]:
    """Return the open positions of one contract."""
    return _positions(call, [call.node.perp(request.symbol)])


def _positions(call: Call, perps: Iterable[Perpetual]) -> list[PositionView]:
    holding = call.node.engine.holding(call.uid)
    wanted = {perp.ordinal for perp in perps}
    return [
        _position(call.node, held)
        for held in holding.positions.values()
        if held.perp.ordinal in wanted
    ]


def _position(node: Node, held: Held) -> PositionView:
    instrument = held.perp.market.instrument
    asset = node.asset(instrument.quote)
    pool = held.pool
    isolated = pool.position_id != 0
    own = amount_text(asset, wallet(pool))
    margin = amount_text(asset, initial(notional(held), held.leverage))
    return PositionView(
        id=held.position_id,
        asset=asset.name,
        symbol=instrument.symbol,
        side=POSITION_SIDE_NAMES[held.side],
        margin_type=MARGIN_MODE_NAMES[ISOLATED if isolated else CROSSED],
        separated_mode=SEPARATED_MODE_NAMES[int(held.separated)],
        separated_open_order_id=held.open_order_id,
        leverage=str(held.leverage),
        size=quantity_text(instrument, held.quantity),
        open_value=amount_text(asset, held.value),
        open_fee=amount_text(asset, held.open_fee),
        funding_fee=amount_text(asset, held.funding_fee),
        margin_size=own if isolated else margin,
        isolated_margin=own if isolated else "0",
        is_auto_append_isolated_margin=held.auto_margin,
        cum_open_size=quantity_text(instrument, held.open_size),
        cum_open_value=amount_text(asset, held.open_value),
        cum_open_fee=amount_text(asset, held.open_fee),
        cum_close_size=quantity_text(instrument, held.close_size),
        cum_close_value=amount_text(asset, held.close_value),
        cum_close_fee=amount_text(asset, held.close_fee),
        cum_funding_fee=amount_text(asset, held.funding_fee),
        cum_liquidate_fee=amount_text(asset, held.liquidate_fee),
        created_match_sequence_id=held.created_sequence,
        updated_match_sequence_id=held.updated_sequence,
        created_time=held.created // US_PER_MS,
        updated_time=held.updated // US_PER_MS,
        unrealize_pnl=amount_text(asset, profit(held)),
        liquidate_price=order_price_text(instrument, liquidation_mark(held)),
    )


# -- income ---------------------------------------------------------------------------------------


async def income(call: Call, request: IncomeRequest) -> IncomePage:
    """Changes of collateral, newest first; of demo money only by asset or symbol."""
    node = call.node
    node.check_rows(call.uid)
    asset = (request.asset or "").upper()
    if asset and asset not in node.engine.ordinals:
        raise errors.invalid("asset", "no such asset")
    if request.symbol is not None:
        node.perp(request.symbol)
    lone = (request.start_time is None) != (request.end_time is None)
    if lone and node.profile is Profile.LIVE:
        name = "endTime" if request.end_time is None else "startTime"
        raise errors.invalid(name, "both times or none, with the profile live")
    start, end = _income_span(request, node.clock.now())
    next_id, next_time = request.next_key_id, request.next_key_time
    if (next_id is None) != (next_time is None):
        raise errors.missing("nextKeyId" if next_id is None else "nextKeyTime")
    which = IncomeOf(
        call.uid,
        asset=asset,
        symbol=request.symbol or "",
        kind=request.income_type or "",
        start=start,
        end=end,
        next_time=next_time * US_PER_MS + LAST_US_OF_MS if next_time is not None else None,
        next_id=next_id,
        without="" if asset or request.symbol else DEMO_ASSET,
    )
    # One more than is shown tells whether there is a next page.
    rows = await node.ask(questions.income, which, request.limit + 1)
    shown = rows[: request.limit]
    more = len(rows) > len(shown)
    key = IncomeKey(shown[-1].bill_id, shown[-1].time // US_PER_MS) if more else None
    return IncomePage(more, [_income_item(node, row) for row in shown], key)


def _income_span(request: IncomeRequest, now: int) -> tuple[int | None, int | None]:
    """Return the span in µs; a missing start or end follows from the other (interface 4.2)."""
    start, end = bounded_span(request.start_time, request.end_time, now)
    if request.start_time is not None and request.end_time is not None:
        if (request.end_time - request.start_time) * US_PER_MS > INCOME_DAYS_MAX * DAY_US:
            rule = f"at most {INCOME_DAYS_MAX} days after startTime"
            raise errors.error(-1170, name="endTime", rule=rule)
    elif request.end_time is not None:
        start = request.end_time * US_PER_MS - INCOME_DAYS * DAY_US
    elif request.start_time is not None:
        end = now
    return start, end


def _income_item(node: Node, row: IncomeRow) -> IncomeItem:
    asset = node.asset(row.asset)
    return IncomeItem(
        bill_id=row.bill_id,
        asset=asset.name,
        symbol=row.symbol or (None if node.profile is Profile.LIVE else ""),
        income=amount_text(asset, row.amount),
        income_type=row.kind,
        balance=amount_text(asset, row.balance),
        fill_fee=amount_text(asset, row.fee),
        time=row.time // US_PER_MS,
        transfer_reason=row.reason or TransferReason.UNKNOWN_TRANSFER_REASON.value,
    )
