"""Converts replies of the interface to the library's results: text becomes `Decimal`."""

from __future__ import annotations

from decimal import Decimal

from venue.api.contract import account as contract
from venue.api.contract.orders import ContractOrderView, UserTrade
from venue.api.operator.clock import Advance
from venue.api.operator.preview import Preview as PreviewView
from venue.api.own import QueuePlace
from venue.api.spot import account as spot
from venue.api.spot.orders import MyTrade, OrderView
from venue.library.market import CONTRACT, SPOT
from venue.library.results import (
    Advanced,
    Balance,
    Bill,
    Due,
    Fill,
    Income,
    Order,
    Place,
    Position,
    Preview,
    PreviewFill,
)

ZERO = Decimal(0)


def spot_order(view: OrderView) -> Order:
    """Return a spot order."""
    return _order(view, SPOT, "", view.cummulative_quote_qty)


def place(view: QueuePlace) -> Place:
    """Return the place of an order."""
    return Place(
        order_id=view.order_id,
        symbol=view.symbol,
        product=view.product.lower(),
        side=view.side,
        price=Decimal(view.price),
        quantity=Decimal(view.quantity),
        ahead=_known(view.ahead),
        behind=_known(view.behind),
        at_price=_known(view.at_price),
    )


def _known(text: str | None) -> Decimal | None:
    return Decimal(text) if text is not None else None


def contract_order(view: ContractOrderView) -> Order:
    """Return a contract order."""
    return _order(view, CONTRACT, view.position_side, view.cum_quote)


def _order(
    view: OrderView | ContractOrderView, product: str, position_side: str, value: str
) -> Order:
    return Order(
        ts=view.time,
        updated_ts=view.update_time,
        order_id=view.order_id,
        client_id=view.client_order_id,
        symbol=view.symbol,
        product=product,
        side=view.side,
        position_side=position_side,
        type=view.type,
        time_in_force=view.time_in_force,
        status=view.status,
        price=Decimal(view.price),
        quantity=Decimal(view.orig_qty),
        filled=Decimal(view.executed_qty),
        value=Decimal(value),
    )


def spot_balance(view: spot.BalanceView) -> Balance:
    """Money in the spot wallet."""
    free, locked = Decimal(view.free), Decimal(view.locked)
    return Balance(view.asset, SPOT, free, locked, free + locked, ZERO)


def contract_balance(view: contract.ContractBalance) -> Balance:
    """Collateral of contracts."""
    unrealized = Decimal(view.unrealize_pnl)
    return Balance(
        view.asset,
        CONTRACT,
        Decimal(view.available_balance),
        Decimal(view.frozen),
        Decimal(view.balance) - unrealized,
        unrealized,
    )


def position(view: contract.PositionView) -> Position:
    """Return an open position."""
    size, liquidation = Decimal(view.size), Decimal(view.liquidate_price)
    return Position(
        position_id=view.id,
        symbol=view.symbol,
        side=view.side,
        margin_type=view.margin_type,
        leverage=Decimal(view.leverage),
        size=size,
        entry_price=Decimal(view.open_value) / size if size else ZERO,
        margin=Decimal(view.margin_size),
        unrealized=Decimal(view.unrealize_pnl),
        funding=Decimal(view.funding_fee),
        liquidation_price=liquidation or None,
    )


def bill(view: spot.BillView) -> Bill:
    """Return a movement of the spot wallet."""
    return Bill(
        ts=int(view.c_time),
        bill_id=int(view.bill_id),
        asset=view.coin_name,
        kind=view.biz_type,
        amount=Decimal(view.delta_amount),
        balance=Decimal(view.after_amount),
        fee=Decimal(view.fees),
    )


def income(view: contract.IncomeItem) -> Income:
    """Return a change of collateral."""
    return Income(
        ts=view.time,
        bill_id=view.bill_id,
        asset=view.asset,
        symbol=view.symbol or "",
        kind=view.income_type,
        amount=Decimal(view.income),
        balance=Decimal(view.balance),
        fee=Decimal(view.fill_fee),
    )


def spot_fill(view: MyTrade, base: str, quote: str) -> Fill:
    """Return an own spot fill of a symbol of two assets."""
    if view.is_buyer:
        return _fill(view, SPOT, "BUY", base, ZERO)
    return _fill(view, SPOT, "SELL", quote, ZERO)


def contract_fill(view: UserTrade) -> Fill:
    """Return an own fill of a contract."""
    return _fill(view, CONTRACT, view.side, view.commission_asset, Decimal(view.realized_pnl))


def _fill(
    view: MyTrade | UserTrade, product: str, side: str, fee_asset: str, realized: Decimal
) -> Fill:
    return Fill(
        ts=view.time,
        trade_id=view.id,
        order_id=view.order_id,
        symbol=view.symbol,
        product=product,
        side=side,
        price=Decimal(view.price),
        quantity=Decimal(view.qty),
        value=Decimal(view.quote_qty),
        fee=Decimal(view.commission),
        fee_asset=fee_asset,
        realized=realized,
    )


def advance_result(view: Advance) -> Advanced:
    """Return an advance of venue time."""
    settled = tuple(Due(due.at, due.kind, due.symbol, due.count) for due in view.settled)
    return Advanced(view.begin, view.end, view.sequence, settled, view.left_out)


def preview(view: PreviewView) -> Preview:
    """Return the effects that an order would have."""
    refusal, after = view.refused, view.position
    return Preview(
        accepted=view.accepted,
        refused=refusal.msg if refusal is not None else "",
        code=refusal.code if refusal is not None else 0,
        status=view.status,
        fills=tuple(
            PreviewFill(Decimal(fill.price), Decimal(fill.quantity), Decimal(fill.fee))
            for fill in view.fills
        ),
        filled=Decimal(view.filled_quantity),
        resting=Decimal(view.resting_quantity),
        fee=Decimal(view.fee),
        fee_asset=view.fee_asset,
        held=Decimal(view.held),
        held_asset=view.held_asset,
        margin=Decimal(view.margin) if view.margin is not None else None,
        available=Decimal(view.available) if view.available is not None else None,
        liquidation_price=_price_or_none(after.liquidation_price) if after is not None else None,
    )


def _price_or_none(text: str | None) -> Decimal | None:
    """Return a price; None for 0 or for empty text."""
    return (Decimal(text) or None) if text is not None else None
