"""Converts the contract side of the engine's state to records and back; see `snapshot`."""

from __future__ import annotations

from venue.core.book.book import Market, Order, resting
from venue.core.contract.closing import ClosingRequest, Rest
from venue.core.contract.collateral import FEES_UID, FUND_UID
from venue.core.contract.conditional.waiting import is_due, wait
from venue.core.contract.records import Holding, Modes, Perpetual, Position, Terms
from venue.core.contract.reference.funding import plan
from venue.core.contract.reference.index import SPOT_SOURCE
from venue.core.contract.reference.records import Settlement, Source
from venue.core.contract.risk.ranking import ContractRanking
from venue.core.engine import Engine
from venue.core.messages.commands import Exit
from venue.core.state import terms_snapshot, watch_snapshot
from venue.core.state.conditional_snapshot import algo_record, load_algo, name, stand_back
from venue.core.state.contract_records import (
    ContractOrderRecord,
    ContractState,
    HoldingRecord,
    LifeRecord,
    PerpetualRecord,
    PositionRecord,
    RankingRecord,
    SettlementRecord,
)
from venue.vocabulary import LONG

# -- dumping --------------------------------------------------------------------------------------


def dump(engine: Engine) -> ContractState:
    """Return the contract side, in an order that follows from the commands."""
    contracts = engine.contracts
    places = terms_snapshot.places(contracts.markets)
    holdings = []
    for uid in engine.ledger.accounts:
        holding = contracts.collateral.holdings.get(uid)
        record = None if holding is None else _holding_record(holding, contracts.markets, places)
        if record is not None:
            holdings.append(record)
    return ContractState(
        ticked=engine.schedule.ticked if contracts.markets else 0,
        pending=engine.schedule.pending,
        dust=engine.ledger.dust,
        perps=[
            _perpetual_record(perp, contracts.collateral.ranking.of(perp))
            for perp in contracts.markets.values()
        ],
        holdings=holdings,
        closed=[_order_record(order) for order in contracts.client_ids.ended_orders()],
        watch=watch_snapshot.dump(engine),
        closings=[
            (
                request.uid,
                request.sequence,
                request.left if request.rest is None else request.rest.numbers(),
            )
            for requests in engine.closing.running.values()
            for request in requests
        ],
        parking=(engine.schedule.parking.left, engine.schedule.parking.next),
    )


def _holding_record(
    holding: Holding, perps: dict[str, Perpetual], places: dict[int, int]
) -> HoldingRecord | None:
    account = holding.account
    modes = []
    for perp in perps.values():
        chosen = holding.modes.get(perp.ordinal)
        if chosen is not None and not chosen.standard(perp.default_leverage()):
            modes.append((perp.ordinal, *_choice(chosen)))
    record = HoldingRecord(
        account.uid,
        holding.maker_ppm,
        holding.taker_ppm,
        [(number, cash.asset, cash.collateral) for number, cash in account.isolated.items()],
        modes,
        [
            _position_record(position, places.get(number, 0))
            for number, position in holding.positions.items()
        ],
        [algo_record(algo) for algo in holding.algos.values()],
    )
    empty = HoldingRecord(account.uid, -1, -1, [], [], [], [])
    return None if record == empty else record


def _choice(modes: Modes) -> tuple[int, int, int, int, int]:
    return modes.margin_mode, modes.separated, modes.cross, modes.long, modes.short


def _perpetual_record(perp: Perpetual, ranking: ContractRanking) -> PerpetualRecord:
    market = perp.market
    orders = resting(market.book.bids) + resting(market.book.asks)
    return PerpetualRecord(
        contract=perp.contract,
        base=market.base,
        quote=market.quote,
        unit_atoms=market.unit_atoms,
        halted=market.halted,
        halt_reason=market.halt_reason,
        last_price=market.last_price,
        index_price=perp.index_price,
        mark=perp.mark,
        premium_ppb=perp.premium_ppb,
        premium_sum=perp.premium_sum,
        premium_count=perp.premium_count,
        premium_time=perp.premium_time,
        last_rate_ppb=perp.last_rate_ppb,
        last_due=perp.last_due,
        open_interest=perp.open_interest,
        index_time=perp.index_time,
        seen_time=perp.seen_time,
        wait_until=perp.wait_until,
        reopens=perp.reopens,
        spot_lowest=perp.spot_lowest,
        spot_highest=perp.spot_highest,
        spot_alone=perp.spot_alone,
        was_unknown=perp.was_unknown,
        recalled=perp.recalled,
        trigger_last=perp.trigger_last,
        current=perp.current,
        doubt=perp.doubt,
        sources=[(name, source.price, source.time) for name, source in perp.sources.items()],
        settlement=_settlement_record(perp.settlement),
        orders=[_order_record(order) for order in orders],
        parked=[_order_record(order) for order in market.book.parked.values()],
        ended_algos=[algo_record(algo) for algo in perp.ended_algos.things()],
        due_algos=[algo.algo_id for version, algo in perp.due_algos if is_due(version, algo)],
        premiums=list(perp.premiums),
        samples=list(perp.sources[SPOT_SOURCE].samples) if SPOT_SOURCE in perp.sources else [],
        ranking=RankingRecord(ranking.next, ranking.kept, ranking.exact),
        terms=terms_snapshot.dump(perp),
        delisted=[] if perp.delisted is None else perp.delisted.numbers(),
    )


def _settlement_record(settlement: Settlement | None) -> SettlementRecord | None:
    if settlement is None:
        return None
    return SettlementRecord(
        settlement.due,
        settlement.rate_ppb,
        settlement.mark,
        settlement.last,
        settlement.next,
        settlement.count,
        settlement.paid,
        settlement.received,
    )


def _life_record(position: Position) -> LifeRecord:
    return LifeRecord(
        position.open_size,
        position.open_value,
        position.open_fee,
        position.close_size,
        position.close_value,
        position.close_fee,
        position.funding_fee,
        position.liquidate_fee,
        position.realized,
    )


def _order_record(order: Order[Terms]) -> ContractOrderRecord:
    terms = order.terms
    position = terms.position()
    exits = [] if terms.take_profit is None else [terms.take_profit, terms.stop_loss or Exit()]
    return ContractOrderRecord(
        order.order_id,
        order.uid,
        order.market.symbol,
        order.side,
        order.type,
        order.time_in_force,
        order.quantity,
        order.price,
        order.client_id,
        order.time,
        order.update_time,
        order.remaining,
        order.quote,
        order.status,
        terms.position_side,
        terms.cause,
        terms.margin,
        terms.whole_margin,
        position.position_id if position is not None and position.quantity else 0,
        terms.algo_id,
        exits,
        [algo.algo_id for algo in terms.attached if algo.algo_id in terms.holding.algos],
        terms.trimmed,
        terms.exits_position,
        terms.asked_position,
        order.fee_ppm,
        order.place,
    )


def _position_record(position: Position, tiers: int) -> PositionRecord:
    return PositionRecord(
        position.position_id,
        position.perp.symbol,
        position.side,
        position.pool.position_id > 0,
        position.leverage,
        position.separated,
        position.open_order_id,
        position.auto_margin,
        position.quantity,
        position.value,
        position.funded,
        _life_record(position),
        position.created,
        position.updated,
        position.created_sequence,
        position.updated_sequence,
        position.rank,
        position.passed,
        position.base,
        tiers,
    )


# -- loading --------------------------------------------------------------------------------------


def load(engine: Engine, state: ContractState) -> None:
    """Load the contract side into an engine whose accounts and balances are loaded."""
    contracts = engine.contracts
    ledger = engine.ledger
    engine.schedule.ticked = state.ticked
    engine.schedule.pending = state.pending
    engine.schedule.parking.left, engine.schedule.parking.next = state.parking
    ledger.dust = state.dust
    if state.perps:
        contracts.collateral.fees = engine.holding(FEES_UID).crosses
        contracts.collateral.fund = engine.holding(FUND_UID).crosses
    for ordinal, record in enumerate(state.perps):
        market: Market[Terms] = Market(
            record.contract.instrument, ordinal, record.base, record.quote, 0, record.unit_atoms
        )
        perp = contracts.markets[market.symbol] = _perpetual(record, market, ordinal)
        ranking = contracts.collateral.ranking.of(perp)
        ranking.next, ranking.kept = record.ranking.next, record.ranking.kept
        ranking.exact = record.ranking.exact
    contracts.follow_books()
    by_ordinal = list(contracts.markets.values())
    places = {
        position.position_id: position.tiers
        for holding_record in state.holdings
        for position in holding_record.positions
        if position.tiers
    }
    for holding_record in state.holdings:
        _load_holding(engine, holding_record, by_ordinal)
    for record in state.perps:
        perp = contracts.markets[record.contract.instrument.symbol]
        perp.positions = dict(sorted(perp.positions.items()))
        terms_snapshot.load(perp, record.terms, places)
        stand_back(perp, record.due_algos)
        for order_record in record.orders:
            order = _order(engine, order_record)
            _open(engine, order)
            perp.market.book.rest(order)
        for order_record in record.parked:
            order = _order(engine, order_record)
            _open(engine, order)
            perp.market.book.park(order)
        for conditional in record.ended_algos:
            algo = load_algo(engine, conditional)
            perp.ended_algos.add(conditional.uid, algo.algo_id, algo)
            name(algo.holding.algo_clients, algo)
    for holding in contracts.collateral.holdings.values():
        holding.orders = dict(sorted(holding.orders.items()))
        for position in holding.positions.values():
            position.orders = dict(sorted(position.orders.items()))
    watch_snapshot.load(engine, state.watch)
    _load_ended(engine, state)


def _load_ended(engine: Engine, state: ContractState) -> None:
    """Load the data that needs the orders: running closes, and client ids of ended orders."""
    for uid, sequence, left in state.closings:
        request = ClosingRequest(uid, sequence, left)
        if not sequence:  # the rest of an order, without a command
            request = ClosingRequest(uid, 0, [], Rest(left))
        engine.closing.running.setdefault(uid, []).append(request)
    for order_record in state.closed:
        order = _order(engine, order_record)
        engine.contracts.client_ids.add(order)
        terms = order.terms
        holder = terms.holding.clients.get(order.client_id)
        if holder is None or holder.level is None:
            terms.holding.clients[order.client_id] = order


def _perpetual(record: PerpetualRecord, market: Market[Terms], ordinal: int) -> Perpetual:
    perp = Perpetual(record.contract, market, ordinal, 0)
    market.halted = record.halted
    market.halt_reason = record.halt_reason
    market.last_price = record.last_price
    perp.index_price, perp.mark = record.index_price, record.mark
    perp.premium_ppb, perp.premium_time = record.premium_ppb, record.premium_time
    perp.premium_sum, perp.premium_count = record.premium_sum, record.premium_count
    perp.last_rate_ppb, perp.last_due = record.last_rate_ppb, record.last_due
    perp.open_interest = record.open_interest
    perp.index_time, perp.seen_time = record.index_time, record.seen_time
    perp.wait_until, perp.reopens = record.wait_until, record.reopens
    perp.spot_lowest, perp.spot_highest = record.spot_lowest, record.spot_highest
    perp.spot_alone, perp.was_unknown = record.spot_alone, record.was_unknown
    perp.recalled, perp.trigger_last = record.recalled, record.trigger_last
    perp.current, perp.doubt = record.current, record.doubt
    perp.delisted = terms_snapshot.load_delisting(record.delisted)
    plan(perp)
    perp.sources = {name: Source(price, time) for name, price, time in record.sources}
    if record.samples:
        perp.sources[SPOT_SOURCE].samples.extend(record.samples)
    perp.premiums.extend(record.premiums)
    perp.settlement = _settlement(record.settlement)
    return perp


def _settlement(record: SettlementRecord | None) -> Settlement | None:
    if record is None:
        return None
    settlement = Settlement(record.due, record.rate_ppb, record.mark, record.last)
    settlement.next, settlement.count = record.next, record.count
    settlement.paid, settlement.received = record.paid, record.received
    return settlement


def _load_holding(engine: Engine, record: HoldingRecord, perps: list[Perpetual]) -> None:
    holding = engine.holding(record.uid)
    holding.maker_ppm = record.maker_ppm
    holding.taker_ppm = record.taker_ppm
    for position_id, asset, collateral in record.isolated:
        holding.isolate(asset, position_id).cash.collateral = collateral
    for ordinal, margin_mode, separated, cross, long, short in record.modes:
        perp = perps[ordinal]
        pool = holding.cross(perp.asset)
        modes = holding.modes[ordinal] = Modes(perp, pool, cross)
        modes.margin_mode, modes.separated = margin_mode, separated
        modes.long, modes.short = long, short
    for position_record in record.positions:
        _load_position(engine, holding, position_record)
    for conditional in record.algos:
        algo = load_algo(engine, conditional)
        holding.algos[algo.algo_id] = algo
        if algo.client_id:
            holding.algo_clients[algo.client_id] = algo
        if algo.position is not None:
            algo.position.algos[algo.algo_id] = algo
        wait(algo)
    for conditional in record.algos:
        if conditional.sibling_id:
            holding.algos[conditional.algo_id].sibling = holding.algos[conditional.sibling_id]


def _load_position(engine: Engine, holding: Holding, record: PositionRecord) -> None:
    perp = engine.contracts.markets[record.symbol]
    pool = holding.isolated[record.position_id] if record.isolated else holding.cross(perp.asset)
    position = Position(
        record.position_id, perp, record.side, pool, record.leverage, record.created
    )
    position.separated = record.separated
    position.open_order_id = record.open_order_id
    position.auto_margin = record.auto_margin
    position.quantity = record.quantity
    position.value = record.value
    position.funded = record.funded
    life = record.life
    position.open_size, position.open_value = life.open_size, life.open_value
    position.close_size, position.close_value = life.close_size, life.close_value
    position.open_fee, position.close_fee = life.open_fee, life.close_fee
    position.funding_fee, position.liquidate_fee = life.funding_fee, life.liquidate_fee
    position.realized = life.realized
    position.updated = record.updated
    position.created_sequence = record.created_sequence
    position.updated_sequence = record.updated_sequence
    holding.positions[position.position_id] = position
    position.base = record.base
    modes = holding.modes_in(position.perp)
    modes.positions(position.side).append(position)
    if position.separated:
        totals = modes.totals(position.side)
        totals.lots += position.quantity
        totals.value += position.value
    pool.positions.append(position)
    pool.gross += position.value
    perp.add(position)
    position.passed = record.passed
    engine.contracts.collateral.ranking.put(position, record.rank)


def _order(engine: Engine, record: ContractOrderRecord) -> Order[Terms]:
    perp = engine.contracts.markets[record.symbol]
    holding = engine.holding(record.uid)
    modes = holding.modes_in(perp)
    terms = Terms(holding, modes, record.side, record.position_side, record.cause)
    terms.margin = record.margin
    terms.whole_margin = record.whole_margin
    position = holding.positions.get(record.position_id)
    if terms.opens:
        terms.made = position
    else:
        terms.closes = position
    terms.algo_id = record.algo_id
    if record.exits:
        terms.take_profit, terms.stop_loss = record.exits
    terms.exits_position = record.exits_position
    terms.attached = tuple([holding.algos[algo_id] for algo_id in record.attached])
    terms.trimmed = record.trimmed
    terms.asked_position = record.asked_position
    order = Order(
        record.order_id,
        record.uid,
        perp.market,
        record.side,
        record.type,
        record.time_in_force,
        record.quantity,
        record.price,
        record.client_id,
        record.time,
        terms,
    )
    order.update_time = record.update_time
    order.remaining = record.remaining
    order.quote = record.quote
    order.status = record.status
    order.fee_ppm = record.fee_ppm
    order.place = record.place
    return order


def _open(engine: Engine, order: Order[Terms]) -> None:
    """Register a loaded open order with its owner, and hold its money."""
    terms = order.terms
    holding, perp = terms.holding, terms.perp
    holding.orders[order.order_id] = order
    terms.modes.open_orders += 1
    if order.client_id:
        holding.clients[order.client_id] = order
    closes = terms.closes
    if closes is None:
        notional = order.price * order.remaining * perp.unit
        engine.ledger.reserve(terms.pool.cash, terms.margin, notional)
        modes = holding.modes_in(perp)
        if terms.position_side == LONG:
            modes.opening_long += order.remaining
        else:
            modes.opening_short += order.remaining
    else:
        closes.orders[order.order_id] = order
        closes.closing += order.remaining
