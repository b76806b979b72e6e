"""Changes leverage, margin modes and margin of isolated positions (rules 5.5 to 5.7)."""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.contract.admission import order_margin, short_of
from venue.core.contract.collateral import Collateral, above_initial, available, removable
from venue.core.contract.margin import initial
from venue.core.contract.orders import Contracts
from venue.core.contract.position import free_above, notional
from venue.core.contract.prices_in_doubt import doubtful, possible_loss, spare
from venue.core.contract.records import Holding, Modes, Perpetual, Position, Terms
from venue.core.ledger.ledger import Ledger
from venue.core.messages.commands import MoveMargin, SetAutoMargin, SetLeverage, SetMarginMode
from venue.core.messages.contract_events import AutoMarginSet, LeverageSet
from venue.core.messages.events import Event, Rejected
from venue.core.units import AMOUNT_MAX, ceil_div
from venue.vocabulary import CROSSED, LONG, SHORT, MarginMode, Reject, SeparatedMode


class Margins:
    """Applies owners' choices of leverage and margin."""

    __slots__ = ("collateral", "contracts")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.collateral: Collateral = contracts.collateral

    def set_leverage(self, command: SetLeverage) -> list[Event]:
        """Apply new leverages and the margin mode of an owner in a contract, all or none.

        The leverages must fit the tiers and be affordable; the mode changes only while the
        contract is unused."""
        found = self._find(command.uid, command.symbol)
        if isinstance(found, Rejected):
            return [found]
        holding, perp = found
        modes = holding.modes_in(perp)
        mode = command.margin_mode
        if mode >= 0 and mode != modes.margin_mode and _in_use(holding, perp):
            return [Rejected(Reject.MODE_IN_USE)]
        wanted = Modes(perp, modes.pool, 0)
        wanted.margin_mode = mode if mode >= 0 else modes.margin_mode
        wanted.cross = command.cross or modes.cross
        wanted.long = command.long or modes.long
        wanted.short = command.short or modes.short
        refused = _leverage_refused(modes, wanted, command)
        if refused is not None:
            return [refused]
        return self._apply(holding, perp, modes, wanted)

    def set_mode(self, command: SetMarginMode) -> list[Event]:
        """Change margin mode and separated mode; the symbol must have no positions and no
        orders."""
        assert MarginMode(command.margin_mode) is not None, command
        found = self._find(command.uid, command.symbol)
        if isinstance(found, Rejected):
            return [found]
        holding, perp = found
        modes = holding.modes_in(perp)
        separated = modes.separated
        if command.separated_mode >= 0:
            separated = int(SeparatedMode(command.separated_mode))
        if command.margin_mode != modes.margin_mode or separated != modes.separated:
            if _in_use(holding, perp):
                return [Rejected(Reject.MODE_IN_USE)]
            modes.margin_mode = command.margin_mode
            modes.separated = separated
        return [_event(holding, perp, modes)]

    def move_margin(self, command: MoveMargin) -> list[Event]:
        """Add margin to an isolated position, or remove margin that it does not need."""
        holding = self.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        position = holding.positions.get(command.position_id)
        if position is None:
            return [Rejected(Reject.POSITION_UNKNOWN)]
        if not position.pool.position_id:
            return [Rejected(Reject.NOT_ISOLATED)]
        amount = command.amount
        assert type(amount) is int, command
        if amount == 0 or abs(amount) > AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        pool = position.pool
        cross = holding.cross(pool.asset)
        symbol = position.perp.symbol
        if amount > 0:
            most = free_above(cross, available(holding, pool.asset))
        else:
            most = removable(position)
        if most < abs(amount):
            return [Rejected(Reject.FUNDS, max(0, most))]
        source = cross if amount > 0 else pool
        if doubtful(source) or most - possible_loss(source) < abs(amount):
            return [Rejected(Reject.PRICE_DOUBT)]
        if amount > 0:
            return self.collateral.move(cross, pool, amount, symbol)
        return self.collateral.move(pool, cross, -amount, symbol)

    def set_auto(self, command: SetAutoMargin) -> list[Event]:
        """Switch automatic top-up of an isolated position."""
        holding = self.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        position = holding.positions.get(command.position_id)
        if position is None:
            return [Rejected(Reject.POSITION_UNKNOWN)]
        if not position.pool.position_id:
            return [Rejected(Reject.NOT_ISOLATED)]
        position.auto_margin = command.on
        return [AutoMarginSet(command.uid, command.position_id, command.on)]

    def _find(self, uid: int, symbol: str) -> tuple[Holding, Perpetual] | Rejected:
        holding = self.collateral.holding(uid)
        if holding is None:
            return Rejected(Reject.OWNER_UNKNOWN)
        perp = self.contracts.markets.get(symbol)
        if perp is None:
            return Rejected(Reject.SYMBOL_UNKNOWN)
        return holding, perp

    def _apply(self, holding: Holding, perp: Perpetual, modes: Modes, wanted: Modes) -> list[Event]:
        """Give positions and open orders their new leverage, if the owner can afford that."""
        positions = modes.longs + modes.shorts
        orders = [order for order in holding.orders.values() if order.market is perp.market]
        missing = 0  # needed by isolated positions beyond their own margin
        moves: list[tuple[Position, int]] = []
        needed = 0  # taken out of the available money by the rest of the change
        for position in positions:
            leverage = wanted.cross if not position.pool.position_id else (
                wanted.long if position.side == LONG else wanted.short
            )  # fmt: skip
            before = initial(notional(position), position.leverage)
            after = initial(notional(position), leverage)
            if not position.pool.position_id:
                needed += after - before
            elif after > before:
                short = after - before - above_initial(position)
                if short > 0:
                    moves.append((position, short))
                    missing += short
        margins = [(order, _margin(order, wanted)) for order in orders]
        for order, margin in margins:
            terms = order.terms
            needed += margin - terms.margin
        free = available(holding, perp.asset)
        if needed + missing > 0 and needed + missing > free:
            return [short_of(needed + missing)]
        cross = holding.cross(perp.asset)
        if missing and free_above(cross, free) < missing:
            return [short_of(missing)]
        if missing and spare(cross) < missing:
            return [Rejected(Reject.PRICE_DOUBT)]
        events: list[Event] = []
        for position, short in moves:
            events += self.collateral.move(cross, position.pool, short, perp.symbol)
        self._take_over(modes, wanted)
        for order, margin in margins:
            _hold(self.contracts.ledger, order, margin)
        return [_event(holding, perp, modes), *events]

    def _take_over(self, modes: Modes, wanted: Modes) -> None:
        modes.margin_mode = wanted.margin_mode
        modes.cross, modes.long, modes.short = wanted.cross, wanted.long, wanted.short
        for position in modes.longs + modes.shorts:
            self.collateral.touch(position.pool)
            position.pool.sums = None
            if not position.pool.position_id:
                position.leverage = wanted.cross
            else:
                position.leverage = wanted.long if position.side == LONG else wanted.short


def _margin(order: Order[Terms], wanted: Modes) -> int:
    """Return the margin that the rest of an opening order needs under other leverages; 0 for a
    closing one."""
    terms = order.terms
    if not terms.opens:
        return 0
    perp = terms.perp
    return order_margin(
        terms.position_side, order.remaining, order.price, perp.mark, perp.unit,
        wanted.leverage(terms.position_side), order.fee_ppm,
    )  # fmt: skip


def _hold(ledger: Ledger, order: Order[Terms], margin: int) -> None:
    terms = order.terms
    if not terms.opens:
        return
    ledger.reserve(terms.pool.cash, margin - terms.margin, 0)
    terms.margin = margin
    # So that the hold falls in proportion from here on.
    terms.whole_margin = ceil_div(margin * order.quantity, order.remaining)


def _leverage_refused(modes: Modes, wanted: Modes, command: SetLeverage) -> Rejected | None:
    """Return the refusal of a leverage above the contract's maximum, or above that of the tier of
    a side that uses it, or None. Leverages that the command does not change stay, even if
    present terms no longer allow them (rule 1.7)."""
    perp = modes.perp
    most = perp.contract.leverage_max
    for leverage in (command.cross, command.long, command.short):
        if leverage and not 1 <= leverage <= most:
            return Rejected(Reject.LEVERAGE, most)
    crossed = wanted.margin_mode == CROSSED
    value = (perp.mark or perp.market.last_price) * perp.unit
    held = {}
    if command.cross if crossed else command.long:
        held[LONG] = modes.opening_long * value
    if command.cross if crossed else command.short:
        held[SHORT] = modes.opening_short * value
    positions = [one for one in modes.longs + modes.shorts if one.side in held]
    for position in positions:
        held[position.side] += notional(position)
    for position in positions:  # its tier counts others even once they closed
        side = position.side
        held[side] = max(held[side], position.base + notional(position))
    for side, value in held.items():
        allowed = perp.tiers.leverages[perp.tiers.at(value)]
        if value and wanted.leverage(side) > allowed:
            return Rejected(Reject.LEVERAGE, allowed)
    return None


def _in_use(holding: Holding, perp: Perpetual) -> bool:
    """Return whether a mode cannot change: there is a position, an open order or a conditional
    order."""
    modes = holding.modes_in(perp)
    return (
        bool(modes.longs or modes.shorts)
        or modes.open_orders > 0
        or any(algo.perp is perp for algo in holding.algos.values())
    )


def _event(holding: Holding, perp: Perpetual, modes: Modes) -> LeverageSet:
    return LeverageSet(
        holding.account.uid, perp.symbol, modes.margin_mode, modes.separated, modes.cross,
        modes.long, modes.short,
    )  # fmt: skip
