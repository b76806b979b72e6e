"""Changes of owners' orders, money and positions that follow from a command's events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from venue.api.streams.private import (
    DEPOSIT_UPDATE,
    FUNDING_SETTLE,
    ORDER_UPDATE,
    WITHDRAW_UPDATE,
)
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.messages.applied import Applied
from venue.core.messages.commands import PlaceContractOrder
from venue.core.messages.contract_events import (
    AlgoChanged,
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    AutoMarginSet,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Income,
    Leg,
    LeverageSet,
    PositionClosed,
)
from venue.core.messages.events import (
    CancelAfterDue,
    Event,
    OrderClosed,
    OrderPlaced,
    Trade,
    WalletMoved,
)
from venue.recording import reasons
from venue.recording.notes import (
    NOT_CHOSEN,
    Chosen,
    ConditionalNote,
    MoneyMoved,
    OrderNote,
    PastNotes,
    PositionNote,
    open_contract_order,
    open_order,
    open_position,
    placed_conditional,
    placed_order,
    waiting_conditional,
)
from venue.recording.touched import TouchedState
from venue.vocabulary import (
    ALGO_EXPIRED,
    ALGO_TRIGGERED,
    ALGO_UNTRIGGERED,
    BUY,
    CAUSE_USER,
    INCOME_ORDER_FILL_FEE_INCOME,
    INCOME_ORDER_LIQUIDATE_FEE_INCOME,
    INCOME_POSITION_FUNDING,
    ISOLATED,
    LONG,
    SHORT,
    WALLET_SPOT,
    IncomeType,
)

CAUSES_OF: Final = {
    IncomeType.DEPOSIT.value: DEPOSIT_UPDATE,
    IncomeType.TRANSFER_IN.value: DEPOSIT_UPDATE,
    IncomeType.WITHDRAW.value: WITHDRAW_UPDATE,
    IncomeType.TRANSFER_OUT.value: WITHDRAW_UPDATE,
    INCOME_POSITION_FUNDING: FUNDING_SETTLE,
}  # all other movements of collateral come of orders
KINDS: Final = {  # of a leg's income item: whether it opens, and its position's side
    (True, LONG): IncomeType.POSITION_OPEN_LONG.value,
    (True, SHORT): IncomeType.POSITION_OPEN_SHORT.value,
    (False, LONG): IncomeType.POSITION_CLOSE_LONG.value,
    (False, SHORT): IncomeType.POSITION_CLOSE_SHORT.value,
}


class Changes:
    """Changes of the owners for whom `follows` is true; every applied command must be given at
    once, in order. Owners that start being recorded later are loaded from the engine at that
    moment.

    `orders`, `conditionals` and `positions` are the open ones, by id; `moved` is by uid and the
    asset's ordinal.
    """

    __slots__ = (
        "_engine", "_follows", "_handlers", "_modes", "conditionals", "moved", "orders",
        "positions",
    )  # fmt: skip

    def __init__(self, engine: Engine, follows: Callable[[int], bool]) -> None:
        self._engine = engine
        self._follows = follows
        self._modes: dict[tuple[int, str], Chosen] = {}  # only the ones ever changed
        self.orders: dict[int, OrderNote] = {}
        self.conditionals: dict[int, ConditionalNote] = {}
        self.positions: dict[int, PositionNote] = {}
        self.moved: dict[tuple[int, int], MoneyMoved] = {}
        self._handlers: dict[type, Callable[[Any, TouchedState, int], None]] = {
            OrderPlaced: self._note_placed,
            Trade: self._trade,
            OrderClosed: self._note_closed,
            WalletMoved: self._wallet_moved,
            CancelAfterDue: self._cancel_after_due,
            ContractOrderPlaced: self._contract_placed,
            ContractTrade: self._contract_trade,
            ContractOrderClosed: self._contract_closed,
            ContractOrderReduced: self._note_reduced,
            Income: self._income,
            PositionClosed: self._position_closed,
            LeverageSet: self._leverage_set,
            AutoMarginSet: self._auto_margin_set,
            AlgoPlaced: self._conditional_placed,
            AlgoChanged: self._conditional_changed,
            AlgoTriggered: self._conditional_triggered,
            AlgoClosed: self._conditional_closed,
        }
        for account in engine.accounts.values():
            if follows(account.uid):
                self.take_up(account)

    def fold(self, applied: Applied) -> TouchedState:
        """Take a command's events in; `forget` follows when its frames are made."""
        touched = TouchedState(applied)
        for place, event in enumerate(applied.events):
            handler = self._handlers.get(type(event))
            if handler is not None:
                handler(event, touched, place)
        return touched

    def take_up(self, account: Account) -> None:
        """Note an owner's open orders and positions."""
        for order in self._engine.spot_account(account.uid).orders.values():
            self.orders[order.order_id] = open_order(order)
        holding = self._engine.holding(account.uid)
        perps = {perp.ordinal: perp for perp in self._engine.perps.values()}
        uid = account.uid
        for ordinal, modes in holding.modes.items():
            self._modes[uid, perps[ordinal].symbol] = (modes.margin_mode, modes.separated)
        for resting in holding.orders.values():
            chosen = self._modes_of(uid, resting.market.symbol)
            self.orders[resting.order_id] = open_contract_order(resting, chosen)
        for waiting in holding.algos.values():
            chosen = self._modes_of(uid, waiting.perp.symbol)
            self.conditionals[waiting.algo_id] = waiting_conditional(waiting, chosen)
        for position in holding.positions.values():
            self.positions[position.position_id] = open_position(position)

    def forget(self, touched: TouchedState) -> None:
        """Drop the notes of ended orders and positions."""
        for number, note in touched.orders.items():
            if isinstance(note, ConditionalNote):
                if note.status != ALGO_UNTRIGGERED:
                    self.conditionals.pop(number, None)
            elif note.has_ended():
                self.orders.pop(number, None)
        for position_id in touched.closed:
            self.positions.pop(position_id, None)

    # -- facts that the engine does not know ------------------------------------------------------

    def past(self) -> PastNotes:
        """Return the notes that the engine alone does not contain."""
        known = self.orders.values()
        orders = [note for note in known if note.executed or note.conditional is not None]
        orders.sort(key=lambda note: note.order_id)
        return PastNotes(orders, [(*key, moved) for key, moved in self.moved.items()])

    def recall(self, past: PastNotes) -> None:
        """Restore these notes, which belong to the engine's state of that time."""
        for note in past.orders:
            self.orders[note.order_id] = note
        self.moved = {(uid, ordinal): moved for uid, ordinal, moved in past.moved}

    # -- spot ------------------------------------------------------------------------------------

    def _note_placed(self, event: OrderPlaced, touched: TouchedState, _: int) -> None:
        if not self._follows(event.uid):
            return
        note = self.orders[event.order_id] = placed_order(event, touched.time)
        touched.orders[event.order_id] = note
        if event.resting:
            self._note_hold(event.uid, event.symbol, event.side, touched)

    def _trade(self, event: Trade, touched: TouchedState, _: int) -> None:
        side, remaining = event.taker_side, event.taker_remaining
        if self._follows(event.taker_uid):
            self._fill(event, event.taker_uid, event.taker_order_id, side, remaining, touched)
            touched.spot_fills.append((event.taker_uid, event, False))
        if self._follows(event.maker_uid):
            side, remaining = 1 - side, event.maker_remaining
            self._fill(event, event.maker_uid, event.maker_order_id, side, remaining, touched)
            touched.spot_fills.append((event.maker_uid, event, True))

    def _fill(
        self,
        event: Trade,
        uid: int,
        order_id: int,
        side: int,
        remaining: int,
        touched: TouchedState,
    ) -> None:
        """One owner's share of a trade."""
        note = self.orders.get(order_id)
        if note is not None:
            fee = event.base_fee if side == BUY else event.quote_fee
            note.fill(event.quantity, event.notional, event.price, fee, remaining, touched.time)
            touched.orders[order_id] = note
        market = self._engine.spot_markets[event.symbol]
        touched.spot_accounts[uid, market.base, ORDER_UPDATE] = None
        touched.spot_accounts[uid, market.quote, ORDER_UPDATE] = None

    def _note_closed(self, event: OrderClosed, touched: TouchedState, _: int) -> None:
        if not self._follows(event.uid):
            return
        if event.resting:
            self._note_hold(event.uid, event.symbol, event.side, touched)
        reason = reasons.of_spot_order(event, touched.command)
        self._end(event.order_id, event.status, reason, touched)

    def _cancel_after_due(self, event: CancelAfterDue, touched: TouchedState, place: int) -> None:
        touched.cancels_end = place + event.orders

    def _note_hold(self, uid: int, symbol: str, side: int, touched: TouchedState) -> None:
        """Note that the hold of an order on the spot wallet has changed."""
        market = self._engine.spot_markets[symbol]
        ordinal = market.quote if side == BUY else market.base
        touched.spot_accounts[uid, ordinal, ORDER_UPDATE] = None

    def _end(self, order_id: int, status: int, reason: str, touched: TouchedState) -> None:
        note = self.orders.get(order_id)
        if note is None:
            return
        note.status = status
        note.reason = reason
        note.update_time = touched.time
        touched.orders[order_id] = note

    def _wallet_moved(self, event: WalletMoved, touched: TouchedState, _: int) -> None:
        if event.wallet != WALLET_SPOT or not self._follows(event.uid):
            return  # the funding wallet has no channel
        ordinal = self._engine.ordinals[event.asset]
        cause = DEPOSIT_UPDATE if event.amount > 0 else WITHDRAW_UPDATE
        touched.spot_accounts[event.uid, ordinal, cause] = None

    # -- contract orders -------------------------------------------------------------------------

    def _contract_placed(self, event: ContractOrderPlaced, touched: TouchedState, _: int) -> None:
        if not self._follows(event.uid):
            return
        engine = self._engine
        perp = engine.perps[event.symbol]
        note = self.orders[event.order_id] = placed_order(event, touched.time)
        note.position_side = event.position_side
        note.position_id = event.position_id
        note.modes = self._modes_of(event.uid, event.symbol)
        note.conditional = self.conditionals.get(event.algo_id)
        command = touched.command
        if note.conditional is not None:
            note.take_profit = note.conditional.take_profit
            note.stop_loss = note.conditional.stop_loss
        elif isinstance(command, PlaceContractOrder) and event.cause == CAUSE_USER:
            note.take_profit = command.take_profit.trigger_price > 0
            note.stop_loss = command.stop_loss.trigger_price > 0
        touched.orders[event.order_id] = note
        if event.resting:
            touched.contract_accounts[event.uid, perp.asset, ORDER_UPDATE] = None

    def _contract_trade(self, event: ContractTrade, touched: TouchedState, place: int) -> None:
        """Note both legs; the taker's fee may contain a liquidation fee, which the next items
        report."""
        liquidate_fee = _liquidate_fee(touched.events, place)
        self._leg(event, event.taker, event.taker_remaining, liquidate_fee, touched)
        self._leg(event, event.maker, event.maker_remaining, 0, touched)

    def _leg(
        self,
        event: ContractTrade,
        leg: Leg,
        remaining: int,
        liquidate_fee: int,
        touched: TouchedState,
    ) -> None:
        if not self._follows(leg.uid):
            return
        note = self.orders.get(leg.order_id)  # none when it happened outside the book
        if note is not None:
            note.fill(event.quantity, event.notional, event.price, leg.fee, remaining, touched.time)
            note.liquidate_fee += liquidate_fee
            note.realized += leg.realized
            touched.orders[leg.order_id] = note
        self._position(event, leg).updated = event.trade_id
        ordinal = self._engine.perps[event.symbol].asset
        moved = self.moved_of(leg.uid, ordinal, touched.time)
        moved.add(KINDS[leg.opens, leg.position_side], event.notional)
        moved.fee += leg.fee
        moved.liquidate_fee += liquidate_fee
        touched.contract_fills.append((event, leg, liquidate_fee))
        touched.contract_accounts[leg.uid, ordinal, ORDER_UPDATE] = None
        touched.positions[leg.uid, leg.position_id, ORDER_UPDATE] = None

    def _position(self, event: ContractTrade, leg: Leg) -> PositionNote:
        """Return the note of the position that a leg changed; make it when the leg has opened the
        position."""
        note = self.positions.get(leg.position_id)
        if note is not None:
            return note
        margin_mode, separated = self._modes_of(leg.uid, event.symbol)
        note = PositionNote(
            leg.order_id if separated else 0, event.trade_id,
            isolated=margin_mode == ISOLATED, separated=separated > 0,
        )  # fmt: skip
        self.positions[leg.position_id] = note
        return note

    def _contract_closed(
        self, event: ContractOrderClosed, touched: TouchedState, place: int
    ) -> None:
        if not self._follows(event.uid):
            return
        if event.resting:
            ordinal = self._engine.perps[event.symbol].asset
            touched.contract_accounts[event.uid, ordinal, ORDER_UPDATE] = None
        note = self.orders.get(event.order_id)
        opens = note is not None and (note.side == BUY) == (note.position_side == LONG)
        counted_down = place <= touched.cancels_end
        reason = reasons.of_contract_order(
            event, touched.command, counted_down=counted_down, opens=opens
        )
        self._end(event.order_id, event.status, reason, touched)

    def _note_reduced(self, event: ContractOrderReduced, touched: TouchedState, _: int) -> None:
        note = self.orders.get(event.order_id)
        if note is not None:
            note.update_time = touched.time
            touched.orders[event.order_id] = note

    # -- contract money and positions ------------------------------------------------------------

    def _income(self, event: Income, touched: TouchedState, _: int) -> None:
        if not self._follows(event.uid):
            return
        engine = self._engine
        ordinal = engine.ordinals[event.asset]
        self.moved_of(event.uid, ordinal, touched.time).add(event.kind, event.amount)
        cause = CAUSES_OF.get(event.kind, ORDER_UPDATE)
        touched.contract_accounts[event.uid, ordinal, cause] = None
        if event.position_id:
            touched.positions[event.uid, event.position_id, cause] = None
        elif event.kind == INCOME_POSITION_FUNDING:
            self._all_positions(event.uid, event.symbol, cause, touched)

    def moved_of(self, uid: int, ordinal: int, time: int) -> MoneyMoved:
        """Return the moves of an owner's collateral in one asset, counted from `time` if not
        before."""
        moved = self.moved.get((uid, ordinal))
        if moved is None:
            moved = self.moved[uid, ordinal] = MoneyMoved(time)
        return moved

    def _all_positions(self, uid: int, symbol: str, cause: str, touched: TouchedState) -> None:
        """The owner's positions in one contract."""
        for position in self._engine.holding(uid).positions.values():
            if position.perp.symbol == symbol:
                touched.positions[uid, position.position_id, cause] = None

    def _position_closed(self, event: PositionClosed, touched: TouchedState, _: int) -> None:
        note = self.positions.get(event.position_id)
        if note is None:
            return
        note.isolated = event.margin_mode == ISOLATED
        note.separated = event.separated_mode > 0
        touched.closed[event.position_id] = event
        touched.positions[event.uid, event.position_id, ORDER_UPDATE] = None

    def _modes_of(self, uid: int, symbol: str) -> Chosen:
        return self._modes.get((uid, symbol), NOT_CHOSEN)

    def _leverage_set(self, event: LeverageSet, touched: TouchedState, _: int) -> None:
        """Leverages decide what positions and open orders need: money becomes available or not."""
        if not self._follows(event.uid):
            return
        self._modes[event.uid, event.symbol] = (event.margin_mode, event.separated_mode)
        ordinal = self._engine.perps[event.symbol].asset
        touched.contract_accounts[event.uid, ordinal, ORDER_UPDATE] = None
        self._all_positions(event.uid, event.symbol, ORDER_UPDATE, touched)

    def _auto_margin_set(self, event: AutoMarginSet, touched: TouchedState, _: int) -> None:
        note = self.positions.get(event.position_id)
        if note is None:
            return
        note.auto_margin = event.on
        touched.positions[event.uid, event.position_id, ORDER_UPDATE] = None

    # -- conditional orders ----------------------------------------------------------------------

    def _conditional_placed(self, event: AlgoPlaced, touched: TouchedState, _: int) -> None:
        if not self._follows(event.uid):
            return
        modes = self._modes_of(event.uid, event.symbol)
        note = self.conditionals[event.algo_id] = placed_conditional(event, modes, touched.time)
        touched.orders[event.algo_id] = note

    def _conditional_changed(self, event: AlgoChanged, touched: TouchedState, _: int) -> None:
        note = self._conditional(event.algo_id, touched)
        if note is None:
            return
        note.type = event.type
        note.trigger_price = event.trigger_price
        note.price = event.price
        note.source = event.source
        note.quantity = event.quantity

    def _conditional_triggered(self, event: AlgoTriggered, touched: TouchedState, _: int) -> None:
        note = self._conditional(event.algo_id, touched)
        if note is None:
            return
        note.triggered_price = event.price
        note.trigger_time = touched.time
        note.status = ALGO_TRIGGERED if event.order_id else ALGO_EXPIRED
        if event.order_id == 0:
            note.reason = reasons.of_refused(event)

    def _conditional_closed(self, event: AlgoClosed, touched: TouchedState, _: int) -> None:
        note = self._conditional(event.algo_id, touched)
        if note is None:
            return
        note.status = event.status
        note.reason = reasons.of_conditional(touched.command)

    def _conditional(self, algo_id: int, touched: TouchedState) -> ConditionalNote | None:
        note = self.conditionals.get(algo_id)
        if note is not None:
            note.update_time = touched.time
            touched.orders[algo_id] = note
        return note


def _liquidate_fee(events: list[Event], place: int) -> int:
    """Return the liquidation fee of the trade at `place`: its item follows that of the other
    fees."""
    for event in events[place + 1 : place + 3]:
        if not isinstance(event, Income):
            break
        if event.kind == INCOME_ORDER_LIQUIDATE_FEE_INCOME:
            return event.amount
        if event.kind != INCOME_ORDER_FILL_FEE_INCOME:
            break
    return 0
