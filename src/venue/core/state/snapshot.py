"""Converts the engine's state to bytes and back, and computes its hash.

The dump lists everything in an order that follows from the commands (never from a hash), so equal
states give equal bytes. `state_hash` leaves out sequence and time: a refused command changes
neither balance nor book, and so not the hash.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from venue.core import wide
from venue.core.book.book import Market, Order, resting
from venue.core.connections import GuardedOrders
from venue.core.engine import Engine
from venue.core.instruments import Asset, Instrument
from venue.core.ledger.accounts import Account
from venue.core.savepoints import Savepoint
from venue.core.spot.account import SpotMarket, SpotOrder
from venue.core.state import (
    benefits_snapshot,
    contract_snapshot,
    copying_snapshot,
    fee_tiers_snapshot,
    people_snapshot,
)
from venue.core.state.benefits_snapshot import BenefitsState
from venue.core.state.contract_records import ContractState
from venue.core.state.copying_snapshot import CopyingState
from venue.core.state.fee_tiers_snapshot import FeeTiersState
from venue.core.state.people_snapshot import ContentState, ReferenceRecord, SentRecord


class OrderRecord(msgspec.Struct, array_like=True, gc=False):
    """One order, with its owner's uid."""

    order_id: int
    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    time: int
    update_time: int
    remaining: int
    quote: int
    status: int
    fee_ppm: int


class AccountRecord(msgspec.Struct, array_like=True):
    uid: int
    name: str
    self_trade: int
    frozen: bool
    maker_ppm: int
    taker_ppm: int
    free: list[int]
    locked: list[int]
    contract: list[int]
    funding: list[int]
    recorded: bool
    agent: bool


class MarketRecord(msgspec.Struct, array_like=True):
    """A market; `orders` are its bids, then its asks, in priority order."""

    instrument: Instrument
    base: int
    quote: int
    lot_atoms: int
    unit_atoms: int
    last_price: int
    halted: bool
    halt_reason: str
    orders: list[OrderRecord]


class EngineState(msgspec.Struct, array_like=True):
    """Everything except sequence and time. `closed` are ended orders whose client ids still count.

    New fields go to the end with a default: snapshots of 0.2.0 and later stay readable.
    """

    counters: list[int]
    assets: list[Asset]
    fees: list[int]
    external: list[int]
    accounts: list[AccountRecord]
    markets: list[MarketRecord]
    closed: list[OrderRecord]
    settings: list[tuple[str, str]]
    contracts: ContractState
    countdowns: list[tuple[int, int, int]]
    benefits: BenefitsState | None
    copying: CopyingState | None
    sent: list[SentRecord]
    content: ContentState | None
    fee_tiers: FeeTiersState | None
    references: list[ReferenceRecord]
    connections: list[tuple[int, int, int, list[int]]]  # number, uid, product, orders


class EngineSnapshot(msgspec.Struct, array_like=True):
    """A state with the savepoints, and how often the state was reverted."""

    sequence: int
    time: int
    state: EngineState
    savepoints: list[Savepoint]
    epoch: int


class Parts(msgspec.Struct, array_like=True):
    """As `EngineSnapshot`, with the state still encoded."""

    sequence: int
    time: int
    state: msgspec.Raw
    savepoints: list[Savepoint] = []
    epoch: int = 0


_encoder = msgspec.msgpack.Encoder()
_decoder: wide.Decoder[EngineSnapshot] = wide.Decoder(EngineSnapshot)
_parts = msgspec.msgpack.Decoder(Parts)
_state_decoder: wide.Decoder[EngineState] = wide.Decoder(EngineState)


class StateCodec:
    """The engine's codec: encodes a state in the form that a dump has."""

    def encode(self, engine: Engine) -> bytes:
        """Return the state, without savepoints, sequence and time."""
        return wide.encode(_state(engine))

    def decode(self, savepoint: Savepoint) -> Engine:
        """Return an engine with that state, at its sequence and time."""
        state = _state_decoder.decode(savepoint.state)
        return _engine(savepoint.sequence, savepoint.time, state)


CODEC: Final = StateCodec()


def begin() -> Engine:
    """Create an engine before the first command; it can save states."""
    engine = Engine()
    engine.codec = CODEC
    return engine


def dump(engine: Engine) -> bytes:
    """Return the engine's whole state."""
    return dump_and_hash(engine)[0]


def state_hash(engine: Engine) -> str:
    """Return a digest of the state, without sequence and time."""
    return digest(wide.encode(_state(engine)))


def stored_hashes(data: bytes) -> tuple[str, str]:
    """Return two hashes of a dump's state: as it is written, and as today's fields would write it.

    They differ when fields were added since. MsgspecError when it is no dump.
    """
    written = _parts.decode(data).state
    return digest(bytes(written)), digest(wide.encode(_decoder.decode(data).state))


def dump_and_hash(engine: Engine) -> tuple[bytes, str]:
    """Return the dump and its hash, for the price of one."""
    state = wide.encode(_state(engine))
    whole = Parts(engine.sequence, engine.time, msgspec.Raw(state))
    whole.savepoints = list(engine.savepoints.kept.values())
    whole.epoch = engine.savepoints.epoch
    return _encoder.encode(whole), digest(state)


def digest(state: bytes) -> str:
    """Return the hash of an encoded state."""
    return hashlib.blake2b(state, digest_size=16).hexdigest()


def load(data: bytes) -> Engine:
    """Return the engine whose `dump` this is."""
    snapshot = _decoder.decode(data)
    engine = _engine(snapshot.sequence, snapshot.time, snapshot.state)
    engine.savepoints.kept = {kept.name: kept for kept in snapshot.savepoints}
    engine.savepoints.epoch = snapshot.epoch
    return engine


def _engine(sequence: int, time: int, state: EngineState) -> Engine:
    engine = begin()
    engine.sequence = sequence
    engine.time = time
    spot, owners = engine.spot, engine.owners
    counters = engine.counters
    counters.order, counters.trade, counters.bill = state.counters[:3]
    owners.next_uid, owners.next_transfer = state.counters[3:]
    for asset in state.assets:
        engine.ledger.register(asset)
    engine.ledger.fees = state.fees
    engine.ledger.external = state.external
    for record in state.accounts:
        engine.ledger.accounts[record.uid] = _account(record)
        engine.ledger.names[record.name] = record.uid
    for ordinal, market_record in enumerate(state.markets):
        _load_market(engine, ordinal, market_record)
    for own in spot.accounts.values():
        own.orders = dict(sorted(own.orders.items()))
    for order_record in state.closed:
        order = _order(engine, order_record)
        holder = order.terms.clients.get(order.client_id)
        if holder is None or holder.level is None:
            order.terms.clients[order.client_id] = order
        spot.client_ids.add(order)
    engine.listing.settings = dict(state.settings)
    contract_snapshot.load(engine, state.contracts)
    for countdown in state.countdowns:
        engine.countdowns.add(countdown)
    for number, uid, product, orders in state.connections:
        engine.connections.guarded[number] = guarded = GuardedOrders(uid, product)
        guarded.orders = dict.fromkeys(orders)
    if state.benefits is not None:
        benefits_snapshot.load(engine, state.benefits)
    copying_snapshot.load(engine, state.copying)
    fee_tiers_snapshot.load(engine, state.fee_tiers)
    people_snapshot.load_sent(engine, state.sent)
    people_snapshot.load_references(engine, state.references)
    if state.content is not None:
        people_snapshot.load_content(engine, state.content)
    return engine


def _state(engine: Engine) -> EngineState:
    spot, owners, ledger = engine.spot, engine.owners, engine.ledger
    counters = engine.counters
    return EngineState(
        counters=[
            counters.order,
            counters.trade,
            counters.bill,
            owners.next_uid,
            owners.next_transfer,
        ],
        assets=ledger.assets,
        fees=ledger.fees,
        external=ledger.external,
        accounts=[_account_record(account) for account in ledger.accounts.values()],
        markets=[_market_record(market) for market in spot.markets.values()],
        closed=[_order_record(order) for order in spot.client_ids.ended_orders()],
        settings=list(engine.listing.settings.items()),
        contracts=contract_snapshot.dump(engine),
        countdowns=engine.countdowns.queue,
        benefits=benefits_snapshot.dump(engine),
        copying=copying_snapshot.dump(engine),
        sent=people_snapshot.dump_sent(engine),
        content=people_snapshot.dump_content(engine),
        fee_tiers=fee_tiers_snapshot.dump(engine),
        references=people_snapshot.dump_references(engine),
        connections=[
            (number, guarded.uid, guarded.product, list(guarded.orders))
            for number, guarded in engine.connections.guarded.items()
        ],
    )


def _account_record(account: Account) -> AccountRecord:
    return AccountRecord(
        uid=account.uid,
        name=account.name,
        self_trade=account.self_trade,
        frozen=account.frozen,
        maker_ppm=account.maker_ppm,
        taker_ppm=account.taker_ppm,
        free=[balance.free for balance in account.spot],
        locked=[balance.locked for balance in account.spot],
        contract=[pool.collateral for pool in account.contract],
        funding=account.funding,
        recorded=account.recorded,
        agent=account.agent,
    )


def _account(record: AccountRecord) -> Account:
    account = Account(record.uid, record.name, record.self_trade, len(record.free))
    account.frozen = record.frozen
    account.maker_ppm = record.maker_ppm
    account.taker_ppm = record.taker_ppm
    for balance, free, locked in zip(account.spot, record.free, record.locked, strict=True):
        balance.free = free
        balance.locked = locked
    for pool, collateral in zip(account.contract, record.contract, strict=True):
        pool.collateral = collateral
    account.funding = record.funding
    account.recorded = record.recorded
    account.agent = record.agent
    return account


def _market_record(market: SpotMarket) -> MarketRecord:
    orders = resting(market.book.bids) + resting(market.book.asks)
    return MarketRecord(
        instrument=market.instrument,
        base=market.base,
        quote=market.quote,
        lot_atoms=market.lot_atoms,
        unit_atoms=market.unit_atoms,
        last_price=market.last_price,
        halted=market.halted,
        halt_reason=market.halt_reason,
        orders=[_order_record(order) for order in orders],
    )


def _load_market(engine: Engine, ordinal: int, record: MarketRecord) -> None:
    market: SpotMarket = Market(
        record.instrument, ordinal, record.base, record.quote, record.lot_atoms, record.unit_atoms
    )
    market.last_price = record.last_price
    market.halted = record.halted
    market.halt_reason = record.halt_reason
    engine.spot.open(market)
    for order_record in record.orders:
        order = _order(engine, order_record)
        own = order.terms
        own.orders[order.order_id] = order
        own.open_count[ordinal] += 1
        if order.client_id:
            own.clients[order.client_id] = order
        market.book.rest(order)


def _order_record(order: SpotOrder) -> OrderRecord:
    return OrderRecord(
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
        order.fee_ppm,
    )


def _order(engine: Engine, record: OrderRecord) -> SpotOrder:
    order = Order(
        record.order_id,
        record.uid,
        engine.spot.markets[record.symbol],
        record.side,
        record.type,
        record.time_in_force,
        record.quantity,
        record.price,
        record.client_id,
        record.time,
        engine.spot_account(record.uid),
    )
    order.update_time = record.update_time
    order.remaining = record.remaining
    order.quote = record.quote
    order.status = record.status
    order.fee_ppm = record.fee_ppm
    return order
