"""Explains why money moved: bills of wallets, income of contracts, liquidations."""

from __future__ import annotations

from typing import Final

from venue import texts
from venue.api.names import POSITION_SIDE_NAMES, WALLET_NAMES
from venue.core.contract.position import (
    equity,
    liquidation_mark,
    maintenance,
    maintenance_of,
    wallet,
)
from venue.core.contract.records import Pool, Position
from venue.core.engine import Engine
from venue.core.messages.contract_events import (
    ContractTrade,
    Deleveraged,
    FundingDue,
    Income,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
)
from venue.core.messages.events import Event, Trade, WalletMoved
from venue.explanation.finding import Later
from venue.explanation.words import ExplanationWords, held, prices
from venue.times import instant_text
from venue.vocabulary import BUY, INCOME_POSITION_FUNDING, Cause

POSITIONS_MAX: Final = 20


# -- bills ----------------------------------------------------------------------------------------


def bill(before: Engine, number: int, event: Event, events: list[Event]) -> tuple[int, list[str]]:
    """Return the owner of a bill, and the origin of its amount; `events` are all of its command."""
    words = ExplanationWords(before)
    if isinstance(event, WalletMoved):
        after = words.named_money(event.asset, event.after)
        return event.uid, [
            (
                f"{event.kind}: {words.named_money(event.asset, event.amount)} in the"
                f" {WALLET_NAMES[event.wallet]} wallet of {words.owner(event.uid)}."
            ),
            f"{words.named_money(event.asset, event.after - event.amount)} before, {after} after.",
        ]
    if isinstance(event, Trade):
        return _spot_bill(words, before, number, event)
    if isinstance(event, ContractTrade):
        return _leg(words, before, number, event)
    assert isinstance(event, Income), event
    lines = [
        (
            f"{event.kind}: {words.named_money(event.asset, event.amount)} in the {_pool(event)} of"
            f" {words.owner(event.uid)}{f' for {event.symbol}' if event.symbol else ''}."
        ),
        _balance(words, event.asset, event.balance, event.amount),
    ]
    if event.kind == INCOME_POSITION_FUNDING:
        lines += _funding(words, before, event, events)
    return event.uid, lines


def _pool(event: Income) -> str:
    return f"pool of isolated position {event.position_id}" if event.position_id else "cross pool"


def _balance(words: ExplanationWords, asset: str, balance: int, amount: int) -> str:
    return (
        f"The pool's collateral was {words.named_money(asset, balance - amount)} before and"
        f" {words.named_money(asset, balance)} after."
    )


def _spot_bill(
    words: ExplanationWords, before: Engine, number: int, event: Trade
) -> tuple[int, list[str]]:
    market = before.spot.markets[event.symbol]
    instrument = market.instrument
    buys = event.taker_side == BUY
    buyer, seller = event.maker_uid, event.taker_uid
    if buys:
        buyer, seller = seller, buyer
    lots = event.quantity * market.lot_atoms
    part = number - event.bill_id
    uid = buyer if part < 2 else seller
    rows = (
        (market.quote, -event.notional, 0, event.buyer_quote_after),
        (market.base, lots - event.base_fee, event.base_fee, event.buyer_base_after),
        (market.base, -lots, 0, event.seller_base_after),
        (market.quote, event.notional - event.quote_fee, event.quote_fee, event.seller_quote_after),
    )
    asset, amount, fee, after = rows[part]
    price, quantity = (
        texts.price_text(instrument, event.price),
        texts.quantity_text(instrument, event.quantity),
    )
    lines = [
        (
            f"Trade {event.trade_id}: {words.owner(buyer)} bought {quantity} {event.symbol} of"
            f" {words.owner(seller)} at {price}, for {words.money(market.quote, event.notional)}."
        ),
        (
            f"The bill is {words.owner(uid)}'s: {words.money(asset, amount)}; free and held"
            f" together {words.money(asset, after - amount)} before,"
            f" {words.money(asset, after)} after."
        ),
    ]
    if fee:
        taker = uid == event.taker_uid and (uid == buyer) == buys
        account = before.ledger.accounts[uid]
        own = account.taker_ppm if taker else account.maker_ppm
        rate = own if own >= 0 else (market.taker_ppm if taker else market.maker_ppm)
        if not taker:
            rate = min(rate, before.spot_account(uid).orders[event.maker_order_id].fee_ppm)
        lines.append(
            f"A fee of {words.money(asset, fee)} is taken off: the {'taker' if taker else 'maker'}"
            f" rate {texts.rate_text(rate)} of {words.money(asset, amount + fee)}, rounded up."
        )
    return uid, lines


def _leg(
    words: ExplanationWords, before: Engine, number: int, event: ContractTrade
) -> tuple[int, list[str]]:
    perp = before.contracts.markets[event.symbol]
    instrument = perp.market.instrument
    leg = event.maker if event.maker.bill_id == number else event.taker
    asset = before.ledger.assets[perp.asset].name
    role = "resting" if leg is event.maker else "incoming"
    cause = f" ({Cause(event.cause).name})" if event.cause else ""
    lines = [
        (
            f"Trade {event.trade_id}{cause}: {words.owner(leg.uid)}"
            f" {'opened' if leg.opens else 'closed'}"
            f" {texts.quantity_text(instrument, event.quantity)} {event.symbol}"
            f" {POSITION_SIDE_NAMES[leg.position_side]} at"
            f" {texts.price_text(instrument, event.price)} as the {role} side, for"
            f" {words.named_money(asset, event.notional)}."
        ),
        (
            f"Realized profit {words.named_money(asset, leg.realized)}, fee"
            f" {words.named_money(asset, leg.fee)}."
        ),
        _balance(words, asset, leg.balance, leg.amount)
        + " Collateral holds the position's open value too, with its sign.",
    ]
    return leg.uid, lines


def _funding(
    words: ExplanationWords, before: Engine, event: Income, events: list[Event]
) -> list[str]:
    """Rate, mark and size of a funding payment."""
    perp = before.contracts.markets[event.symbol]
    settlement = perp.settlement
    due = next(
        (one for one in events if isinstance(one, FundingDue) and one.symbol == event.symbol), None
    )
    if settlement is not None:
        rate, mark = settlement.rate_ppb, settlement.mark
    elif due is not None:
        rate, mark = due.rate_ppb, due.mark
    else:
        return []
    instrument = perp.market.instrument
    holding = before.holding(event.uid)
    pool = holding.isolated.get(event.position_id, holding.cross(perp.asset))
    sizes = ", ".join(
        f"{POSITION_SIDE_NAMES[found.side]} {texts.quantity_text(instrument, found.quantity)}"
        for found in pool.positions
        if found.perp is perp
    )
    return [
        (
            f"The rate was {texts.funding_text(rate)} at the mark price"
            f" {texts.price_text(instrument, mark)}; the pool had {sizes} {event.symbol}."
        ),
        (
            "Longs pay quantity x mark x rate when the rate is positive, shorts when it is"
            " negative. A payment is rounded up for the payer, and rounded down for the receiver."
        ),
    ]


# -- liquidations ---------------------------------------------------------------------------------


def liquidation(
    before: Engine, started: LiquidationStarted, events: list[Event], later: list[Later]
) -> list[str]:
    """Return why a pool was liquidated, and each step of it; `events` are those of the first
    command."""
    words = ExplanationWords(before)
    holding = before.holding(started.uid)
    asset = started.asset
    pool = holding.isolated.get(started.position_id)
    if pool is None:
        pool = holding.cross(before.ledger.ordinals[asset])
    lines = _state(words, pool, started)
    lines += _moves(before, events, {position.perp.symbol for position in pool.positions})
    lines.append(
        f"With that, equity was {words.named_money(asset, started.equity)} and the maintenance"
        f" margin {words.named_money(asset, started.maintenance)}: a pool whose equity is not above"
        " its maintenance margin is liquidated."
    )
    for one in later:
        told = _step(words, asset, one.event)
        if told:
            lines.append(f"{instant_text(one.time)}, command {one.sequence}: {told}")
    return lines


def _state(words: ExplanationWords, pool: Pool, started: LiquidationStarted) -> list[str]:
    """Return a pool before the command that endangered it."""
    kind = f"pool of isolated position {pool.position_id}" if pool.position_id else "cross pool"
    own, had, margin = (
        words.money(pool.asset, atoms) for atoms in (wallet(pool), equity(pool), maintenance(pool))
    )
    begun = f"Before this command the {kind} of {pool.account.name} had a wallet of {own},"
    lines = [f"{begun} equity {had} and a maintenance margin of {margin}."]
    for position in pool.positions[:POSITIONS_MAX]:
        told = held(words, position) + _danger(position)
        lines.append(f"Position {position.position_id}: {told}.")
        lines.append(
            f"Its maintenance margin was {words.money(pool.asset, maintenance_of(position))}."
            + _former(position)
        )
    if len(pool.positions) > POSITIONS_MAX:
        lines.append(f"There were {len(pool.positions) - POSITIONS_MAX} more positions.")
    return lines


def _former(position: Position) -> str:
    """Until when a position had former tiers, if it had any."""
    perp = position.perp
    if position.tiers is perp.tiers:
        return ""
    return f" It kept former tiers of {perp.symbol}, until {instant_text(perp.former_end)}."


def _danger(position: Position) -> str:
    danger = liquidation_mark(position)
    if not danger:
        return ""
    return f", liquidation price {texts.price_text(position.perp.market.instrument, danger)}"


def _moves(before: Engine, events: list[Event], symbols: set[str]) -> list[str]:
    """Return how the command moved the marks that the pool depends on."""
    lines = []
    for event in events:
        if isinstance(event, MarkSet) and event.symbol in symbols:
            perp = before.contracts.markets[event.symbol]
            instrument = perp.market.instrument
            old, new = (
                texts.order_price_text(instrument, mark) for mark in (perp.mark, event.mark)
            )
            index = texts.order_price_text(instrument, event.index)
            lines.append(
                f"The command moved the mark price of {event.symbol} from {old} to {new} (index"
                f" {index})."
            )
        elif isinstance(event, LiquidationStarted):
            break
    if not lines:
        lines = [prices(before.contracts.markets[symbol]) for symbol in sorted(symbols)]
    return lines


def _step(words: ExplanationWords, asset: str, event: Event) -> str:
    if isinstance(event, LiquidationStep):
        instrument = words.instrument(event.symbol, contract=True)
        wanted, filled, taken, given = (
            texts.quantity_text(instrument, lots)
            for lots in (event.wanted, event.filled, event.taken_over, event.deleveraged)
        )
        worst = texts.price_text(instrument, event.bankruptcy_price)
        return (
            f"{wanted} {event.symbol} of tier {event.tier + 1} were to be closed, outside the book"
            f" at the bankruptcy price {worst}: {filled} in the book, {taken} by the insurance"
            f" fund, {given} by deleveraging; fee {words.named_money(asset, event.fee)}."
        )
    if isinstance(event, Deleveraged):
        instrument = words.instrument(event.symbol, contract=True)
        return (
            f"{words.owner(event.uid)}, rank {event.rank}, gave up"
            f" {texts.quantity_text(instrument, event.quantity)} {event.symbol} at"
            f" {texts.price_text(instrument, event.price)}."
        )
    if isinstance(event, LiquidationFinished):
        return (
            f"it was over: equity {words.named_money(asset, event.equity)}, maintenance margin"
            f" {words.named_money(asset, event.maintenance)}; the insurance fund paid"
            f" {words.named_money(asset, event.compensated)}, and has"
            f" {words.named_money(asset, event.fund_equity)}."
        )
    return ""
